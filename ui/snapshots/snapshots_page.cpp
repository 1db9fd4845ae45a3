// SPDX-License-Identifier: Apache-2.0
#include "ui/snapshots/snapshots_page.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "core/snapshot/uncovered_disks.h"
#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"
#include "ui/snapshots/snapshot_dialog.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/reason_label.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int sideWidth = 264;
const QString jobKind = QStringLiteral("snapshot");

} // namespace

SnapshotsPage::SnapshotsPage(const Services& services, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_message(new MessageBar(this))
    , m_stack(new QStackedWidget(this))
    , m_list(new SnapshotList(this))
    , m_name(new TextLabel({}, TextSize::Heading, TextTone::Text, this))
    , m_facts(new TextLabel({}, TextSize::Body, TextTone::Secondary, this))
    , m_take(normalButton(tr("Take Snapshot…"), u"snapshot", this))
    , m_restore(normalButton(tr("Go Back to It…"), u"undo", this))
    , m_branch(normalButton(tr("New Machine from It…"), u"branch", this))
    , m_delete(normalButton(tr("Delete…"), u"trash", this))
    , m_reason(new ReasonLabel(this))
    , m_automatic(new QCheckBox(tr("Take one before risky changes"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_message);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(
        spacing::pageHorizontal, spacing::pageVertical, spacing::pageHorizontal, spacing::grid);
    head->setSpacing(spacing::block);
    head->addWidget(m_take);
    head->addWidget(m_automatic);
    head->addStretch();
    layout->addLayout(head);
    m_automatic->setToolTip(
        tr("Before going back to another snapshot, before the hardware of a machine that is off is "
           "changed, before its disk grows, and before a saved state is discarded."));
    auto* content = new QWidget(this);
    auto* columns = new QHBoxLayout(content);
    columns->setContentsMargins(spacing::block, 0, spacing::pageHorizontal, spacing::pageVertical);
    columns->setSpacing(spacing::block);
    columns->addWidget(m_list, 1);
    columns->addWidget(new Hairline(Qt::Vertical, content));
    columns->addWidget(buildSide());
    m_stack->addWidget(content);
    m_stack->addWidget(buildEmpty());
    layout->addWidget(m_stack, 1);

    connect(m_list, &SnapshotList::selectionMoved, this, &SnapshotsPage::updateVerbs);
    connect(m_take, &QPushButton::clicked, this, &SnapshotsPage::takeSnapshot);
    const auto asks = [this](QPushButton* button, auto signal) {
        connect(button, &QPushButton::clicked, this, [this, signal] {
            if (const Snapshot* snapshot = chosen())
                Q_EMIT(this->*signal)(m_info, *snapshot);
        });
    };
    asks(m_restore, &SnapshotsPage::restoreRequested);
    asks(m_branch, &SnapshotsPage::branchRequested);
    asks(m_delete, &SnapshotsPage::deleteRequested);
    connect(m_automatic, &QCheckBox::clicked, this, [this](bool automatic) {
        inBackground(
            this,
            [directory = m_info.directory, automatic] {
                return setAutomaticSnapshots(directory, automatic);
            },
            [this](const Result<>& stored) {
                if (!stored)
                    m_message->showError(stored.error());
                read();
            });
    });
    connect(m_services.clients, &MachineClients::statusChanged, this, [this](const QString& name) {
        if (name == m_info.name)
            updateVerbs();
    });
    updateVerbs();
}

QWidget* SnapshotsPage::buildSide() {
    auto* side = new QWidget(this);
    side->setFixedWidth(sideWidth);
    auto* layout = new QVBoxLayout(side);
    layout->setContentsMargins(0, spacing::grid, 0, 0);
    layout->setSpacing(spacing::grid);
    m_name->setWordWrap(true);
    m_facts->setWordWrap(true);
    m_facts->makeSelectable();
    layout->addWidget(m_name);
    layout->addWidget(m_facts);
    layout->addSpacing(spacing::grid);
    for (QPushButton* button : {m_restore, m_branch, m_delete})
        layout->addWidget(button);
    layout->addWidget(m_reason);
    layout->addStretch();
    return side;
}

QWidget* SnapshotsPage::buildEmpty() {
    auto* page = new QWidget(this);
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(spacing::pageHorizontal,
                               spacing::pageVertical,
                               spacing::pageHorizontal,
                               spacing::pageVertical);
    layout->addWidget(
        new TextLabel(tr("No snapshots yet"), TextSize::Heading, TextTone::Text, page));
    auto* text = new TextLabel(
        tr("A snapshot keeps the disk, the settings and, of a running machine, the memory. You can "
           "go back to it at any time, or make a new machine from it."),
        TextSize::Body,
        TextTone::Secondary,
        page);
    text->setWordWrap(true);
    layout->addWidget(text);
    layout->addStretch();
    return page;
}

bool SnapshotsPage::isEmptyShown() const {
    return m_stack->currentIndex() == 1;
}

void SnapshotsPage::showMachine(const MachineInfo& info) {
    const bool other = info.directory != m_info.directory;
    const bool changed = other || info.state != m_info.state;
    m_info = info;
    if (other) {
        m_known = false;
        m_view = {};
        m_list->show(m_view);
        m_message->clear();
    }
    if (changed && isVisible())
        read();
    updateVerbs();
}

void SnapshotsPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    read();
}

void SnapshotsPage::read() {
    if (m_info.directory.isEmpty())
        return;
    inBackground(
        this,
        [directory = m_info.directory] {
            return std::pair(directory, readSnapshotView(directory));
        },
        [this](const std::pair<QString, Result<SnapshotView>>& found) {
            if (found.first != m_info.directory)
                return;
            if (!found.second) {
                m_message->showError(found.second.error(), tr("The snapshots cannot be read."));
                return;
            }
            m_known = true;
            m_view = *found.second;
            m_list->show(m_view);
            m_automatic->setChecked(m_view.automatic);
            m_stack->setCurrentIndex(m_view.tree.all().isEmpty() ? 1 : 0);
            updateVerbs();
        });
}

const Snapshot* SnapshotsPage::chosen() const {
    return m_view.tree.find(m_list->selectedId());
}

bool SnapshotsPage::isStopped() const {
    return m_info.state == MachineState::Stopped || m_info.state == MachineState::Suspended;
}

bool SnapshotsPage::isWorking() const {
    for (int row = 0; row < m_services.jobs->rowCount(); ++row) {
        const Job* job = m_services.jobs->jobAt(row);
        if (job->kind() == jobKind && job->title() == m_info.name && !job->isFinished())
            return true;
    }
    return false;
}

void SnapshotsPage::updateVerbs() {
    const Snapshot* snapshot = chosen();
    const bool working = isWorking();
    const QString busy = tr("Other work on the snapshots of this machine is under way.");
    const bool running =
        m_info.state == MachineState::Running || m_info.state == MachineState::Paused;
    QString cannotTake;
    if (working)
        cannotTake = busy;
    else if (!isStopped() && !running)
        cannotTake = tr("The machine is %1. Wait a moment.").arg(toText(m_info.state).toLower());
    else if (running && m_services.clients->status(m_info.name) == nullptr)
        cannotTake = tr("The process of \"%1\" does not answer. Wait a moment.").arg(m_info.name);
    m_take->setEnabled(m_known && cannotTake.isEmpty());
    m_take->setToolTip(cannotTake);
    m_take->setAccessibleDescription(cannotTake);
    m_automatic->setEnabled(m_known);

    const bool usable = snapshot != nullptr && !working;
    const QString notNow = working               ? busy
                           : snapshot == nullptr ? tr("Choose a snapshot in the list.")
                                                 : QString();
    const QString cannotRestore =
        !notNow.isEmpty() ? notNow
        : isStopped()     ? QString()
                          : tr("Shut the machine down or suspend it to go back to a snapshot.");
    m_restore->setEnabled(usable && isStopped());
    m_restore->setAccessibleDescription(cannotRestore);
    for (QPushButton* button : {m_branch, m_delete}) {
        button->setEnabled(usable);
        button->setAccessibleDescription(notNow);
    }
    m_reason->setReason(cannotRestore);
    m_name->setText(snapshot != nullptr ? snapshot->name : QString());
    if (snapshot == nullptr) {
        m_facts->setText({});
        return;
    }
    const SnapshotSize size = m_view.sizes.value(snapshot->id);
    QStringList lines{
        QLocale().toString(snapshot->created.toLocalTime(), QLocale::LongFormat),
        kindText(*snapshot),
        tr("%1, of which %2 only here").arg(size.allocated.toText(), size.exclusive.toText())};
    if (snapshot->automatic)
        lines << tr("Taken automatically");
    if (!snapshot->otherDisks.isEmpty())
        lines << notGoingBack(snapshot->otherDisks);
    if (snapshot->id == m_view.tree.current())
        lines << tr("The machine goes on from here.");
    m_facts->setText(lines.join(QLatin1Char('\n')));
}

void SnapshotsPage::takeSnapshot() {
    if (!m_take->isEnabled())
        return;
    SnapshotDialog::Facts facts;
    facts.machine = m_info.name;
    facts.suggestion = freeSnapshotName(m_view.tree);
    facts.cost = m_view.cost.bytes() > 0 ? m_view.cost.toText() : QString();
    facts.running = !isStopped();
    facts.suspended = m_info.state == MachineState::Suspended;
    facts.otherDisks = m_view.otherDisks;
    auto* dialog = new SnapshotDialog(facts, window());
    connect(dialog, &SnapshotDialog::chosen, this, [this](const QString& name, bool memory) {
        QStringList words;
        if (!isStopped() && !memory)
            words << QStringLiteral("--disk-only");
        words << QStringLiteral("--") << m_info.name << QStringLiteral("create") << name;
        work(m_info.name, tr("Snapshot %1").arg(name), words, tr("No snapshot was taken."));
    });
    dialog->open();
}

void SnapshotsPage::startRestore(const Snapshot& snapshot, bool saveCurrent) {
    const QStringList words{saveCurrent ? QStringLiteral("--save-current")
                                        : QStringLiteral("--discard-state"),
                            QStringLiteral("--"),
                            m_info.name,
                            QStringLiteral("restore"),
                            snapshot.id};
    work(m_info.name,
         tr("Going back to %1").arg(snapshot.name),
         words,
         tr("The machine was not changed."));
}

void SnapshotsPage::startRemove(const Snapshot& snapshot) {
    work(m_info.name,
         tr("Deleting %1").arg(snapshot.name),
         {QStringLiteral("--"), m_info.name, QStringLiteral("delete"), snapshot.id},
         tr("The snapshot was not deleted."));
}

void SnapshotsPage::work(const QString& title,
                         const QString& subtitle,
                         const QStringList& words,
                         const QString& failure) {
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), m_services.library->library().home());
    auto job = std::make_unique<Job>(jobKind,
                                     title,
                                     subtitle,
                                     childWork(vitrinectlPath(),
                                               QStringList{QStringLiteral("snapshot"),
                                                           QStringLiteral("--progress"),
                                                           QStringLiteral("json")} +
                                                   words,
                                               environment));
    Job* record = job.get();
    m_message->clear();
    connect(record, &Job::finished, this, [this, record, title, failure] {
        m_services.library->refresh();
        if (title != m_info.name)
            return;
        if (record->state() == Job::State::Failed)
            m_message->showError(record->error(), failure);
        read();
        updateVerbs();
    });
    m_services.jobs->add(std::move(job));
    updateVerbs();
}

} // namespace vitrine::ui
