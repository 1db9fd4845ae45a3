// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/dropped_work.h"

#include "core/hypervisor/guest_copy.h"
#include "core/machine/run_command.h"
#include "core/machine/sidecar.h"
#include "ui/machines/background.h"
#include "ui/sharing/share_actions.h"
#include "ui/widgets/message_bar.h"

#include <QClipboard>
#include <QFileInfo>
#include <QGuiApplication>

#include <algorithm>
#include <utility>

namespace vitrine::ui {

DroppedWork::DroppedWork(const Services& services, ShareActions* actions, QObject* parent)
    : QObject(parent)
    , m_services(services)
    , m_actions(actions) {}

void DroppedWork::handle(const MachineInfo& machine, const QStringList& paths, bool writable) {
    inBackground(
        this,
        [paths] { return sortDropped(paths); },
        [this, machine, writable](const DroppedPaths& dropped) {
            const auto batch = std::make_shared<Batch>(Batch{machine});
            batch->awaited = dropped.folders.size() + dropped.files.size() + dropped.disks.size() +
                             dropped.foreign.size();
            if (batch->awaited == 0) {
                batch->awaited = 1;
                add(batch,
                    Outcome{tr("Nothing was dropped that can be used."),
                            {},
                            Error{Error::Kind::NotFound,
                                  tr("Drop folders to share them, files to copy them into the "
                                     "guest, or a disk image to attach it."),
                                  {}}});
            }
            for (const QString& folder : dropped.folders)
                share(batch, folder, writable);
            for (const QString& file : dropped.files)
                copy(batch, file);
            for (const QString& disk : dropped.disks)
                offerDisk(batch, disk);
            for (const QString& disk : dropped.foreign)
                tellConversion(batch, disk);
        });
}

void DroppedWork::add(const std::shared_ptr<Batch>& batch, const std::optional<Outcome>& outcome) {
    if (outcome)
        batch->outcomes.append(*outcome);
    if (--batch->awaited == 0 && !batch->outcomes.isEmpty())
        tell(std::move(*batch));
}

void DroppedWork::tell(Batch batch) {
    const auto rank = [](const Outcome& outcome) {
        const bool bad = outcome.share && outcome.share->state == ShareState::NotMounted;
        return outcome.error ? 0 : bad ? 1 : 2;
    };
    std::stable_sort(
        batch.outcomes.begin(),
        batch.outcomes.end(),
        [&rank](const Outcome& one, const Outcome& other) { return rank(one) < rank(other); });
    const int worst = rank(batch.outcomes.constFirst());
    const QString machine = batch.machine.name;
    Q_EMIT told(machine, [this, batch = std::move(batch), worst](MessageBar* message) {
        const Outcome& first = batch.outcomes.constFirst();
        if (batch.outcomes.size() == 1 && first.error) {
            message->showError(*first.error, first.title);
            return;
        }
        const auto kind = worst == 0   ? MessageBar::Kind::Error
                          : worst == 1 ? MessageBar::Kind::Warning
                                       : MessageBar::Kind::Info;
        if (batch.outcomes.size() == 1) {
            message->showMessage(kind, first.title, first.text);
        } else {
            QStringList lines;
            for (const Outcome& outcome : batch.outcomes)
                lines << outcome.title + QLatin1Char(' ') +
                             (outcome.error ? outcome.error->message : outcome.text);
            const auto failed = std::count_if(batch.outcomes.cbegin(),
                                              batch.outcomes.cend(),
                                              [](const Outcome& one) { return bool(one.error); });
            message->showMessage(
                kind,
                failed > 0 ? tr("%1 of %2 could not be done.").arg(failed).arg(lines.size())
                           : QString(),
                lines.join(QLatin1Char('\n')));
        }
        addActions(batch, message);
    });
}

void DroppedWork::addActions(const Batch& batch, MessageBar* message) {
    QStringList paths;
    QStringList commands;
    QStringList disks;
    QStringList files;
    QList<ShareStatus> readOnly;
    for (const Outcome& outcome : batch.outcomes) {
        if (outcome.share)
            paths << outcome.share->guestPath;
        if (outcome.share && outcome.share->spec.readOnly)
            readOnly << *outcome.share;
        if (!outcome.command.isEmpty())
            commands << outcome.command;
        if (!outcome.disk.isEmpty())
            disks << outcome.disk;
        if (!outcome.file.isEmpty())
            files << outcome.file;
    }
    const auto copyAction = [message](const QString& text, const QStringList& lines) {
        if (!lines.isEmpty())
            message->addAction(text, [lines] {
                QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
            });
    };
    copyAction(paths.size() > 1 ? tr("Copy Paths") : tr("Copy Path"), paths);
    const MachineInfo machine = batch.machine;
    if (!readOnly.isEmpty())
        message->addAction(tr("Let the Guest Write"), [this, machine, readOnly, message] {
            message->clear();
            letGuestWrite(machine, readOnly);
        });
    if (!disks.isEmpty())
        message->addAction(disks.size() > 1 ? tr("Attach All") : tr("Attach"),
                           [this, machine, disks, message] {
                               message->clear();
                               attach(machine, disks);
                           });
    copyAction(commands.size() > 1 ? tr("Copy Commands") : tr("Copy Command"), commands);
    if (!files.isEmpty() && m_actions->isRunning(machine))
        message->addAction(tr("Copy into the Guest"), [this, machine, files, message] {
            message->clear();
            copyAll(machine, files);
        });
}

void DroppedWork::share(const std::shared_ptr<Batch>& batch, const QString& folder, bool writable) {
    m_actions->add(
        batch->machine, folder, writable, [this, batch, folder](const Result<ShareStatus>& added) {
            if (!added) {
                add(batch,
                    Outcome{tr("\"%1\" is not shared.").arg(QFileInfo(folder).fileName()),
                            {},
                            added.error()});
                return;
            }
            Outcome outcome;
            outcome.title = tr("\"%1\" is shared, %2.")
                                .arg(added->spec.displayName(),
                                     added->spec.readOnly ? tr("read-only") : tr("writable"));
            outcome.text = added->message.isEmpty() ? tr("In the guest: %1").arg(added->guestPath)
                                                    : added->message;
            outcome.share = *added;
            add(batch, outcome);
        });
}

void DroppedWork::letGuestWrite(const MachineInfo& machine, const QList<ShareStatus>& shares) {
    const auto batch = std::make_shared<Batch>(Batch{machine, shares.size()});
    for (const ShareStatus& share : shares)
        m_actions->setReadOnly(
            machine, share.spec, false, [this, batch, share](const Result<>& done) {
                std::optional<Outcome> failed;
                if (!done)
                    failed = Outcome{tr("\"%1\" is still read-only.").arg(share.spec.displayName()),
                                     {},
                                     done.error()};
                add(batch, failed);
            });
}

void DroppedWork::copy(const std::shared_ptr<Batch>& batch, const QString& file) {
    const MachineInfo& machine = batch->machine;
    const QString name = QFileInfo(file).fileName();
    if (!m_actions->isRunning(machine)) {
        add(batch,
            Outcome{tr("\"%1\" was not copied.").arg(name),
                    {},
                    Error{Error::Kind::NotRunning,
                          tr("Files are copied into a running guest. Start the machine first."),
                          {}}});
        return;
    }
    const QString home = m_services.library->library().home();
    auto job = std::make_unique<Job>(
        QStringLiteral("copy"),
        name,
        tr("Copy into %1").arg(machine.name),
        [home, directory = machine.directory, file](const JobContext& context) -> Result<> {
            const auto copied = copyIntoGuest(home, directory, file, context);
            if (!copied)
                return fail(copied.error());
            context.log(QStringLiteral("copied to ") + *copied);
            return {};
        });
    m_services.jobs->add(std::move(job));
    add(batch, std::nullopt); // Transfers show it
}

void DroppedWork::copyAll(const MachineInfo& machine, const QStringList& files) {
    const auto batch = std::make_shared<Batch>(Batch{machine, files.size()});
    for (const QString& file : files)
        copy(batch, file);
}

void DroppedWork::offerDisk(const std::shared_ptr<Batch>& batch, const QString& disk) {
    Outcome outcome;
    outcome.title = tr("Attach \"%1\" as a disk?").arg(QFileInfo(disk).fileName());
    outcome.text = tr("Read-only, from the next start on. Settings, Disks changes that.");
    outcome.disk = outcome.file = disk;
    add(batch, outcome);
}

// Formats are never probed, and only raw ones are attached (docs/disks.md).
void DroppedWork::tellConversion(const std::shared_ptr<Batch>& batch, const QString& disk) {
    const QFileInfo file(disk);
    const QString raw =
        file.path() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral(".img");
    Outcome outcome;
    outcome.command = quotedForShell({QStringLiteral("qemu-img"),
                                      QStringLiteral("convert"),
                                      QStringLiteral("-O"),
                                      QStringLiteral("raw"),
                                      disk,
                                      raw});
    outcome.title = tr("\"%1\" is not attached.").arg(file.fileName());
    outcome.text =
        tr("A disk has to be raw. Convert it, then drop the new file: %1").arg(outcome.command);
    outcome.file = disk;
    add(batch, outcome);
}

void DroppedWork::attach(const MachineInfo& machine, const QStringList& disks) {
    inBackground(
        this,
        [directory = machine.directory, disks] {
            return Sidecar::update(directory, [&disks](Sidecar& sidecar) {
                for (const QString& disk : disks) {
                    ExtraDisk extra;
                    extra.path = disk;
                    extra.options.readOnly = true;
                    QList<ExtraDisk>& stored = sidecar.run.disks;
                    if (std::none_of(stored.cbegin(), stored.cend(), [&disk](const auto& other) {
                            return other.path == disk;
                        }))
                        stored.append(extra);
                }
            });
        },
        [this, machine, disks](const Result<>& stored) {
            const auto batch = std::make_shared<Batch>(Batch{machine, disks.size()});
            for (const QString& disk : disks) {
                const QString file = QFileInfo(disk).fileName();
                add(batch,
                    stored ? Outcome{tr("\"%1\" is attached at the next start.").arg(file), {}}
                           : Outcome{tr("\"%1\" was not attached.").arg(file), {}, stored.error()});
            }
        });
}

} // namespace vitrine::ui
