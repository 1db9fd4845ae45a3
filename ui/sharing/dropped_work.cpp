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
            if (dropped.isEmpty())
                tellError(machine.name,
                          tr("Nothing was dropped that can be used."),
                          {Error::Kind::NotFound,
                           tr("Drop folders to share them, files to copy them into the guest, or "
                              "a disk image to attach it."),
                           {}});
            share(machine, dropped.folders, writable);
            for (const QString& file : dropped.files)
                copy(machine, file);
            for (const QString& disk : dropped.disks)
                offerDisk(machine, disk);
            for (const QString& disk : dropped.foreign)
                tellConversion(machine, disk);
        });
}

void DroppedWork::tellError(const QString& machine, const QString& title, const Error& error) {
    Q_EMIT told(machine, [title, error](MessageBar* message) { message->showError(error, title); });
}

void DroppedWork::share(const MachineInfo& machine, const QStringList& folders, bool writable) {
    for (const QString& folder : folders) {
        m_actions->add(
            machine, folder, writable, [this, machine, folder](const Result<ShareStatus>& added) {
                const QString name = QFileInfo(folder).fileName();
                if (!added) {
                    tellError(machine.name, tr("\"%1\" is not shared.").arg(name), added.error());
                    return;
                }
                const ShareStatus share = *added;
                const bool bad = share.state == ShareState::NotMounted;
                Q_EMIT told(machine.name, [this, machine, share, bad](MessageBar* message) {
                    const QString title =
                        tr("\"%1\" is shared, %2.")
                            .arg(share.spec.displayName(),
                                 share.spec.readOnly ? tr("read-only") : tr("writable"));
                    message->showMessage(bad ? MessageBar::Kind::Warning : MessageBar::Kind::Info,
                                         title,
                                         share.message.isEmpty()
                                             ? tr("In the guest: %1").arg(share.guestPath)
                                             : share.message);
                    message->addAction(tr("Copy Path"), [path = share.guestPath] {
                        QGuiApplication::clipboard()->setText(path);
                    });
                    if (!share.spec.readOnly)
                        return;
                    message->addAction(tr("Let the Guest Write"), [this, machine, share, message] {
                        message->clear();
                        m_actions->setReadOnly(machine,
                                               share.spec,
                                               false,
                                               [this, machine, share](const Result<>& done) {
                                                   if (!done)
                                                       tellError(machine.name,
                                                                 tr("\"%1\" is still read-only.")
                                                                     .arg(share.spec.displayName()),
                                                                 done.error());
                                               });
                    });
                });
            });
    }
}

void DroppedWork::copy(const MachineInfo& machine, const QString& file) {
    const QString name = QFileInfo(file).fileName();
    if (!m_actions->isRunning(machine)) {
        tellError(machine.name,
                  tr("\"%1\" was not copied.").arg(name),
                  {Error::Kind::NotRunning,
                   tr("Files are copied into a running guest. Start the machine first."),
                   {}});
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
}

void DroppedWork::offerDisk(const MachineInfo& machine, const QString& disk) {
    const QString name = QFileInfo(disk).fileName();
    const bool running = m_actions->isRunning(machine);
    Q_EMIT told(machine.name, [this, machine, disk, name, running](MessageBar* message) {
        message->showMessage(
            MessageBar::Kind::Info,
            tr("Attach \"%1\" as a disk?").arg(name),
            tr("Read-only, from the next start on. Settings, Disks changes that."));
        message->addAction(tr("Attach"), [this, machine, disk, message] {
            message->clear();
            attach(machine, disk);
        });
        if (running)
            message->addAction(tr("Copy into the Guest"), [this, machine, disk, message] {
                message->clear();
                copy(machine, disk);
            });
    });
}

// Formats are never probed, and only raw ones are attached (docs/disks.md).
void DroppedWork::tellConversion(const MachineInfo& machine, const QString& disk) {
    const QFileInfo file(disk);
    const QString raw =
        file.path() + QLatin1Char('/') + file.completeBaseName() + QStringLiteral(".img");
    const QString command = quotedForShell({QStringLiteral("qemu-img"),
                                            QStringLiteral("convert"),
                                            QStringLiteral("-O"),
                                            QStringLiteral("raw"),
                                            disk,
                                            raw});
    const bool running = m_actions->isRunning(machine);
    Q_EMIT told(
        machine.name,
        [this, machine, disk, command, running, name = file.fileName()](MessageBar* message) {
            message->showMessage(MessageBar::Kind::Info,
                                 tr("\"%1\" is not attached.").arg(name),
                                 tr("A disk has to be raw. Convert it, then drop the new "
                                    "file: %1")
                                     .arg(command));
            message->addAction(tr("Copy Command"),
                               [command] { QGuiApplication::clipboard()->setText(command); });
            if (running)
                message->addAction(tr("Copy into the Guest"), [this, machine, disk, message] {
                    message->clear();
                    copy(machine, disk);
                });
        });
}

void DroppedWork::attach(const MachineInfo& machine, const QString& disk) {
    inBackground(
        this,
        [directory = machine.directory, disk] {
            return Sidecar::update(directory, [&disk](Sidecar& sidecar) {
                ExtraDisk extra;
                extra.path = disk;
                extra.options.readOnly = true;
                for (const ExtraDisk& other : sidecar.run.disks)
                    if (other.path == disk)
                        return;
                sidecar.run.disks.append(extra);
            });
        },
        [this, name = machine.name, disk](const Result<>& stored) {
            const QString file = QFileInfo(disk).fileName();
            if (!stored) {
                tellError(name, tr("\"%1\" was not attached.").arg(file), stored.error());
                return;
            }
            Q_EMIT told(name, [file](MessageBar* message) {
                message->showMessage(MessageBar::Kind::Info,
                                     {},
                                     tr("\"%1\" is attached at the next start.").arg(file));
            });
        });
}

} // namespace vitrine::ui
