// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/machine_draft.h"

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
            const QJsonObject object = change.newValue.toObject();
            settings.display.width =
                object.value(QLatin1String("width")).toInt(settings.display.width);
            settings.display.height =
                object.value(QLatin1String("height")).toInt(settings.display.height);
            const QString unit = object.value(QLatin1String("unit")).toString();
            settings.display.unit = unit == QLatin1String("pt")   ? DisplaySize::Unit::Points
                                    : unit == QLatin1String("px") ? DisplaySize::Unit::Pixels
                                                                  : DisplaySize::Unit::Unset;
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

QList<SettingsChange>
changesBetween(const MachineSettings& saved, const MachineSettings& edited, bool running) {
    using Effect = SettingsChange::Effect;
    const Effect later = running ? Effect::NextStart : Effect::Now;
    QList<SettingsChange> changes;
    const auto note = [&changes](bool differs, const QString& what, Effect effect) {
        if (differs)
            changes.append({what, effect});
    };
    note(saved.name != edited.name, Tr::tr("Name"), Effect::Now);
    note(saved.notes != edited.notes, Tr::tr("Notes"), Effect::Now);
    note(saved.cpuCount != edited.cpuCount, Tr::tr("Processors"), later);
    note(saved.memory != edited.memory, Tr::tr("Memory"), later);
    note(saved.run.accelerator != edited.run.accelerator, Tr::tr("Accelerator"), later);
    note(saved.display != edited.display, Tr::tr("Display size"), later);
    note(saved.refit != edited.refit, Tr::tr("Refit"), later);
    note(saved.macAddress != edited.macAddress, Tr::tr("MAC address"), later);
    note(saved.diskSize != edited.diskSize, Tr::tr("Disk size"), later);
    note(saved.run.rootDisk.caching != edited.run.rootDisk.caching, Tr::tr("Caching"), later);
    note(saved.run.rootDisk.synchronisation != edited.run.rootDisk.synchronisation,
         Tr::tr("Synchronisation"),
         later);
    note(saved.run.rootDisk.readOnly != edited.run.rootDisk.readOnly, Tr::tr("Read-only"), later);
    note(saved.run.disks != edited.run.disks, Tr::tr("Extra disks"), later);
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
    if (saved.macAddress != edited.macAddress)
        arguments << QStringLiteral("--mac") << edited.macAddress.toText();
    if (saved.diskSize != edited.diskSize)
        arguments << QStringLiteral("--disk-size") << QString::number(edited.diskSize.wholeGB());
    return arguments;
}

QString
problemWith(const MachineInfo& info, const MachineSettings& saved, const MachineSettings& edited) {
    if (edited.name != saved.name) {
        const auto name = MachineName::forNewMachine(edited.name);
        if (!name)
            return name.error().message;
    }
    MachineChanges changes;
    if (saved.cpuCount != edited.cpuCount)
        changes.cpuCount = edited.cpuCount;
    if (saved.memory != edited.memory)
        changes.memory = edited.memory;
    if (saved.display != edited.display)
        changes.display = edited.display;
    if (saved.diskSize != edited.diskSize)
        changes.diskSize = edited.diskSize;
    if (changes.isEmpty())
        return {};
    const auto valid = validateChanges(info, changes);
    return valid ? QString() : valid.error().message;
}

} // namespace vitrine::ui
