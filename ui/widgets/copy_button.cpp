// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/copy_button.h"

#include "ui/theme/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QToolTip>

namespace vitrine::ui {

namespace {
constexpr int shownMilliseconds = 1500;
} // namespace

CopyButton::CopyButton(const QString& what, QWidget* parent)
    : QToolButton(parent)
    , m_what(what) {
    setIcon(themeIcon(u"copy"));
    setIconSize(QSize(16, 16));
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    setToolTip(what);
    setAccessibleName(what);
    setFixedSize(24, 24);
    m_back.setSingleShot(true);
    m_back.setInterval(shownMilliseconds);
    connect(&m_back, &QTimer::timeout, this, [this] {
        setIcon(themeIcon(u"copy"));
        setAccessibleDescription({});
    });
    connect(this, &QToolButton::clicked, this, &CopyButton::copy);
}

void CopyButton::copy() {
    QGuiApplication::clipboard()->setText(m_text);
    setIcon(themeIcon(u"check"));
    setAccessibleDescription(tr("Copied."));
    if (underMouse())
        QToolTip::showText(mapToGlobal(QPoint(0, height())), tr("Copied."), this);
    m_back.start();
}

void showCopied(QAbstractButton* button) {
    const QString name = QStringLiteral("copied");
    if (auto* shown = button->findChild<QTimer*>(name, Qt::FindDirectChildrenOnly)) {
        shown->start();
        return;
    }
    auto* back = new QTimer(button);
    back->setObjectName(name);
    back->setSingleShot(true);
    back->setInterval(shownMilliseconds);
    QObject::connect(back,
                     &QTimer::timeout,
                     button,
                     [button, back, text = button->text(), width = button->minimumWidth()] {
                         button->setText(text);
                         button->setIcon(themeIcon(u"copy"));
                         button->setMinimumWidth(width);
                         button->setAccessibleDescription({});
                         back->setObjectName({});
                         back->deleteLater();
                     });
    button->setMinimumWidth(button->width());
    button->setIcon(themeIcon(u"check"));
    button->setText(CopyButton::tr("Copied"));
    button->setAccessibleDescription(CopyButton::tr("Copied."));
    back->start();
}

} // namespace vitrine::ui
