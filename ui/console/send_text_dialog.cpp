// SPDX-License-Identifier: Apache-2.0
#include "ui/console/send_text_dialog.h"

#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/text_label.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace vitrine::ui {

SendTextDialog::SendTextDialog(const QString& machineName, KeyboardLayout layout, QWidget* parent)
    : QDialog(parent)
    , m_text(new QPlainTextEdit(this))
    , m_layout(new QComboBox(this))
    , m_remark(new TextLabel({}, TextSize::Small, TextTone::Warning, this))
    , m_send(primaryButton(tr("&Send"), {}, this)) {
    setWindowTitle(tr("Send Text to \"%1\"").arg(machineName));
    auto* help = helpLabel(tr("The text is typed on the guest's keyboard, key by key, where its "
                              "cursor is. A new line is the key Enter."),
                           this);
    m_text->setTabChangesFocus(true);
    m_text->setMinimumSize(480, 160);
    m_text->setAccessibleName(tr("Text"));
    for (const KeyboardLayoutName& known : keyboardLayouts()) {
        m_layout->addItem(known.name, static_cast<int>(known.layout));
    }
    m_layout->setCurrentIndex(m_layout->findData(static_cast<int>(layout)));
    auto* label = new QLabel(tr("&Keyboard of the guest:"), this);
    label->setBuddy(m_layout);
    m_layout->setAccessibleName(tr("Keyboard of the guest"));
    m_remark->setWordWrap(true);
    auto* cancel = normalButton(tr("Cancel"), {}, this);

    auto* choice = new QHBoxLayout;
    choice->addWidget(label);
    choice->addWidget(m_layout);
    choice->addStretch();
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    buttons->addWidget(cancel);
    buttons->addWidget(m_send);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(spacing::pageHorizontal,
                            spacing::pageVertical,
                            spacing::pageHorizontal,
                            spacing::pageVertical);
    all->setSpacing(spacing::grid);
    all->addWidget(help);
    all->addWidget(m_text, 1);
    all->addLayout(choice);
    all->addWidget(m_remark);
    all->addLayout(buttons);

    connect(m_text, &QPlainTextEdit::textChanged, this, &SendTextDialog::refresh);
    connect(m_layout, &QComboBox::currentIndexChanged, this, &SendTextDialog::refresh);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_send, &QPushButton::clicked, this, [this] {
        Q_EMIT sendRequested(m_typed.strokes);
        accept();
    });
    refresh();
    m_text->setFocus();
}

void SendTextDialog::setText(const QString& text) {
    m_text->setPlainText(text);
}

KeyboardLayout SendTextDialog::layout() const {
    return static_cast<KeyboardLayout>(m_layout->currentData().toInt());
}

QString SendTextDialog::remark() const {
    return m_remark->text();
}

void SendTextDialog::refresh() {
    const QString text = m_text->toPlainText();
    const bool tooLong = text.size() > maximumLength;
    m_typed = tooLong ? TypedText() : strokesFor(layout(), text);
    if (tooLong) {
        m_remark->setText(tr("This is longer than %1 characters, which would take minutes to type. "
                             "Send it in parts, or copy it over the clipboard or ssh.")
                              .arg(QLocale().toString(maximumLength)));
    } else if (!m_typed.untypable.isEmpty()) {
        QStringList characters;
        for (const uint code : m_typed.untypable.toUcs4()) {
            const auto character = static_cast<char32_t>(code);
            characters.append(QChar::isPrint(code)
                                  ? QString::fromUcs4(&character, 1)
                                  : QStringLiteral("U+%1").arg(code, 4, 16, QLatin1Char('0')));
        }
        m_remark->setText(tr("This keyboard has no keys for: %1. They are left out.")
                              .arg(characters.mid(0, 40).join(QLatin1Char(' '))));
    } else {
        m_remark->setText({});
    }
    m_remark->setVisible(!m_remark->text().isEmpty());
    m_send->setEnabled(!m_typed.strokes.isEmpty());
    m_send->setToolTip(m_send->isEnabled() ? QString()
                                           : tr("There is nothing that could be typed."));
}

} // namespace vitrine::ui
