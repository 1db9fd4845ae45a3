// SPDX-License-Identifier: Apache-2.0
#include "cli/listing.h"

#include "cli/output.h"
#include "core/hypervisor/machine_changes.h"
#include "core/machine/display_scale.h"

#include <QHash>

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

QString sizeText(ByteCount size, SizeStyle style) {
    return style == SizeStyle::Fitting ? size.toText() : QString::number(size.wholeGB());
}

QString option(const char* name) {
    return QLatin1String(name);
}

void addNetwork(const NetworkOptions& network, QList<QStringList>& rows) {
    switch (network.mode) {
    case NetworkMode::Nat:
        break;
    case NetworkMode::Bridged:
        for (const QString& interface : network.interfaces)
            rows.append({option("--net-bridged"), interface});
        break;
    case NetworkMode::HostOnly:
        rows.append({option("--net-host"), {}});
        break;
    case NetworkMode::Softnet:
        rows.append({option("--net-softnet"), {}});
        break;
    }
    const std::pair<const char*, QString> lists[]{{"--net-softnet-allow", network.allow},
                                                  {"--net-softnet-block", network.block},
                                                  {"--net-softnet-expose", network.expose}};
    for (const auto& [name, list] : lists)
        if (!list.isEmpty())
            rows.append({option(name), list});
}

void addDevices(const RunOptions& run, QList<QStringList>& rows) {
    const std::pair<const char*, bool> switches[]{{"--no-audio", !run.audio},
                                                  {"--no-clipboard", !run.clipboard},
                                                  {"--no-pointer", !run.pointer},
                                                  {"--no-keyboard", !run.keyboard},
                                                  {"--vnc", run.vncServer},
                                                  {"--nested", run.nested}};
    for (const auto& [name, given] : switches)
        if (given)
            rows.append({option(name), {}});
    if (run.accelerator != AcceleratorChoice::Automatic)
        rows.append({option("--accelerator"),
                     run.accelerator == AcceleratorChoice::Kvm ? QStringLiteral("kvm")
                                                               : QStringLiteral("tcg")});
    if (!run.bootOrder.isEmpty())
        rows.append({option("--boot"), toText(run.bootOrder)});
    if (run.serial.kind == SerialLine::Kind::NewTerminal)
        rows.append({option("--serial"), {}});
    if (run.serial.kind == SerialLine::Kind::Device)
        rows.append({option("--serial-path"), run.serial.path});
}

// As they would be typed for `set`.
QList<QStringList> storedOptions(const MachineConfig& config, const Sidecar& sidecar) {
    const RunOptions& run = sidecar.run;
    QList<QStringList> rows;
    if (config.refit != Refit::Automatic)
        rows.append(
            {option(config.refit == Refit::On ? "--display-refit" : "--no-display-refit"), {}});
    if (const DisplayScale scale = displayScaleOf(sidecar); scale != automaticDisplayScale)
        rows.append({option("--display-scale"), displayScaleToText(scale)});
    if (const QString text = run.rootDisk.toText(); !text.isEmpty())
        rows.append({option("--root-disk-opts"), text});
    for (const ExtraDisk& disk : run.disks)
        rows.append({option("--run-disk"), disk.toText()});
    for (const ShareSpec& share : run.shares)
        rows.append({option("--dir"), share.toText()});
    for (const PortForward& forward : run.forwards)
        rows.append({option("--forward"),
                     forward.hostPort == 0
                         ? QString::number(forward.guestPort)
                         : QStringLiteral("%1:%2").arg(forward.hostPort).arg(forward.guestPort)});
    addNetwork(run.network, rows);
    if (run.kernel) {
        const std::pair<const char*, QString> parts[]{{"--kernel", run.kernel->kernel},
                                                      {"--initrd", run.kernel->initrd},
                                                      {"--kernel-args", run.kernel->commandLine}};
        for (const auto& [name, value] : parts)
            if (!value.isEmpty())
                rows.append({option(name), value});
    }
    addDevices(run, rows);
    return rows;
}

// A change that waits, by the keys and in the units of `get`.
struct Waiting {
    QString key;
    QJsonValue now;
    QJsonValue then;
};

QJsonValue inUnitOf(const QString& key, const QJsonValue& value) {
    const auto bytes = ByteCount::fromBytes(static_cast<quint64>(qMax(value.toInteger(), 0LL)));
    if (key == QLatin1String("Memory"))
        return static_cast<qint64>(bytes.wholeMiB());
    if (key == QLatin1String("Disk"))
        return static_cast<qint64>(bytes.wholeGB());
    if (key == QLatin1String("DisplayRefit"))
        return refitWord(value.isBool() ? (value.toBool() ? Refit::On : Refit::Off)
                                        : Refit::Automatic);
    return value;
}

QList<Waiting> waitingChanges(const Sidecar& sidecar) {
    static const QHash<QString, QString> names{
        {QStringLiteral("cpuCount"), QStringLiteral("CPU")},
        {QStringLiteral("memorySize"), QStringLiteral("Memory")},
        {QStringLiteral("display"), QStringLiteral("Display")},
        {QStringLiteral("displayRefit"), QStringLiteral("DisplayRefit")},
        {QStringLiteral("macAddress"), QStringLiteral("MAC")},
        {QStringLiteral("ecid"), QStringLiteral("Serial")},
        {QStringLiteral("diskSize"), QStringLiteral("Disk")}};
    QList<Waiting> waiting;
    for (const PendingChange& change : sidecar.pending) {
        const QString key = names.value(change.key, change.key);
        waiting.append({key, inUnitOf(key, change.oldValue), inUnitOf(key, change.newValue)});
    }
    return waiting;
}

// Stored options, as for `set`, that the run under way has neither from its start nor by now.
QList<QStringList> waitingOptions(const MachineConfig& config,
                                  const Sidecar& sidecar,
                                  const QList<RunOptions>& running) {
    if (running.isEmpty())
        return {};
    QList<QStringList> waiting = storedOptions(config, sidecar);
    for (const RunOptions& options : running) {
        Sidecar had = sidecar;
        had.run = options;
        const QList<QStringList> rows = storedOptions(config, had);
        waiting.removeIf([&rows](const QStringList& row) { return rows.contains(row); });
    }
    return waiting;
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

QString listText(const QList<MachineInfo>& machines, const QDateTime& now, SizeStyle style) {
    QList<QStringList> rows;
    for (const MachineInfo& info : machines) {
        rows.append({sourceOf(info),
                     info.name,
                     sizeText(info.diskSize, style),
                     sizeText(info.allocated, style),
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

QJsonObject
getJson(const MachineInfo& machine, const Sidecar& sidecar, const QList<RunOptions>& running) {
    const MachineConfig& config = *machine.config;
    QJsonObject object{
        {QStringLiteral("OS"), toText(config.system)},
        {QStringLiteral("CPU"), config.cpuCount},
        {QStringLiteral("Memory"), static_cast<qint64>(config.memory.wholeMiB())},
        {QStringLiteral("Disk"), static_cast<qint64>(machine.diskSize.wholeGB())},
        {QStringLiteral("DiskFormat"), toText(config.diskFormat)},
        {QStringLiteral("Size"), preciseGB(machine.allocated)},
        {QStringLiteral("Display"), config.display.toText()},
        {QStringLiteral("Running"), isRunning(machine)},
        {QStringLiteral("State"), stateText(machine.state)},
        {QStringLiteral("DisplayRefit"), refitWord(config.refit)},
        {QStringLiteral("DisplayScale"), displayScaleToText(displayScaleOf(sidecar))},
        {QStringLiteral("RunOptions"), sidecar.run.toJson()}};
    QJsonObject pending;
    for (const Waiting& change : waitingChanges(sidecar))
        pending.insert(change.key, change.then);
    QJsonArray options;
    for (const QStringList& row : waitingOptions(config, sidecar, running))
        options.append(row.join(QLatin1Char(' ')).trimmed());
    if (!options.isEmpty())
        pending.insert(QStringLiteral("RunOptions"), options);
    if (!pending.isEmpty())
        object.insert(QStringLiteral("Pending"), pending);
    return object;
}

QString
getText(const MachineInfo& machine, const Sidecar& sidecar, const QList<RunOptions>& running) {
    const MachineConfig& config = *machine.config;
    QString text = table({QStringLiteral("OS"),
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
    QList<QStringList> waiting;
    for (const Waiting& change : waitingChanges(sidecar))
        waiting.append({change.key,
                        plain(change.now.toVariant().toString()),
                        plain(change.then.toVariant().toString())});
    for (const QStringList& row : waitingOptions(config, sidecar, running))
        waiting.append(
            {row.first(), QStringLiteral("-"), row.last().isEmpty() ? Tr::tr("yes") : row.last()});
    if (!waiting.isEmpty())
        text +=
            QLatin1Char('\n') +
            table({Tr::tr("Waiting for the next start"), Tr::tr("Now"), Tr::tr("Then")}, waiting);
    const QList<QStringList> stored = storedOptions(config, sidecar);
    if (!stored.isEmpty())
        text += QLatin1Char('\n') + table({Tr::tr("Set with"), Tr::tr("Value")}, stored);
    return text;
}

} // namespace vitrine::cli
