// SPDX-License-Identifier: Apache-2.0
#include "core/guest/partition_growth.h"
#include "core/library/machine_operations.h"
#include "core/snapshot/snapshot_operations.h"
#include "qemu/block_devices.h"
#include "qemu/machine_requests.h"

#include <QJsonArray>

namespace vitrine::qemu {

namespace {

QString word(PartitionGrowth::Outcome outcome) {
    switch (outcome) {
    case PartitionGrowth::Outcome::Grown:
        return QStringLiteral("grown");
    case PartitionGrowth::Outcome::NothingToDo:
        return QStringLiteral("nothing");
    case PartitionGrowth::Outcome::NotPossible:
        break;
    }
    return QStringLiteral("not");
}

QJsonObject grown(ByteCount size, const QString& partition, const QString& text) {
    return {{QStringLiteral("size"), static_cast<qint64>(size.bytes())},
            {QStringLiteral("partition"), partition},
            {QStringLiteral("text"), text}};
}

} // namespace

void MachineRequests::answerDisks() {
    on("disk.list", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        queryDisks(session.qmp(), [respond](const Result<QList<LiveDisk>>& disks) {
            if (!disks) {
                respond(fail(disks.error()));
                return;
            }
            QJsonArray list;
            for (const LiveDisk& disk : *disks)
                list.append(disk.toJson());
            respond(QJsonObject{{QStringLiteral("disks"), list}});
        });
    });
    on("disk.grow",
       [this](MachineSession& session, const QJsonObject& parameters, const Respond& respond) {
           grow(session, parameters, respond);
       });
}

void MachineRequests::answerViewers() {
    on("viewers",
       [this](MachineSession&, const QJsonObject&, const Respond& respond) { respond(m_viewers); });
}

void MachineRequests::grow(MachineSession& session,
                           const QJsonObject& parameters,
                           const Respond& respond) {
    const qint64 bytes = parameters.value(QLatin1String("size")).toInteger(-1);
    if (bytes <= 0) {
        respond(fail(Error::Kind::InvalidInput, tr("Name the new size of the disk in bytes.")));
        return;
    }
    MachineChanges changes;
    changes.diskSize = ByteCount::fromBytes(static_cast<quint64>(bytes));
    if (Result<> valid = validateChanges(m_machine, changes); !valid) {
        respond(fail(valid.error()));
        return;
    }
    const bool partition = parameters.value(QLatin1String("partition")).toBool(true);
    const ByteCount size = *changes.diskSize;
    const auto growGuest = [&session, size, partition, respond] {
        if (!partition) {
            respond(grown(size, {}, {}));
            return;
        }
        growPartition(session.agent(),
                      QString::fromLatin1(rootDiskAddress),
                      [&session, size, respond](const Result<PartitionGrowth>& growth) {
                          // Whoever asked may not show it, or be gone by now.
                          session.remark(growth ? growth->text : growth.error().message);
                          if (growth)
                              respond(grown(size, word(growth->outcome), growth->text));
                          else
                              respond(grown(size, QStringLiteral("not"), growth.error().message));
                      });
    };
    const auto growNow = [this, &session, size, growGuest, respond] {
        growDisk(session.qmp(),
                 QString::fromLatin1(rootDiskNode),
                 size,
                 [this, size, growGuest, respond](const Result<>& resized) {
                     if (!resized) {
                         respond(fail(resized.error()));
                         return;
                     }
                     m_machine.diskSize = size;
                     // A size that waited for the next start is overtaken.
                     (void)Sidecar::update(m_machine.directory, [](Sidecar& sidecar) {
                         sidecar.pending.removeIf([](const PendingChange& change) {
                             return change.key == QLatin1String("diskSize");
                         });
                     });
                     readPending();
                     tellStatus();
                     growGuest();
                 });
    };
    const auto sidecar = Sidecar::read(m_machine.directory);
    // What grows nothing needs none, and a read-only disk is refused.
    if (!sidecar || !takesAutomaticSnapshots(sidecar->snapshots) || size == m_machine.diskSize ||
        session.plan().disk.readOnly) {
        growNow();
        return;
    }
    m_snapshots->take(
        {tr("Before the disk grew"), false, true},
        [growNow, respond](const Result<Snapshot>& kept) {
            if (kept) {
                growNow();
                return;
            }
            respond(fail(kept.error().kind,
                         tr("The disk did not grow, because the snapshot that is to be taken "
                            "before could not be. %1")
                             .arg(kept.error().message)));
        });
}

} // namespace vitrine::qemu
