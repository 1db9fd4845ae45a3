// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/question.h"

#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int dialogWidth = 480;

} // namespace

Question::Question(const QString& title,
                   const QString& text,
                   const QStringList& lines,
                   const QList<Answer>& answers,
                   QWidget* parent)
    : QDialog(parent) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowModality(Qt::WindowModal);
    setWindowTitle(title);
    setBackgroundRole(QPalette::Base);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* body = new QVBoxLayout;
    m_body = body;
    body->setContentsMargins(
        spacing::pageHorizontal, spacing::block, spacing::pageHorizontal, spacing::block);
    body->setSpacing(spacing::grid);
    auto* heading = new TextLabel(title, TextSize::Heading, TextTone::Text, this);
    heading->setWordWrap(true);
    body->addWidget(heading);
    auto* explanation = new TextLabel(text, TextSize::Body, TextTone::Text, this);
    explanation->setWordWrap(true);
    explanation->setMinimumWidth(dialogWidth - 2 * spacing::pageHorizontal);
    body->addWidget(explanation);
    for (const QString& line : lines)
        body->addWidget(
            new ElidedLabel(line, Qt::ElideMiddle, TextSize::Small, TextTone::Secondary, this));
    layout->addLayout(body);
    layout->addWidget(new Hairline(Qt::Horizontal, this));

    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(spacing::pageHorizontal, 12, spacing::pageHorizontal, 12);
    bar->setSpacing(spacing::grid);
    QPushButton* first = nullptr;
    bool stretched = false;
    for (const Answer& answer : answers) {
        QPushButton* choice = answer.look == Look::Primary ? primaryButton(answer.text, {}, this)
                                                           : normalButton(answer.text, {}, this);
        // Destructive answers stand apart, on the other side.
        if (answer.look != Look::Destructive && !stretched) {
            bar->addStretch();
            stretched = true;
        }
        bar->addWidget(choice);
        choice->setEnabled(answer.refusal.isEmpty());
        choice->setToolTip(answer.refusal);
        choice->setAccessibleDescription(answer.refusal);
        if (answer.cancels) {
            m_cancel = answer.then;
            first = choice;
        }
        connect(choice, &QPushButton::clicked, this, [this, answer] {
            if (answer.cancels) {
                reject();
                return;
            }
            accept();
            if (answer.then)
                answer.then();
        });
    }
    layout->addLayout(bar);
    setMinimumWidth(dialogWidth);
    layout->setSizeConstraint(QLayout::SetMinimumSize);
    for (QPushButton* choice : findChildren<QPushButton*>()) {
        if (choice->isDefault())
            first = choice;
    }
    if (first != nullptr)
        first->setFocus();
}

QCheckBox* Question::addCheckBox(const QString& text) {
    auto* box = new QCheckBox(text, this);
    m_body->addSpacing(spacing::tight);
    m_body->addWidget(box);
    return box;
}

QPushButton* Question::button(const QString& text) const {
    for (QPushButton* choice : findChildren<QPushButton*>()) {
        if (QString(choice->text()).remove(QLatin1Char('&')) == text)
            return choice;
    }
    return nullptr;
}

void Question::reject() {
    QDialog::reject();
    if (m_cancel)
        m_cancel();
}

} // namespace vitrine::ui
