// SPDX-License-Identifier: Apache-2.0
#include "qemu/launch_planner.h"

#include "core/machine/mac_options.h"
#include "qemu/disk_planner.h"
#include "qemu/firmware.h"
#include "qemu/nested_virtualization.h"
#include "qemu/network_planner.h"
#include "qemu/peripheral_planner.h"

#include <QDir>
#include <QFileInfo>

namespace vitrine::qemu {
namespace {

constexpr int mostProcessors = 255; // of pc-q35-7.2 without an interrupt remapper
// The RFB server of QEMU 7.2 crops what is larger; guests lose their mode below the smaller.
constexpr int smallestWidth = 640, smallestHeight = 480;
constexpr int largestWidth = 2560, largestHeight = 2048;
constexpr quint64 smallestMemory = 64;      // MiB
constexpr quint64 largestMemory = 16 << 20; // MiB; more than QEMU's machines are made for

Result<> checkMachine(const MachineInfo& machine) {
    if (machine.isImage)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is a cached image and cannot be run. Clone it first and run the "
                           "clone.")
                        .arg(machine.name));
    if (machine.state == MachineState::Broken || !machine.config)
        return fail(Error::Kind::Integrity,
                    Tr::tr("\"%1\" cannot be run. %2").arg(machine.name, machine.brokenReason));
    if (machine.config->system == GuestSystem::Darwin)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is a macOS machine. Those run only on a Mac with Apple silicon, "
                           "through Apple's Virtualization framework.")
                        .arg(machine.name));
    if (machine.config->diskFormat == DiskFormat::Asif)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The disk of \"%1\" is in Apple's format ASIF, which QEMU cannot read. "
                           "Convert it to \"raw\" on a Mac.")
                        .arg(machine.name));
    if (machine.state == MachineState::Suspended &&
        QFileInfo::exists(machine.directory + QStringLiteral("/state.vzvmsave")))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" was suspended by another program, and only that can go on with "
                           "it. Resume and shut it down there, or throw its saved state away with "
                           "\"vitrinectl run --discard-state\" and lose what was not written to "
                           "its disk.")
                        .arg(machine.name));
    return {};
}

// What holds on every computer.
Result<> checkHardware(const MachineInfo& machine) {
    const MachineConfig& config = *machine.config;
    if (config.cpuCount < 1 || config.cpuCount > mostProcessors)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("Cannot start \"%1\" with %2 processors. Choose a number between 1 and "
                           "%3 in Settings.")
                        .arg(machine.name)
                        .arg(config.cpuCount)
                        .arg(mostProcessors));
    if (config.memory.wholeMiB() < smallestMemory)
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("Cannot start \"%1\" with %2 of memory. Give it at least %3 in Settings.")
                .arg(machine.name,
                     config.memory.toMemoryText(),
                     ByteCount::fromMiB(smallestMemory).toMemoryText()));
    if (config.memory.wholeMiB() > largestMemory)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Cannot start \"%1\" with %2 of memory. Give it at most %3 in Settings.")
                        .arg(machine.name,
                             config.memory.toMemoryText(),
                             ByteCount::fromMiB(largestMemory).toMemoryText()));
    return {};
}

Result<> checkHostMemory(const MachineInfo& machine, const HostInfo& host) {
    const MachineConfig& config = *machine.config;
    if (config.memory > host.memory)
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("Cannot start \"%1\". It needs %2 of memory and this computer has %3. "
                   "Lower the memory in Settings.")
                .arg(machine.name, config.memory.toMemoryText(), host.memory.toMemoryText()));
    return {};
}

Result<> checkResources(const MachineInfo& machine, const HostInfo& host, LaunchPlan& plan) {
    const MachineConfig& config = *machine.config;
    if (const auto result = checkHardware(machine); !result)
        return result;
    if (const auto result = checkHostMemory(machine, host); !result)
        return result;
    plan.cpus = config.cpuCount;
    plan.memory = ByteCount::fromMiB(config.memory.wholeMiB());
    if (config.cpuCount > host.threads)
        plan.notes << Tr::tr("The machine has %1 processors and this computer only %2: they take "
                             "turns.")
                          .arg(config.cpuCount)
                          .arg(host.threads);
    return {};
}

void planDisplay(const MachineConfig& config, LaunchPlan& plan) {
    plan.display = config.display;
    plan.display.unit = DisplaySize::Unit::Pixels;
    plan.display.width = std::clamp(config.display.width, smallestWidth, largestWidth);
    plan.display.height = std::clamp(config.display.height, smallestHeight, largestHeight);
    if (plan.display.width != config.display.width || plan.display.height != config.display.height)
        plan.notes << Tr::tr("The display starts with %1 × %2 pixels: QEMU's screen cannot have "
                             "%3 × %4.")
                          .arg(plan.display.width)
                          .arg(plan.display.height)
                          .arg(config.display.width)
                          .arg(config.display.height);
}

Result<> planKernel(const MachineInfo& machine, const KernelBoot& boot, LaunchPlan& plan) {
    KernelBoot planned = boot;
    const QDir folder(machine.directory);
    for (QString* path : {&planned.kernel, &planned.initrd}) {
        if (path->isEmpty())
            continue;
        *path = QDir::cleanPath(folder.absoluteFilePath(*path));
        const QFileInfo info(*path);
        if (!info.isFile() || !info.isReadable())
            return fail(Error::Kind::Unsupported,
                        Tr::tr("Cannot start \"%1\": \"%2\", which it boots from, is not a "
                               "readable file. Correct its boot settings.")
                            .arg(machine.name, *path));
    }
    if (planned.kernel.isEmpty())
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("Cannot start \"%1\": its boot settings name no kernel.").arg(machine.name));
    plan.kernel = planned;
    return {};
}

struct Checked {
    LaunchPlan plan;
    std::optional<Firmware> firmware;
    VariableStore variables;
};

Result<> planBoot(const MachineInfo& machine,
                  const RunOptions& options,
                  const ProgramPaths& paths,
                  Checked& checked) {
    if (options.kernel)
        return planKernel(machine, *options.kernel, checked.plan);
    const auto firmware = findFirmware(paths, checked.plan.guest);
    if (!firmware)
        return fail(firmware.error());
    const auto sidecar = Sidecar::read(machine.directory);
    if (!sidecar)
        return fail(sidecar.error());
    const auto store =
        chooseVariableStore(machine.directory, checked.plan.guest, *firmware, sidecar->efivars);
    if (!store)
        return fail(store.error());
    checked.firmware = *firmware;
    checked.variables = *store;
    checked.plan.firmwareCode = firmware->code;
    checked.plan.firmwareVariables = store->path;
    return {};
}

Result<> planProcessor(const RunOptions& options,
                       const ProgramPaths& paths,
                       const HostInfo& host,
                       LaunchPlan& plan) {
    const auto emulator = findEmulator(paths, plan.guest);
    if (!emulator)
        return fail(emulator.error());
    plan.emulator = emulator->path;
    const bool arm = plan.guest == Architecture::Arm64;
    plan.machineType = arm ? QStringLiteral("virt-7.2") : QStringLiteral("pc-q35-7.2");
    // The probe runs a guest: not asked for where its answer changes nothing.
    AcceleratorVerdict verdict;
    if (plan.guest == host.architecture && options.accelerator != AcceleratorChoice::Tcg)
        verdict = acceleratorVerdict(paths);
    const auto decision =
        chooseAccelerator(options.accelerator, plan.guest, host.architecture, verdict);
    if (!decision)
        return fail(decision.error());
    plan.accelerator = decision->accelerator;
    plan.acceleratorNote = decision->note;
    if (options.nested)
        if (const QString reason = whyNotNested(plan.guest, plan.accelerator, paths, host);
            !reason.isEmpty())
            return fail(
                Error::Kind::Unsupported,
                Tr::tr("The machine cannot run virtual machines of its own. %1").arg(reason));
    if (plan.accelerator == Accelerator::Kvm)
        plan.cpuModel =
            arm || options.nested ? QStringLiteral("host") : QStringLiteral("host,vmx=off,svm=off");
    else // Emulated pointer authentication costs two thirds of an arm64 guest's speed.
        plan.cpuModel = arm ? QStringLiteral("max,pauth-impdef=on") : QStringLiteral("max");
    return {};
}

Result<Checked> check(const MachineInfo& machine,
                      const RunOptions& options,
                      const ProgramPaths& paths,
                      const HostInfo& host,
                      bool qemuNat) {
    Checked checked;
    LaunchPlan& plan = checked.plan;
    plan.qemuNat = qemuNat;
    if (const auto result = checkMachine(machine); !result)
        return fail(result.error());
    if (!MacOptions::of(options).rosetta.isEmpty())
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("Cannot start \"%1\" with Rosetta, which needs a Mac with Apple silicon. "
                   "Switch it off under Boot in the machine's settings.")
                .arg(machine.name));
    plan.guest = machine.config->architecture;
    plan.macAddress = machine.config->macAddress;
    plan.pointer = options.pointer;
    if (!options.sharing.security.isEmpty())
        plan.shareSecurity = options.sharing.security;
    plan.keyboard = options.keyboard;
    plan.clipboard = options.clipboard;
    planDisplay(*machine.config, plan);
    if (const auto result = checkResources(machine, host, plan); !result)
        return fail(result.error());
    if (const auto result = planProcessor(options, paths, host, plan); !result)
        return fail(result.error());
    if (const auto result = planDisks(machine, options, plan); !result)
        return fail(result.error());
    if (const auto result = planNetwork(options, paths, plan); !result)
        return fail(result.error());
    if (const auto result = planPeripherals(options, paths, plan); !result)
        return fail(result.error());
    if (const auto result = planBoot(machine, options, paths, checked); !result)
        return fail(result.error());
    return checked;
}

Result<LaunchPlan> prepare(const MachineInfo& machine,
                           const RunOptions& options,
                           const ProgramPaths& paths,
                           const HostInfo& host,
                           bool qemuNat) {
    auto checked = check(machine, options, paths, host, qemuNat);
    if (!checked)
        return fail(checked.error());
    if (checked->firmware) {
        const auto path =
            prepareVariableStore(machine.directory, *checked->firmware, checked->variables);
        if (!path)
            return fail(path.error());
        checked->plan.firmwareVariables = *path;
    }
    return checked->plan;
}

} // namespace

Result<LaunchPlan> checkLaunch(const MachineInfo& machine,
                               const RunOptions& options,
                               const ProgramPaths& paths,
                               const HostInfo& host) {
    auto checked = check(machine, options, paths, host, false);
    if (!checked)
        return fail(checked.error());
    return checked->plan;
}

Result<QString> checkHardwareToStore(const MachineInfo& machine, const HostInfo& host) {
    const MachineConfig& config = *machine.config;
    const QString memory = config.memory.toMemoryText();
    if (config.cpuCount < 1 || config.cpuCount > mostProcessors)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--cpu: %1 processors are not possible. Write a number from 1 to %2.")
                        .arg(config.cpuCount)
                        .arg(mostProcessors));
    if (config.memory.wholeMiB() < smallestMemory)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--memory: %1 is too little. Write %2 or more.")
                        .arg(memory)
                        .arg(smallestMemory));
    if (config.memory.wholeMiB() > largestMemory)
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("--memory: %1 is too much. Write at most %2.").arg(memory).arg(largestMemory));
    if (checkHostMemory(machine, host))
        return QString();
    return Tr::tr("The memory of %1 was stored, but \"%2\" cannot start with it on this computer: "
                  "this computer has %3. Give it less with --memory.")
        .arg(memory, machine.name, host.memory.toMemoryText());
}

Result<> checkOptionsToStore(const MachineInfo& machine,
                             const RunOptions& options,
                             const ProgramPaths& paths) {
    LaunchPlan plan;
    plan.guest = machine.config->architecture;
    plan.macAddress = machine.config->macAddress;
    // One by one first: a disk in use must not hide one that does not exist.
    for (const ExtraDisk& disk : options.disks) {
        RunOptions alone;
        alone.disks = {disk};
        if (const auto result = planDisks(machine, alone, plan);
            !result && result.error().kind != Error::Kind::Busy)
            return result;
    }
    if (!options.disks.isEmpty())
        if (const auto result = planDisks(machine, options, plan);
            !result && result.error().kind != Error::Kind::Busy)
            return result;
    if (options.network != NetworkOptions() || !options.forwards.isEmpty())
        if (const auto result = planNetwork(options, paths, plan); !result)
            return result;
    RunOptions silent = options;
    silent.audio = false; // whether somebody can hear it is seen at the start
    if (const auto result = planPeripherals(silent, paths, plan); !result)
        return result;
    return options.kernel ? planKernel(machine, *options.kernel, plan) : Result<>();
}

Result<LaunchPlan> planLaunch(const MachineInfo& machine,
                              const RunOptions& options,
                              const ProgramPaths& paths,
                              const HostInfo& host) {
    return prepare(machine, options, paths, host, false);
}

Result<LaunchPlan> planToGoOn(const MachineInfo& machine,
                              const RunOptions& options,
                              const StateFingerprint& saved,
                              const ProgramPaths& paths,
                              const HostInfo& host) {
    const Accelerator was =
        saved.accelerator == QLatin1String("kvm") ? Accelerator::Kvm : Accelerator::Tcg;
    const bool qemuNat = saved.nat == QLatin1String(natOfQemu);
    auto plan = prepare(machine, options, paths, host, qemuNat);
    if (!plan || plan->accelerator != was) {
        RunOptions forced = options;
        forced.accelerator =
            was == Accelerator::Kvm ? AcceleratorChoice::Kvm : AcceleratorChoice::Tcg;
        plan = prepare(machine, forced, paths, host, qemuNat);
        if (plan && was == Accelerator::Tcg)
            plan->acceleratorNote = Tr::tr("Emulated, slow: the machine was emulated when it was "
                                           "suspended, and stays so until it has been shut down.");
        else if (plan && !plan->acceleratorNote.isEmpty())
            plan->acceleratorNote = Tr::tr("KVM is used because the machine was suspended with it, "
                                           "although a test guest did not run now.");
    }
    if (plan && plan->network == NetworkMode::Nat && qemuNat)
        plan->notes << Tr::tr("The machine was suspended by an older version, whose NAT it keeps "
                              "until it has been shut down: the guest also reaches services on "
                              "this computer's 127.0.0.1.");
    return plan;
}

} // namespace vitrine::qemu
