// SPDX-License-Identifier: Apache-2.0
#include "ui/kernel/kernel_page.h"

#include "ui/kernel/kernel_form.h"
#include "ui/kernel/kernel_output.h"
#include "ui/kernel/kernel_targets_view.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/command_row.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QTabBar>
#include <QTimer>
#include <QVBoxLayout>

#include <utility>

namespace vitrine::ui {

namespace {

constexpr int tick = 500; // ms between two tellings of the time
constexpr int leastOutput = 160;

} // namespace

KernelPage::KernelPage(QWidget* parent)
    : QWidget(parent)
    , m_child(new KernelChild(this))
    , m_message(new MessageBar(this))
    , m_tabs(new QTabBar(this))
    , m_area(new QScrollArea(this))
    , m_form(new KernelForm(this))
    , m_targets(new KernelTargetsView(this))
    , m_run(primaryButton(tr("Run"), u"start", this))
    , m_runSelected(normalButton(tr("Run Selected"), {}, this))
    , m_stop(normalButton(tr("Stop"), {}, this))
    , m_glyph(new GlyphLabel(this))
    , m_status(new TextLabel({}, TextSize::Body, TextTone::Secondary, this))
    , m_outputTitle(sectionHeading(tr("Output"), this))
    , m_cutNote(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_output(new KernelOutput(this))
    , m_command(new CommandRow(this))
    , m_tick(new QTimer(this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    build();
    m_tick->setInterval(tick);
    connect(m_tick, &QTimer::timeout, this, &KernelPage::update);
    connect(m_child, &KernelChild::output, this, [this](const QByteArray& bytes) {
        m_output->add(KernelOutput::Stream::Output, bytes);
    });
    connect(m_child, &KernelChild::errors, this, [this](const QByteArray& bytes) {
        m_output->add(KernelOutput::Stream::Errors, bytes);
    });
    connect(m_child, &KernelChild::finished, this, &KernelPage::finished);
    connect(m_output, &KernelOutput::cutChanged, m_cutNote, &QWidget::setVisible);
    connect(m_form, &KernelForm::changed, this, &KernelPage::update);
    connect(m_form, &KernelForm::runWanted, this, &KernelPage::run);
    connect(m_targets, &KernelTargetsView::fileChosen, this, &KernelPage::readList);
    connect(m_targets, &KernelTargetsView::selectionChanged, this, [this] {
        showTargetOutput();
        update();
    });
    connect(m_run, &QPushButton::clicked, this, &KernelPage::run);
    connect(m_runSelected, &QPushButton::clicked, this, &KernelPage::runSelected);
    connect(m_stop, &QPushButton::clicked, this, &KernelPage::stop);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        m_form->setVisible(index == static_cast<int>(Tab::Command));
        m_targets->setVisible(index == static_cast<int>(Tab::List));
        update();
    });
    m_targets->hide();
    update();
}

void KernelPage::build() {
    auto* const layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    auto* const header = new QHBoxLayout;
    header->setContentsMargins(spacing::pageHorizontal, spacing::grid, spacing::pageHorizontal, 0);
    header->addWidget(new TextLabel(tr("Kernel Runs"), TextSize::PageTitle, TextTone::Text, this));
    header->addSpacing(spacing::column);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setFocusPolicy(Qt::TabFocus);
    m_tabs->addTab(tr("One Command"));
    m_tabs->addTab(tr("List of Targets"));
    m_tabs->setAccessibleName(tr("Kinds of kernel runs"));
    header->addWidget(m_tabs);
    header->addStretch();
    layout->addLayout(header);
    layout->addWidget(new Hairline(Qt::Horizontal, this));
    layout->addWidget(m_message);

    auto* const area = m_area;
    area->setFrameShape(QFrame::NoFrame);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    area->setBackgroundRole(QPalette::Base);
    auto* const content = new QWidget(area);
    content->setBackgroundRole(QPalette::Base);
    auto* const column = new QVBoxLayout(content);
    column->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    column->setSpacing(spacing::grid);
    column->addWidget(m_form);
    column->addWidget(m_targets, 1);
    auto* const actions = new QHBoxLayout;
    actions->setSpacing(spacing::grid);
    actions->addWidget(m_run);
    actions->addWidget(m_runSelected);
    actions->addWidget(m_stop);
    actions->addSpacing(spacing::grid);
    actions->addWidget(m_glyph);
    m_status->setWordWrap(true);
    actions->addWidget(m_status, 1);
    column->addLayout(actions);
    auto* const title = new QHBoxLayout;
    title->addWidget(m_outputTitle);
    title->addStretch();
    m_cutNote->setText(tr("Only the last %L1 lines are kept.").arg(KernelOutput::mostLines));
    m_cutNote->hide();
    title->addWidget(m_cutNote);
    column->addLayout(title);
    m_output->setMinimumHeight(leastOutput);
    m_output->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Ignored);
    column->addWidget(m_output, 1);
    area->setWidget(content);
    layout->addWidget(area, 1);
    layout->addWidget(new Hairline(Qt::Horizontal, this));
    layout->addWidget(m_command);
    m_glyph->hide();
}

void KernelPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(m_shown, true))
        return;
    m_form->proposeKernel();
    if (!m_targets->file().isEmpty())
        readList(m_targets->file());
}

KernelPage::Tab KernelPage::tab() const {
    return static_cast<Tab>(m_tabs->currentIndex());
}

void KernelPage::showTab(Tab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

bool KernelPage::isRunning() const {
    return m_work != Work::None;
}

QStringList KernelPage::words() const {
    if (tab() == Tab::Command)
        return m_form->words();
    QStringList words{QStringLiteral("run"), QStringLiteral("--config=") + m_targets->file()};
    const QList<int> rows = m_targets->selectedRows();
    if (rows.size() < m_targets->targets().size()) {
        for (const int row : rows)
            words << QStringLiteral("--target=") + m_targets->targets().at(row).name;
    }
    return words;
}

QString KernelPage::whyNot() const {
    if (tab() == Tab::Command)
        return m_form->whyNot();
    if (m_targets->file().isEmpty())
        return tr("Open a file with targets first.");
    if (m_targets->targets().isEmpty())
        return tr("No targets have been read.");
    return {};
}

void KernelPage::update() {
    const bool list = tab() == Tab::List;
    const bool busy = isRunning();
    const QString reason = whyNot();
    m_run->setText(list ? tr("Run All") : tr("Run"));
    m_run->setEnabled(!busy && reason.isEmpty());
    m_run->setAccessibleDescription(reason);
    m_run->setToolTip(reason);
    m_runSelected->setVisible(list);
    m_runSelected->setEnabled(!busy && reason.isEmpty() && !m_targets->selectedRows().isEmpty());
    m_stop->setEnabled(busy && m_work != Work::ReadList && !m_stopping);
    m_form->setLocked(busy);
    m_targets->setLocked(busy);
    m_command->setVisible(!list || !m_targets->file().isEmpty());
    m_command->setCommand(kernelCommandLine(QStringList{QStringLiteral("kernel")} + words()));
    const QString time = secondsText(static_cast<int>(m_child->seconds()));
    if (m_stopping) {
        m_status->setText(tr("Stopping"));
    } else if (m_work == Work::Command) {
        m_status->setText(tr("Running for %1").arg(time));
    } else if (m_work == Work::Target) {
        m_status->setText(tr("\"%1\" runs for %2").arg(m_targets->targets().at(m_row).name, time));
    } else if (!reason.isEmpty()) {
        m_status->setText(reason);
    } else if (m_glyph->isHidden()) {
        m_status->setText({});
    }
    if (busy || !reason.isEmpty())
        m_glyph->hide();
    if (busy && !m_tick->isActive())
        m_tick->start();
    else if (!busy)
        m_tick->stop();
}

void KernelPage::run() {
    if (!m_run->isEnabled())
        return;
    if (tab() == Tab::List) {
        QList<int> rows;
        for (int row = 0; row < m_targets->targets().size(); ++row)
            rows.append(row);
        runRows(rows);
        return;
    }
    m_message->clear();
    m_form->remember();
    m_output->reset();
    m_outputTitle->setText(tr("Output"));
    m_work = Work::Command;
    m_stopping = false;
    // What its notes say, the page says: standard error is the command's.
    QStringList words = m_form->words();
    words.insert(1, QStringLiteral("--quiet"));
    m_child->run(words);
    update();
    m_area->ensureWidgetVisible(m_output, 0, spacing::pageVertical);
}

void KernelPage::runSelected() {
    if (m_runSelected->isEnabled())
        runRows(m_targets->selectedRows());
}

void KernelPage::runRows(const QList<int>& rows) {
    m_message->clear();
    m_queue = rows;
    m_listEnd = 0;
    m_listFailed = 0;
    m_stopping = false;
    for (const int row : rows)
        m_targets->setWaiting(row);
    runNext();
}

void KernelPage::runNext() {
    if (m_queue.isEmpty() || m_stopping) {
        for (const int row : std::as_const(m_queue))
            m_targets->forget(row);
        m_queue.clear();
        m_row = -1;
        m_work = Work::None;
        const int passed = m_listEnd - m_listFailed;
        const QString text = tr("%1 of %2 passed.").arg(passed).arg(m_listEnd);
        tellEnd(m_listFailed > 0 ? Glyph::Broken
                : m_stopping     ? Glyph::Stopped
                                 : Glyph::Done,
                m_stopping ? tr("Stopped. %1").arg(text) : text);
        m_stopping = false;
        update();
        return;
    }
    m_row = m_queue.takeFirst();
    m_work = Work::Target;
    m_targets->setRunning(m_row);
    m_child->ask({QStringLiteral("run"),
                  QStringLiteral("--config=") + m_targets->file(),
                  QStringLiteral("--target=") + m_targets->targets().at(m_row).name,
                  QStringLiteral("--format=json"),
                  QStringLiteral("--quiet")});
    update();
}

void KernelPage::stop() {
    if (!isRunning())
        return;
    m_stopping = true;
    m_child->stop();
    update();
}

void KernelPage::readList(const QString& path) {
    if (isRunning())
        return;
    m_message->clear();
    m_work = Work::ReadList;
    m_child->ask({QStringLiteral("list"),
                  QStringLiteral("--config=") + path,
                  QStringLiteral("--format=json")});
    update();
}

void KernelPage::finished(const KernelResult& result) {
    switch (std::exchange(m_work, Work::None)) {
    case Work::Command:
        commandFinished(result);
        break;
    case Work::ReadList:
        listRead();
        break;
    case Work::Target:
        targetFinished(result);
        break;
    case Work::None:
        break;
    }
    update();
}

void KernelPage::commandFinished(const KernelResult& result) {
    m_output->flush();
    m_stopping = false;
    switch (result.state) {
    case KernelResult::State::Passed:
        tellEnd(Glyph::Done, resultText(result));
        break;
    case KernelResult::State::Failed:
        tellEnd(Glyph::Broken, resultText(result));
        break;
    case KernelResult::State::Stopped:
        tellEnd(Glyph::Stopped, resultText(result));
        break;
    case KernelResult::State::NotRun:
        tellEnd(Glyph::Broken, resultText(result));
        m_message->showError({Error::Kind::Internal, result.reason, {}},
                             tr("The command did not run to its end."));
        break;
    }
}

void KernelPage::listRead() {
    const auto targets = targetsFromJson(m_child->answer());
    if (targets) {
        m_targets->showTargets(*targets);
        return;
    }
    const QString complaint = m_child->complaint();
    m_message->showError(complaint.isEmpty() ? targets.error()
                                             : Error{Error::Kind::Internal, complaint, {}},
                         tr("The targets cannot be read."));
}

void KernelPage::targetFinished(const KernelResult& result) {
    KernelTargetOutcome outcome;
    if (const auto told = outcomeFromJson(m_child->answer()))
        outcome = *told;
    else
        outcome.result = result;
    if (m_stopping && outcome.result.exitCode < 0)
        outcome.result.state = KernelResult::State::Stopped;
    else
        ++m_listEnd;
    if (outcome.result.state == KernelResult::State::Failed ||
        outcome.result.state == KernelResult::State::NotRun)
        ++m_listFailed;
    m_targets->setOutcome(m_row, outcome);
    const QList<int> selected = m_targets->selectedRows();
    if (selected.isEmpty() || selected.contains(m_row))
        showTargetOutput();
    runNext();
}

void KernelPage::tellEnd(Glyph glyph, const QString& text) {
    m_glyph->setGlyph(glyph);
    m_glyph->show();
    m_status->setText(text);
}

// Of the first selected target, or of the one that ran last.
void KernelPage::showTargetOutput() {
    const QList<int> selected = m_targets->selectedRows();
    const int row = selected.isEmpty() ? m_row : selected.first();
    const KernelTargetOutcome* const outcome = m_targets->outcome(row);
    if (outcome == nullptr || m_work == Work::Command)
        return;
    m_output->reset();
    m_outputTitle->setText(tr("Output of \"%1\"").arg(m_targets->targets().at(row).name));
    m_output->add(KernelOutput::Stream::Output, outcome->output);
    m_output->add(KernelOutput::Stream::Errors, outcome->errors);
    m_output->add(KernelOutput::Stream::Errors, outcome->result.reason.toUtf8());
    m_output->flush();
}

} // namespace vitrine::ui
