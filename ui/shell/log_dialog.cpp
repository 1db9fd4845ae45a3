// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/log_dialog.h"

#include "ui/library/machine_text.h"
#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int shownLines = 1000;

} // namespace

LogDialog::LogDialog(const QString& title, const QStringList& paths, QWidget* parent)
    : QDialog(parent)
    , m_paths(paths)
    , m_place(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Fixed, TextTone::Secondary, this))
    , m_text(new QPlainTextEdit(this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    setBackgroundRole(QPalette::Base);
    resize(760, 480);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(spacing::grid);
    auto* top = new QHBoxLayout;
    top->addWidget(m_place, 1);
    auto* copy = new CopyButton(tr("Copy the log"), this);
    connect(copy, &QToolButton::pressed, this, [this, copy] {
        copy->setTextToCopy(m_text->toPlainText());
    });
    top->addWidget(copy);
    layout->addLayout(top);
    m_text->setReadOnly(true);
    m_text->setFont(Theme::fixed());
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setAccessibleName(title);
    m_text->setTabChangesFocus(true);
    layout->addWidget(m_text, 1);
    auto* bar = new QHBoxLayout;
    auto* again = normalButton(tr("Read Again"), u"retry", this);
    auto* close = normalButton(tr("Close"), {}, this);
    bar->addWidget(again);
    bar->addStretch();
    bar->addWidget(close);
    layout->addLayout(bar);
    connect(again, &QPushButton::clicked, this, &LogDialog::read);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    read();
}

void LogDialog::read() {
    inBackground(
        this,
        [paths = m_paths] {
            for (const QString& path : paths) {
                if (const QStringList lines = lastLines(path, shownLines); !lines.isEmpty())
                    return std::pair(path, lines);
            }
            return std::pair(QString(), QStringList());
        },
        [this](const std::pair<QString, QStringList>& read) {
            const auto& [path, lines] = read;
            m_place->setText(homeShortened(path));
            m_text->setPlainText(lines.isEmpty()
                                     ? tr("There is no log. A machine has one from its start on "
                                          "until its files are cleaned up after it stopped.")
                                     : lines.join(QLatin1Char('\n')));
            m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
        });
}

} // namespace vitrine::ui
