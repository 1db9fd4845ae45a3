// SPDX-License-Identifier: Apache-2.0
#include "ui/kernel/kernel_targets_view.h"

#include "ui/widgets/buttons.h"
#include "ui/widgets/text_label.h"

#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr qsizetype keptOutput = 64 * 1024; // bytes of each stream of a target
const QString fileKey = QStringLiteral("kernelRuns/targets");

} // namespace

KernelTargetsView::KernelTargetsView(QWidget* parent)
    : QWidget(parent)
    , m_file(new QLineEdit(this))
    , m_open(normalButton(tr("Open…"), u"folder", this))
    , m_again(normalButton(tr("Read Again"), u"retry", this))
    , m_table(new QTableWidget(this))
    , m_help(helpLabel(tr("A TOML file with one [[target]] for each run: name, kernel, command and "
                          "what else docs/kernel-runs.md lists."),
                       this)) {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::grid);
    auto* const line = new QHBoxLayout;
    line->setSpacing(spacing::grid);
    auto* const label = new TextLabel(tr("Targets"), TextSize::Body, TextTone::Text, this);
    label->setBuddy(m_file);
    m_file->setReadOnly(true);
    m_file->setAccessibleName(tr("File with the targets"));
    m_file->setPlaceholderText(tr("No file is open"));
    line->addWidget(label);
    line->addWidget(m_file, 1);
    line->addWidget(m_open);
    line->addWidget(m_again);
    layout->addLayout(line);
    layout->addWidget(m_help);
    m_table->setColumnCount(4);
    m_table->setHorizontalHeaderLabels({tr("Target"), tr("Result"), tr("Time"), tr("Why")});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(spacing::tableRow);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setAccessibleName(tr("Targets"));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setColumnWidth(NameColumn, 180);
    m_table->setColumnWidth(ResultColumn, 100);
    m_table->setColumnWidth(TimeColumn, 80);
    m_table->setMinimumHeight(5 * spacing::tableRow);
    layout->addWidget(m_table, 1);
    connect(m_open, &QPushButton::clicked, this, &KernelTargetsView::choose);
    connect(m_again, &QPushButton::clicked, this, [this] { setFile(file()); });
    connect(
        m_table, &QTableWidget::itemSelectionChanged, this, &KernelTargetsView::selectionChanged);
    // Never lower than the wrapped help and the table need.
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::MinimumExpanding);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_file->setText(QSettings().value(fileKey).toString());
    setLocked(false);
}

QString KernelTargetsView::file() const {
    return m_file->text();
}

void KernelTargetsView::choose() {
    auto* const dialog = new QFileDialog(this, tr("Open a List of Targets"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters({tr("Lists of targets (*.toml)"), tr("All files (*)")});
    if (!file().isEmpty())
        dialog->setDirectory(QFileInfo(file()).path());
    connect(dialog, &QFileDialog::fileSelected, this, &KernelTargetsView::setFile);
    dialog->open();
}

void KernelTargetsView::setFile(const QString& path) {
    m_file->setText(path);
    QSettings().setValue(fileKey, path);
    showTargets({});
    setLocked(false);
    Q_EMIT fileChosen(path);
}

void KernelTargetsView::showTargets(const QList<KernelTarget>& targets) {
    m_targets = targets;
    m_outcomes.clear();
    m_outcomes.resize(targets.size());
    m_table->setRowCount(0);
    m_table->setRowCount(static_cast<int>(targets.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        for (int column = 0; column < m_table->columnCount(); ++column)
            m_table->setItem(row, column, new QTableWidgetItem);
        const KernelTarget& target = targets.at(row);
        QTableWidgetItem* const name = m_table->item(row, NameColumn);
        name->setText(target.name);
        name->setToolTip(
            QStringLiteral("%1\n%2").arg(target.kernel, target.command).toHtmlEscaped());
        forget(row);
    }
    Q_EMIT selectionChanged();
}

QList<int> KernelTargetsView::selectedRows() const {
    QList<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows.append(index.row());
    std::sort(rows.begin(), rows.end());
    return rows;
}

void KernelTargetsView::setRow(
    int row, Glyph glyph, const QString& word, const QString& time, const QString& why) {
    QTableWidgetItem* const result = m_table->item(row, ResultColumn);
    result->setText(word);
    result->setIcon(glyphPixmap(glyph));
    result->setData(Qt::UserRole, static_cast<int>(glyph));
    m_table->item(row, TimeColumn)->setText(time);
    QTableWidgetItem* const reason = m_table->item(row, ReasonColumn);
    reason->setText(why.simplified());
    reason->setToolTip(why.toHtmlEscaped());
}

// The shapes are painted in the colours of the scheme.
void KernelTargetsView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() != QEvent::PaletteChange)
        return;
    for (int row = 0; row < m_table->rowCount(); ++row) {
        QTableWidgetItem* const result = m_table->item(row, ResultColumn);
        result->setIcon(glyphPixmap(static_cast<Glyph>(result->data(Qt::UserRole).toInt())));
    }
}

void KernelTargetsView::setWaiting(int row) {
    m_outcomes[row].reset();
    setRow(row, Glyph::Waiting, tr("waiting"), {}, {});
}

void KernelTargetsView::setRunning(int row) {
    setRow(row, Glyph::Running, tr("running"), {}, {});
}

void KernelTargetsView::forget(int row) {
    m_outcomes[row].reset();
    setRow(row, Glyph::Stopped, tr("not run"), {}, {});
}

void KernelTargetsView::setOutcome(int row, const KernelTargetOutcome& outcome) {
    m_outcomes[row] = outcome;
    m_outcomes[row]->output = outcome.output.right(keptOutput);
    m_outcomes[row]->errors = outcome.errors.right(keptOutput);
    const QString time = secondsText(outcome.result.seconds);
    switch (outcome.result.state) {
    case KernelResult::State::Passed:
        setRow(row, Glyph::Done, tr("pass"), time, {});
        break;
    case KernelResult::State::Failed:
        setRow(row,
               Glyph::Broken,
               tr("fail"),
               time,
               tr("The command ended with exit code %1.").arg(outcome.result.exitCode));
        break;
    case KernelResult::State::NotRun:
        setRow(row, Glyph::Broken, tr("error"), time, outcome.result.reason);
        break;
    case KernelResult::State::Stopped:
        setRow(row, Glyph::Stopped, tr("stopped"), time, {});
        break;
    }
}

const KernelTargetOutcome* KernelTargetsView::outcome(int row) const {
    return row >= 0 && row < m_outcomes.size() && m_outcomes.at(row) ? &*m_outcomes.at(row)
                                                                     : nullptr;
}

void KernelTargetsView::setLocked(bool locked) {
    m_open->setEnabled(!locked);
    m_again->setEnabled(!locked && !file().isEmpty());
}

} // namespace vitrine::ui
