// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/snapshot_verbs.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "core/snapshot/uncovered_disks.h"
#include "ui/shell/name_dialog.h"
#include "ui/shell/question.h"
#include "ui/snapshots/snapshots_page.h"
#include "ui/widgets/message_bar.h"

namespace vitrine::ui {

SnapshotVerbs::SnapshotVerbs(const Services& services, SnapshotsPage* page)
    : QObject(page)
    , m_services(services)
    , m_page(page) {
    connect(page, &SnapshotsPage::restoreRequested, this, &SnapshotVerbs::restore);
    connect(page,
            &SnapshotsPage::deleteRequested,
            this,
            [this](const MachineInfo&, const Snapshot& snapshot) { remove(snapshot); });
    connect(page, &SnapshotsPage::branchRequested, this, &SnapshotVerbs::branch);
}

void SnapshotVerbs::restore(const MachineInfo& machine, const Snapshot& snapshot) {
    const auto start = [this, snapshot](bool saveCurrent) {
        return [this, snapshot, saveCurrent] { m_page->startRestore(snapshot, saveCurrent); };
    };
    QString lost =
        (machine.state == MachineState::Suspended
             ? tr("Disk, settings and the saved memory of \"%1\" become those of the snapshot. "
                  "What it has now is lost unless it is kept as a snapshot first.")
             : tr("Disk and settings of \"%1\" become those of the snapshot. What it has now is "
                  "lost unless it is kept as a snapshot first."))
            .arg(machine.name);
    if (!snapshot.otherDisks.isEmpty())
        lost += QLatin1Char(' ') + notGoingBack(snapshot.otherDisks);
    auto* question =
        new Question(tr("Go back to \"%1\"?").arg(snapshot.name),
                     lost,
                     {},
                     {{tr("Go Back"), Question::Look::Destructive, start(false), false},
                      {tr("Cancel"), Question::Look::Normal, {}, true},
                      {tr("Keep and Go Back"), Question::Look::Primary, start(true), false}},
                     m_page->window());
    question->open();
}

void SnapshotVerbs::remove(const Snapshot& snapshot) {
    const ByteCount size = m_page->view().sizes.value(snapshot.id).exclusive;
    const bool hasChildren = !m_page->view().tree.childrenOf(snapshot.id).isEmpty();
    QString text = tr("%1 become free. This cannot be undone.").arg(size.toText());
    if (hasChildren)
        text += QLatin1Char(' ') + tr("The snapshots below it stay and lose nothing.");
    auto* question = new Question(tr("Delete the snapshot \"%1\"?").arg(snapshot.name),
                                  text,
                                  {},
                                  {{tr("Delete"),
                                    Question::Look::Destructive,
                                    [this, snapshot] { m_page->startRemove(snapshot); },
                                    false},
                                   {tr("Cancel"), Question::Look::Normal, {}, true}},
                                  m_page->window());
    question->open();
}

void SnapshotVerbs::branch(const MachineInfo& machine, const Snapshot& snapshot) {
    const auto taken = [this](const QString& name) {
        const MachineInfo* info = m_services.library->infoAt(m_services.library->rowOf(name));
        return info != nullptr && !info->isImage;
    };
    auto* dialog = new NameDialog(
        {tr("New Machine from \"%1\"").arg(snapshot.name),
         snapshot.withMemory
             ? tr("It goes on where \"%1\" was when the snapshot was taken, with the same network "
                  "address. It shares the snapshot's blocks where the file system can.")
                   .arg(machine.name)
             : tr("It gets a network address of its own and shares the snapshot's blocks where the "
                  "file system can."),
         tr("Make Machine")},
        freeName(machine.name, taken),
        taken,
        m_page->window());
    connect(dialog,
            &NameDialog::chosen,
            this,
            [this, name = machine.name, snapshot](const QString& target) {
                startBranch(name, snapshot, target);
            });
    dialog->open();
}

void SnapshotVerbs::startBranch(const QString& machine,
                                const Snapshot& snapshot,
                                const QString& target) {
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), m_services.library->library().home());
    auto job = std::make_unique<Job>(QStringLiteral("clone"),
                                     target,
                                     tr("From the snapshot %1 of %2").arg(snapshot.name, machine),
                                     childWork(vitrinectlPath(),
                                               {QStringLiteral("snapshot"),
                                                QStringLiteral("--progress"),
                                                QStringLiteral("json"),
                                                QStringLiteral("--"),
                                                machine,
                                                QStringLiteral("branch"),
                                                snapshot.id,
                                                target},
                                               environment));
    Job* record = job.get();
    connect(record, &Job::finished, this, [this, record, target] {
        m_services.library->refresh();
        if (record->state() == Job::State::Succeeded)
            Q_EMIT machineMade(target);
        else if (record->state() == Job::State::Failed)
            m_page->message()->showError(record->error(), tr("\"%1\" was not made.").arg(target));
    });
    m_services.jobs->add(std::move(job));
}

} // namespace vitrine::ui
