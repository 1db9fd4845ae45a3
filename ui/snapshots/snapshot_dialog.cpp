// SPDX-License-Identifier: Apache-2.0
#include "ui/snapshots/snapshot_dialog.h"

#include "core/snapshot/uncovered_disks.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {
constexpr int longestName = 200;
} // namespace

SnapshotDialog::SnapshotDialog(const Facts& facts, QWidget* parent)
    : QDialog(parent)
    , m_facts(facts)
    , m_field(new QLineEdit(facts.suggestion, this))
    , m_memory(new QCheckBox(tr("Keep the memory too"), this))
    , m_explanation(helpLabel({}, this))
    , m_accept(primaryButton(tr("Take Snapshot"), {}, this)) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowModality(Qt::WindowModal);
    setWindowTitle(tr("Take a Snapshot of \"%1\"").arg(facts.machine));
    setBackgroundRole(QPalette::Base);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* body = new QVBoxLayout;
    body->setContentsMargins(
        spacing::pageHorizontal, spacing::block, spacing::pageHorizontal, spacing::block);
    body->setSpacing(spacing::grid);
    auto* line = new QHBoxLayout;
    line->setSpacing(spacing::block);
    auto* label = new TextLabel(tr("Name"), TextSize::Body, TextTone::Text, this);
    label->setBuddy(m_field);
    line->addWidget(label);
    line->addWidget(m_field, 1);
    body->addLayout(line);
    body->addWidget(m_memory);
    body->addWidget(m_explanation);
    m_field->setAccessibleName(tr("Name"));
    m_field->setMaxLength(longestName);
    m_field->selectAll();
    m_memory->setChecked(facts.running && facts.otherDisks.isEmpty());
    m_memory->setEnabled(facts.otherDisks.isEmpty());
    if (!m_memory->isEnabled())
        m_memory->setAccessibleDescription(
            tr("The guest also writes to a disk that is no part of snapshots: it would not fit the "
               "memory."));
    m_memory->setToolTip(m_memory->accessibleDescription());
    m_memory->setVisible(facts.running);
    m_explanation->setMinimumHeight(3 * QFontMetrics(Theme::small()).height());
    m_explanation->setAlignment(Qt::AlignTop | Qt::AlignLeft);
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
    connect(m_field, &QLineEdit::textChanged, this, &SnapshotDialog::check);
    connect(m_memory, &QCheckBox::toggled, this, &SnapshotDialog::explain);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_accept, &QPushButton::clicked, this, [this] {
        const QString name = m_field->text().simplified();
        const bool memory = m_memory->isChecked();
        accept();
        Q_EMIT chosen(name, memory);
    });
    m_field->setFocus();
    check();
    explain();
}

void SnapshotDialog::check() {
    m_accept->setEnabled(!m_field->text().simplified().isEmpty());
}

void SnapshotDialog::explain() {
    QStringList sentences;
    if (m_facts.suspended)
        sentences << tr("The saved memory is kept too: going back to it resumes the guest there.");
    else if (!m_facts.running)
        sentences << tr("Going back to it makes the disk and the settings as they are now.");
    else if (m_memory->isChecked())
        sentences << tr("The guest pauses while its memory is written. Going back to it resumes "
                        "the guest exactly here.");
    else
        sentences << tr("The guest is asked to bring its file systems in order. Going back to it "
                        "boots the guest with this disk.");
    sentences
        << (m_facts.cost.isEmpty()
                ? tr("The disk takes no further space until it changes.")
                : tr("This copies %1: the file system cannot share blocks.").arg(m_facts.cost));
    if (!m_facts.otherDisks.isEmpty()) {
        sentences << notInSnapshot(m_facts.otherDisks);
        if (m_facts.running)
            sentences << tr("So the memory cannot be kept.");
    }
    m_explanation->setText(sentences.join(QLatin1Char(' ')));
}

} // namespace vitrine::ui
