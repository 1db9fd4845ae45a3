// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/name_dialog.h"

#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QStyle>
#include <QVBoxLayout>

namespace vitrine::ui {

NameDialog::NameDialog(const Texts& texts,
                       const QString& suggestion,
                       std::function<bool(const QString&)> isTaken,
                       QWidget* parent)
    : QDialog(parent)
    , m_isTaken(std::move(isTaken))
    , m_field(new QLineEdit(suggestion, this))
    , m_problem(helpLabel({}, this))
    , m_accept(primaryButton(texts.button, {}, this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowModality(Qt::WindowModal);
    setWindowTitle(texts.title);
    setBackgroundRole(QPalette::Base);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* body = new QVBoxLayout;
    body->setContentsMargins(
        spacing::pageHorizontal, spacing::block, spacing::pageHorizontal, spacing::block);
    body->setSpacing(spacing::grid);
    auto* explanation = new TextLabel(texts.explanation, TextSize::Body, TextTone::Text, this);
    explanation->setWordWrap(true);
    body->addWidget(explanation);
    auto* line = new QHBoxLayout;
    line->setSpacing(spacing::block);
    auto* label = new TextLabel(tr("Name"), TextSize::Body, TextTone::Text, this);
    label->setBuddy(m_field);
    line->addWidget(label);
    line->addWidget(m_field, 1);
    body->addLayout(line);
    body->addWidget(m_problem);
    m_problem->setMinimumHeight(2 * QFontMetrics(Theme::small()).height());
    m_problem->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_field->setAccessibleName(tr("Name"));
    m_field->selectAll();
    layout->addLayout(body);
    layout->addWidget(new Hairline(Qt::Horizontal, this));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(spacing::pageHorizontal, 12, spacing::pageHorizontal, 12);
    bar->setSpacing(spacing::grid); // else that of the layout around it: none
    bar->addStretch();
    auto* cancel = normalButton(tr("Cancel"), {}, this);
    bar->addWidget(cancel);
    bar->addWidget(m_accept);
    layout->addLayout(bar);
    setMinimumWidth(480);
    connect(m_field, &QLineEdit::textChanged, this, &NameDialog::check);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_accept, &QPushButton::clicked, this, [this] {
        const QString name = m_field->text().trimmed();
        accept();
        Q_EMIT chosen(name);
    });
    m_field->setFocus();
    check();
}

QString NameDialog::problem() const {
    return m_problem->text();
}

void NameDialog::check() {
    const QString text = m_field->text().trimmed();
    const QString problem = machineNameProblem(text, m_isTaken);
    m_problem->setText(problem);
    m_problem->setTone(problem.isEmpty() ? TextTone::Secondary : TextTone::Error);
    m_accept->setEnabled(problem.isEmpty());
    m_field->setProperty(property::invalid, !problem.isEmpty() && !text.isEmpty());
    m_field->setAccessibleDescription(problem);
    m_field->update();
}

} // namespace vitrine::ui
