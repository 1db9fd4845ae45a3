// SPDX-License-Identifier: Apache-2.0
#include "cli/listing.h"

#include "cli/output.h"

namespace vitrine::cli {

namespace {

QString sourceOf(const MachineInfo& info) {
    return info.isImage ? QStringLiteral("OCI") : QStringLiteral("local");
}

QString stateText(MachineState state) {
    return state == MachineState::Paused ? QStringLiteral("paused") : toTartText(state);
}

bool isRunning(const MachineInfo& info) {
    switch (info.state) {
    case MachineState::Starting:
    case MachineState::Running:
    case MachineState::Paused:
    case MachineState::ShuttingDown:
    case MachineState::Suspending:
    case MachineState::RunningElsewhere:
        return true;
    default:
        return false;
    }
}

// Bytes as GB with three decimals, as Tart's `get` prints the size.
QString preciseGB(ByteCount size) {
    return QString::number(static_cast<double>(size.bytes()) / 1e9, 'f', 3);
}

} // namespace

QJsonArray listJson(const QList<MachineInfo>& machines) {
    QJsonArray array;
    for (const MachineInfo& info : machines) {
        QJsonObject entry{{QStringLiteral("Source"), sourceOf(info)},
                          {QStringLiteral("Name"), info.name},
                          {QStringLiteral("Disk"), static_cast<qint64>(info.diskSize.wholeGB())},
                          {QStringLiteral("Size"), static_cast<qint64>(info.allocated.wholeGB())},
                          {QStringLiteral("Accessed"), info.accessed.toUTC().toString(Qt::ISODate)},
                          {QStringLiteral("Running"), isRunning(info)},
                          {QStringLiteral("State"), stateText(info.state)}};
        const bool explains = info.state == MachineState::Broken ||
                              (info.state == MachineState::Paused && !info.brokenReason.isEmpty());
        if (explains)
            entry.insert(QStringLiteral("Reason"), info.brokenReason);
        array.append(entry);
    }
    return array;
}

QString listText(const QList<MachineInfo>& machines, const QDateTime& now) {
    QList<QStringList> rows;
    for (const MachineInfo& info : machines) {
        rows.append({sourceOf(info),
                     info.name,
                     QString::number(info.diskSize.wholeGB()),
                     QString::number(info.allocated.wholeGB()),
                     relativeTime(info.accessed, now),
                     stateText(info.state)});
    }
    return table({QStringLiteral("Source"),
                  QStringLiteral("Name"),
                  QStringLiteral("Disk"),
                  QStringLiteral("Size"),
                  QStringLiteral("Accessed"),
                  QStringLiteral("State")},
                 rows);
}

QJsonObject getJson(const MachineInfo& machine) {
    const MachineConfig& config = *machine.config;
    return {{QStringLiteral("OS"), toText(config.system)},
            {QStringLiteral("CPU"), config.cpuCount},
            {QStringLiteral("Memory"), static_cast<qint64>(config.memory.wholeMiB())},
            {QStringLiteral("Disk"), static_cast<qint64>(machine.diskSize.wholeGB())},
            {QStringLiteral("DiskFormat"), toText(config.diskFormat)},
            {QStringLiteral("Size"), preciseGB(machine.allocated)},
            {QStringLiteral("Display"), config.display.toText()},
            {QStringLiteral("Running"), isRunning(machine)},
            {QStringLiteral("State"), stateText(machine.state)}};
}

QString getText(const MachineInfo& machine) {
    const MachineConfig& config = *machine.config;
    return table({QStringLiteral("OS"),
                  QStringLiteral("CPU"),
                  QStringLiteral("Memory"),
                  QStringLiteral("Disk"),
                  QStringLiteral("DiskFormat"),
                  QStringLiteral("Size"),
                  QStringLiteral("Display"),
                  QStringLiteral("State")},
                 {{toText(config.system),
                   QString::number(config.cpuCount),
                   QString::number(config.memory.wholeMiB()),
                   QString::number(machine.diskSize.wholeGB()),
                   toText(config.diskFormat),
                   preciseGB(machine.allocated),
                   config.display.toText(),
                   stateText(machine.state)}});
}

} // namespace vitrine::cli
