// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/copy_button.h"

#include "ui/theme/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QToolTip>

namespace vitrine::ui {

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
    m_back.setInterval(1500);
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

} // namespace vitrine::ui
