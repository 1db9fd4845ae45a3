// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/machine_draft.h"

#include "core/machine/run_command.h"

#include <algorithm>

namespace vitrine::ui {

namespace {

void applyPendingTo(MachineSettings& settings, const QList<PendingChange>& pending) {
    for (const PendingChange& change : pending) {
        if (change.key == QLatin1String("cpuCount")) {
            settings.cpuCount = change.newValue.toInt(settings.cpuCount);
        } else if (change.key == QLatin1String("memorySize")) {
            settings.memory =
                ByteCount::fromBytes(static_cast<quint64>(change.newValue.toDouble()));
        } else if (change.key == QLatin1String("display")) {
            if (const auto size = DisplaySize::fromText(change.newValue.toString()))
                settings.display = *size;
        } else if (change.key == QLatin1String("displayRefit")) {
            settings.refit = change.newValue.isBool()
                                 ? (change.newValue.toBool() ? Refit::On : Refit::Off)
                                 : Refit::Automatic;
        } else if (change.key == QLatin1String("macAddress")) {
            if (const auto mac = MacAddress::fromText(change.newValue.toString()))
                settings.macAddress = *mac;
        } else if (change.key == QLatin1String("diskSize")) {
            settings.diskSize =
                ByteCount::fromBytes(static_cast<quint64>(change.newValue.toDouble()));
        }
    }
}

} // namespace

MachineSettings settingsOf(const MachineInfo& info, const Sidecar& sidecar) {
    MachineSettings settings;
    settings.name = info.name;
    settings.notes = sidecar.notes;
    settings.run = sidecar.run;
    settings.displayScale = displayScaleOf(sidecar);
    settings.diskSize = info.diskSize;
    if (info.config) {
        settings.cpuCount = info.config->cpuCount;
        settings.memory = info.config->memory;
        settings.display = info.config->display;
        settings.refit = info.config->refit;
        settings.macAddress = info.config->macAddress;
    }
    applyPendingTo(settings, sidecar.pending);
    return settings;
}

MachinePhase phaseOf(const MachineInfo& info) {
    switch (info.state) {
    case MachineState::Stopped:
    case MachineState::Broken:
        return MachinePhase::Off;
    case MachineState::Suspended:
        return MachinePhase::Suspended;
    default:
        return MachinePhase::Running;
    }
}

bool rulesReload(const NetworkOptions& saved, const NetworkOptions& edited) {
    return saved.mode == NetworkMode::Softnet && edited.mode == NetworkMode::Softnet &&
           saved != edited;
}

QList<SettingsChange>
changesBetween(const MachineSettings& saved, const MachineSettings& edited, MachinePhase phase) {
    using Effect = SettingsChange::Effect;
    const Effect later = phase == MachinePhase::Running ? Effect::NextStart : Effect::Now;
    const Effect ofRun = phase == MachinePhase::Off ? Effect::Now : Effect::NextStart;
    const Effect ofLive = phase == MachinePhase::Suspended ? Effect::NextStart : Effect::Now;
    QList<SettingsChange> changes;
    const auto note = [&changes](bool differs, const QString& what, Effect effect) {
        if (differs)
            changes.append({what, effect});
    };
    note(saved.name != edited.name, Tr::tr("Name"), Effect::Now);
    note(saved.notes != edited.notes, Tr::tr("Notes"), Effect::Now);
    note(saved.cpuCount != edited.cpuCount, Tr::tr("Processors"), later);
    note(saved.memory != edited.memory, Tr::tr("Memory"), later);
    note(saved.run.accelerator != edited.run.accelerator, Tr::tr("Accelerator"), ofRun);
    note(saved.display != edited.display, Tr::tr("Display size"), later);
    note(saved.refit != edited.refit, Tr::tr("Refit"), Effect::Now); // the console's
    note(saved.displayScale != edited.displayScale, Tr::tr("Scale"), Effect::Now);
    note(saved.macAddress != edited.macAddress, Tr::tr("MAC address"), later);
    note(saved.diskSize != edited.diskSize, Tr::tr("Disk size"), Effect::Now);
    note(saved.run.rootDisk.caching != edited.run.rootDisk.caching, Tr::tr("Caching"), ofRun);
    note(saved.run.rootDisk.synchronisation != edited.run.rootDisk.synchronisation,
         Tr::tr("Synchronisation"),
         ofRun);
    note(saved.run.rootDisk.readOnly != edited.run.rootDisk.readOnly, Tr::tr("Read-only"), ofRun);
    note(saved.run.disks != edited.run.disks, Tr::tr("Extra disks"), ofRun);
    const NetworkOptions& from = saved.run.network;
    const NetworkOptions& to = edited.run.network;
    note(from.mode != to.mode || from.interfaces != to.interfaces, Tr::tr("Network"), ofRun);
    note(from.allow != to.allow || from.block != to.block || from.expose != to.expose,
         Tr::tr("Firewall rules"),
         rulesReload(from, to) ? ofLive : ofRun);
    note(saved.run.forwards != edited.run.forwards, Tr::tr("Port forwards"), ofLive);
    note(saved.run.bootOrder != edited.run.bootOrder, Tr::tr("Boot order"), ofRun);
    note(saved.run.kernel != edited.run.kernel, Tr::tr("Kernel"), ofRun);
    note(saved.run.serial != edited.run.serial, Tr::tr("Serial line"), ofRun);
    note(saved.run.vncServer != edited.run.vncServer, Tr::tr("VNC server"), ofRun);
    note(saved.run.nested != edited.run.nested, Tr::tr("Nested virtualization"), ofRun);
    const MacOptions macBefore = MacOptions::of(saved.run);
    const MacOptions macAfter = MacOptions::of(edited.run);
    note(macBefore.rosetta != macAfter.rosetta, Tr::tr("Rosetta"), ofRun);
    note(macBefore.trackpad != macAfter.trackpad, Tr::tr("Trackpad"), ofRun);
    note(macBefore.suspendable != macAfter.suspendable, Tr::tr("Suspendable"), ofRun);
    note(macBefore.captureSystemKeys != macAfter.captureSystemKeys, Tr::tr("System keys"), ofRun);
    note(saved.run.audio != edited.run.audio, Tr::tr("Sound"), ofRun);
    note(saved.run.clipboard != edited.run.clipboard, Tr::tr("Clipboard"), ofLive);
    note(saved.run.pointer != edited.run.pointer, Tr::tr("Pointer"), ofRun);
    note(saved.run.keyboard != edited.run.keyboard, Tr::tr("Keyboard"), ofRun);
    return changes;
}

QStringList setArguments(const MachineSettings& saved, const MachineSettings& edited) {
    QStringList arguments;
    if (saved.cpuCount != edited.cpuCount)
        arguments << QStringLiteral("--cpu") << QString::number(edited.cpuCount);
    if (saved.memory != edited.memory)
        arguments << QStringLiteral("--memory") << QString::number(edited.memory.wholeMiB());
    if (saved.display != edited.display)
        arguments << QStringLiteral("--display") << edited.display.toText();
    if (saved.refit != edited.refit) {
        switch (edited.refit) {
        case Refit::Automatic:
            arguments << QStringLiteral("--display-refit-automatic");
            break;
        case Refit::On:
            arguments << QStringLiteral("--display-refit");
            break;
        case Refit::Off:
            arguments << QStringLiteral("--no-display-refit");
            break;
        }
    }
    if (saved.displayScale != edited.displayScale)
        arguments << QStringLiteral("--display-scale") << displayScaleToText(edited.displayScale);
    if (saved.macAddress != edited.macAddress)
        arguments << QStringLiteral("--mac") << edited.macAddress.toText();
    if (saved.diskSize != edited.diskSize)
        arguments << QStringLiteral("--disk-size") << QString::number(edited.diskSize.wholeGB());
    if (saved.diskSize != edited.diskSize && !edited.growPartition)
        arguments << QStringLiteral("--no-grow-partition");
    return arguments;
}

QString commandLineOf(const MachineSettings& saved, const MachineSettings& edited) {
    const QString line = runCommandLine(saved.name, edited.run);
    const QStringList set = setArguments(saved, edited);
    if (set.isEmpty())
        return line;
    return quotedForShell(
               QStringList{QStringLiteral("vitrinectl"), QStringLiteral("set"), saved.name} + set) +
           QStringLiteral(" && ") + line;
}

QList<PortForward> portsInUse(QList<PortForward> wanted, QList<PortForward> live) {
    for (const PortForward& forward : std::as_const(wanted))
        live.removeOne(forward);
    for (PortForward& forward : wanted) {
        if (forward.hostPort != 0)
            continue;
        const auto found = std::find_if(live.begin(), live.end(), [&](const PortForward& port) {
            return port.guestPort == forward.guestPort;
        });
        if (found == live.end())
            continue;
        forward = *found;
        live.erase(found);
    }
    return wanted;
}

QList<QStringList> forwardChanges(const QList<PortForward>& saved,
                                  const QList<PortForward>& edited,
                                  const QList<PortForward>& live) {
    QStringList gone{QStringLiteral("remove")};
    QStringList added{QStringLiteral("add")};
    QList<PortForward> rest = edited;
    const QList<PortForward> ports = portsInUse(saved, live);
    for (qsizetype i = 0; i < saved.size(); ++i)
        if (!rest.removeOne(saved.at(i)) && ports.at(i).hostPort != 0)
            gone << QString::number(ports.at(i).hostPort);
    for (const PortForward& forward : std::as_const(rest))
        added << (forward.hostPort == 0
                      ? QString::number(forward.guestPort)
                      : QStringLiteral("%1:%2").arg(forward.hostPort).arg(forward.guestPort));
    QList<QStringList> calls;
    for (const QStringList& call : {gone, added})
        if (call.size() > 1)
            calls << call;
    return calls;
}

QString
problemWith(const MachineInfo& info, const MachineSettings& saved, const MachineSettings& edited) {
    if (edited.name != saved.name) {
        const auto name = MachineName::forNewMachine(edited.name);
        if (!name)
            return name.error().message;
    }
    if (const auto network = edited.run.network.check(); !network)
        return network.error().message;
    if (edited.run.serial.kind == SerialLine::Kind::Device &&
        !edited.run.serial.path.startsWith(QLatin1Char('/')))
        return Tr::tr("The serial line needs the whole path of a terminal device.");
    if (edited.run.network.mode == NetworkMode::Bridged && !edited.run.forwards.isEmpty())
        return Tr::tr("A bridged machine has no port forwards. Remove them first.");
    MachineChanges changes;
    if (saved.cpuCount != edited.cpuCount)
        changes.cpuCount = edited.cpuCount;
    if (saved.memory != edited.memory)
        changes.memory = edited.memory;
    if (saved.display != edited.display)
        changes.display = edited.display;
    if (saved.macAddress != edited.macAddress)
        changes.macAddress = edited.macAddress;
    if (saved.diskSize != edited.diskSize)
        changes.diskSize = edited.diskSize;
    if (changes.isEmpty())
        return {};
    const auto valid = validateChanges(info, changes);
    return valid ? QString() : valid.error().message;
}

} // namespace vitrine::ui
