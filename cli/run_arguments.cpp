// SPDX-License-Identifier: Apache-2.0
#include "cli/run_arguments.h"

#include "cli/backend.h"
#include "cli/command.h"
#include "core/machine/disk_durability.h"
#include "core/machine/network_rules.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

namespace vitrine::cli {

namespace {

// An option whose empty value is a value too.
CLI::Option* addText(CLI::App& app,
                     const std::string& name,
                     std::optional<std::string>& value,
                     const std::string& description) {
    return app.add_option_function<std::string>(
        name, [&value](const std::string& text) { value = text; }, description);
}

void addSwitch(CLI::App& app,
               const std::string& name,
               std::optional<bool>& value,
               const std::string& description) {
    app.add_flag_function(
        "--" + name + ",!--no-" + name,
        [&value](std::int64_t count) { value = count > 0; },
        description);
}

QString fromHere(const std::string& path, const QString& workingDirectory) {
    const QString text = toQString(path);
    const QString absolute = QDir(workingDirectory).absoluteFilePath(text);
    return QFileInfo::exists(absolute) ? QDir::cleanPath(absolute) : text;
}

Result<std::optional<KernelBoot>>
kernelFrom(std::optional<KernelBoot> stored, const RunArguments& typed, const QString& here) {
    if (typed.kernel.empty() && typed.initrd.empty() && !typed.kernelCommandLine)
        return stored;
    // A kernel stands for itself: the initrd and words of another one do not belong to it.
    if (!typed.kernel.empty())
        stored = KernelBoot{fromHere(typed.kernel, here), {}, {}};
    if (!stored)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--initrd and --kernel-args need a kernel. Add --kernel."));
    if (!typed.initrd.empty())
        stored->initrd = fromHere(typed.initrd, here);
    if (typed.kernelCommandLine)
        stored->commandLine = toQString(*typed.kernelCommandLine);
    return stored;
}

Result<NetworkOptions> networkFrom(NetworkOptions stored, const RunArguments& typed) {
    const bool softnet =
        typed.softnet || typed.softnetAllow || typed.softnetBlock || typed.softnetExpose;
    const int kinds = static_cast<int>(typed.nat) + static_cast<int>(typed.hostOnly) +
                      static_cast<int>(softnet) + static_cast<int>(!typed.bridged.empty());
    if (kinds == 0)
        return stored;
    if (kinds > 1)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("A machine is attached in one way: give one of --net-nat, "
                           "--net-bridged, --net-host and --net-softnet."));
    NetworkOptions network;
    if (typed.hostOnly)
        network.mode = NetworkMode::HostOnly;
    for (const std::string& interface : typed.bridged) {
        network.mode = NetworkMode::Bridged;
        network.interfaces.append(toQString(interface));
    }
    if (softnet) {
        // A list that is not typed stays as it is: a firewall never loses a rule by the way.
        if (stored.mode == NetworkMode::Softnet)
            network = stored;
        network.mode = NetworkMode::Softnet;
        const auto take = [](const std::optional<std::string>& text, QString& list) {
            if (text)
                list = toQString(*text);
        };
        take(typed.softnetAllow, network.allow);
        take(typed.softnetBlock, network.block);
        take(typed.softnetExpose, network.expose);
    }
    if (const auto checked = network.check(); !checked)
        return fail(checked.error());
    return network;
}

void addNetworkArguments(CLI::App& app, RunArguments& arguments) {
    app.add_flag("--net-nat", arguments.nat, "A network of its own behind this computer (usual)");
    app.add_option("--net-bridged",
                   arguments.bridged,
                   "Attach to this bridge, or to the bridge that this interface is part of. May be "
                   "given several times")
        ->type_name("INTERFACE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_flag("--net-host",
                 arguments.hostOnly,
                 screensStayInTheirProcess()
                     ? "A network with this computer alone, made by Softnet"
                     : "Reached from this computer by --forward only; the guest reaches nothing");
    app.add_flag("--net-softnet", arguments.softnet, "Behind the firewall Softnet");
    addText(app,
            "--net-softnet-allow",
            arguments.softnetAllow,
            "Networks that Softnet lets through: 10.0.0.0/8, @host, also with \"in \" or \"out \" "
            "before "
            "and :PORT behind, commas between several")
        ->type_name("CIDRS");
    addText(app,
            "--net-softnet-block",
            arguments.softnetBlock,
            "Networks that Softnet blocks, written in the same way")
        ->type_name("CIDRS");
    addText(app,
            "--net-softnet-expose",
            arguments.softnetExpose,
            "Ports of this computer that lead to the guest: 2222:22, or 127.0.0.1:2222:22, commas "
            "between several")
        ->type_name("PORTS");
}

void addStartArguments(CLI::App& app, RunArguments& arguments) {
    addText(app,
            "--boot",
            arguments.bootOrder,
            "What the firmware starts from: disk, cd, network, in the order wanted")
        ->type_name("LIST");
    addSwitch(app, "nested", arguments.nested, "Virtual machines inside the guest, or not");
    addSwitch(
        app,
        "vnc",
        arguments.vnc,
        screensStayInTheirProcess()
            ? "Print where the guest's own screen sharing is, as vnc://ADDRESS, once it is known"
            : "Show the screen to VNC viewers of this computer too; the URL with a fresh "
              "password is printed");
    app.add_flag_function(
           "--vnc-experimental",
           [&arguments](std::int64_t) {
               arguments.vnc = true;
               arguments.vncOfFramework = true;
           },
           screensStayInTheirProcess()
               ? "A server of Apple's framework itself: refused, with the reason"
               : "As --vnc")
        ->excludes(app.get_option("--vnc"));
    addSwitch(app,
              "serial",
              arguments.serial,
              "Lead the serial line to a new pseudo-terminal, whose name is printed");
    app.add_option("--serial-path",
                   arguments.serialPath,
                   "Lead the serial line to this terminal device; --serial wins")
        ->type_name("PATH");
}

} // namespace

bool RunArguments::isEmpty() const {
    return disks.empty() && !rootDiskOptions && forwards.empty() && shares.empty() &&
           kernel.empty() && initrd.empty() && !kernelCommandLine && accelerator.empty() &&
           !audio && !clipboard && !pointer && !keyboard && !nat && !hostOnly && !softnet &&
           bridged.empty() && !softnetAllow && !softnetBlock && !softnetExpose && !bootOrder &&
           !serial && serialPath.empty() && !vnc && !nested;
}

bool RunArguments::changesGuest() const {
    RunArguments others = *this;
    others.forwards.clear();
    others.shares.clear();
    return !others.isEmpty();
}

void addRunArguments(CLI::App& app, RunArguments& arguments, const std::string& diskOption) {
    app.add_option(diskOption,
                   arguments.disks,
                   "A further disk: PATH[:ro,sync=none|fsync|full,caching=cached|uncached]. "
                   "A disk image file, an ISO file, a block device, a cached image, which is "
                   "copied, or nbd://HOST/EXPORT. May be given several times")
        ->type_name("DISK")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option_function<std::string>(
           "--root-disk-opts",
           [&arguments](const std::string& text) { arguments.rootDiskOptions = text; },
           "How the machine's own disk is used: ro, sync=…, caching=…")
        ->type_name("LIST");
    app.add_option(
           "--forward",
           arguments.forwards,
           "Lead a port of this computer's 127.0.0.1 to a port of the guest: HOST:GUEST, or "
           "GUEST for any free port. May be given several times")
        ->type_name("PORTS")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option(
           "--dir",
           arguments.shares,
           "Share a folder with the guest, writable unless :ro is given (vitrinectl share NAME "
           "add is read-only unless told): [NAME:]PATH[:ro,tag=TAG], or the address of a "
           ".tar.gz instead of a path. May be given several times")
        ->type_name("SHARE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    app.add_option("--kernel", arguments.kernel, "Start this Linux kernel instead of the firmware")
        ->type_name("FILE");
    app.add_option("--initrd", arguments.initrd, "Initial RAM disk for --kernel")
        ->type_name("FILE");
    app.add_option_function<std::string>(
           "--kernel-args",
           [&arguments](const std::string& text) { arguments.kernelCommandLine = text; },
           "Command line for --kernel")
        ->type_name("TEXT");
    app.add_option("--accelerator",
                   arguments.accelerator,
                   "Run by the processor (kvm), emulated (tcg), or whichever works")
        ->check(CLI::IsMember({"automatic", "kvm", "tcg"}).description(""))
        ->type_name("automatic|kvm|tcg");
    addNetworkArguments(app, arguments);
    addStartArguments(app, arguments);
    addSwitch(app, "audio", arguments.audio, "With or without a sound device");
    addSwitch(app, "clipboard", arguments.clipboard, "Share the clipboard or not");
    addSwitch(app, "pointer", arguments.pointer, "With or without a pointing device");
    addSwitch(app, "keyboard", arguments.keyboard, "With or without a keyboard");
}

Result<RunOptions>
merge(RunOptions stored, const RunArguments& typed, const QString& workingDirectory) {
    if (!typed.disks.empty()) {
        stored.disks.clear();
        for (const std::string& text : typed.disks) {
            auto disk = ExtraDisk::fromText(toQString(text));
            if (!disk)
                return fail(disk.error());
            const ExtraDisk::Kind kind = disk->kind(workingDirectory);
            if (kind == ExtraDisk::Kind::File || kind == ExtraDisk::Kind::BlockDevice)
                disk->path = disk->filePath(workingDirectory);
            stored.disks.append(*std::move(disk));
        }
    }
    if (typed.rootDiskOptions) {
        const auto options = DiskOptions::fromText(toQString(*typed.rootDiskOptions));
        if (!options)
            return fail(options.error());
        stored.rootDisk = *options;
    }
    if (!typed.forwards.empty()) {
        stored.forwards.clear();
        for (const std::string& text : typed.forwards) {
            const auto forward = portForwardFromText(toQString(text));
            if (!forward)
                return fail(forward.error());
            stored.forwards.append(*forward);
        }
    }
    if (!typed.shares.empty()) {
        stored.shares.clear();
        for (const std::string& text : typed.shares) {
            auto share = ShareSpec::fromText(toQString(text));
            if (!share)
                return fail(share.error());
            if (!share->isArchive())
                share->path = share->folder(workingDirectory);
            stored.shares.append(*std::move(share));
        }
    }
    // Also the stored ones: somebody may have written into the file.
    if (const auto groups = groupShares(stored.shares); !groups)
        return fail(groups.error());
    auto kernel = kernelFrom(std::move(stored.kernel), typed, workingDirectory);
    if (!kernel)
        return fail(kernel.error());
    stored.kernel = *std::move(kernel);
    if (typed.accelerator == "automatic")
        stored.accelerator = AcceleratorChoice::Automatic;
    else if (typed.accelerator == "kvm")
        stored.accelerator = AcceleratorChoice::Kvm;
    else if (typed.accelerator == "tcg")
        stored.accelerator = AcceleratorChoice::Tcg;
    auto network = networkFrom(std::move(stored.network), typed);
    if (!network)
        return fail(network.error());
    stored.network = *std::move(network);
    if (typed.bootOrder) {
        const auto order = bootOrderFromText(toQString(*typed.bootOrder));
        if (!order)
            return fail(order.error());
        stored.bootOrder = *order;
    }
    if (!typed.serialPath.empty())
        stored.serial = {SerialLine::Kind::Device,
                         QDir(workingDirectory).absoluteFilePath(toQString(typed.serialPath))};
    if (typed.serial)
        stored.serial = {*typed.serial ? SerialLine::Kind::NewTerminal : SerialLine::Kind::Console,
                         {}};
    if (typed.vncOfFramework && screensStayInTheirProcess())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("--vnc-experimental is not available: that server is a part of Apple's "
                           "framework that Apple offers to nobody. Use --vnc, which is the guest's "
                           "own screen sharing."));
    stored.vncServer = typed.vnc.value_or(stored.vncServer);
    stored.nested = typed.nested.value_or(stored.nested);
    stored.audio = typed.audio.value_or(stored.audio);
    stored.clipboard = typed.clipboard.value_or(stored.clipboard);
    stored.pointer = typed.pointer.value_or(stored.pointer);
    stored.keyboard = typed.keyboard.value_or(stored.keyboard);
    return stored;
}

RunOptions typedPart(RunOptions merged, const RunArguments& typed) {
    RunOptions part;
    if (!typed.disks.empty())
        part.disks = std::move(merged.disks);
    if (!typed.shares.empty())
        part.shares = std::move(merged.shares);
    if (!typed.kernel.empty() || !typed.initrd.empty() || typed.kernelCommandLine)
        part.kernel = std::move(merged.kernel);
    const bool attaches = typed.hostOnly || typed.softnet || !typed.bridged.empty() ||
                          typed.softnetAllow || typed.softnetBlock || typed.softnetExpose;
    const bool bridged = merged.network.mode == NetworkMode::Bridged; // which takes no forwards
    if (attaches || (bridged && !typed.forwards.empty()))
        part.network = std::move(merged.network);
    if (attaches || !typed.forwards.empty())
        part.forwards = std::move(merged.forwards);
    if (!typed.serialPath.empty())
        part.serial = std::move(merged.serial);
    return part;
}

QStringList riskNotes(const RunOptions& options) {
    QStringList notes;
    if (isRisky(options.rootDisk))
        notes << Tr::tr("Root disk: %1").arg(durabilityText(options.rootDisk));
    for (const ExtraDisk& disk : options.disks)
        if (!disk.isOptical() && isRisky(disk.options))
            notes << QStringLiteral("%1: %2").arg(disk.path, durabilityText(disk.options));
    const bool exposes = options.network.mode == NetworkMode::Softnet;
    return notes +
           reservedPortNotes(options.forwards, exposes ? options.network.expose : QString());
}

int firstOpenPort() {
#ifdef Q_OS_LINUX
    QFile setting(QStringLiteral("/proc/sys/net/ipv4/ip_unprivileged_port_start"));
    bool isNumber = false;
    const int first =
        setting.open(QIODevice::ReadOnly) ? setting.readAll().trimmed().toInt(&isNumber) : 0;
    return isNumber ? first : 1024;
#else
    return 0;
#endif
}

QStringList
reservedPortNotes(const QList<PortForward>& forwards, const QString& exposeList, int firstOpen) {
    QStringList notes;
    const auto look = [&](int port, const QString& spec) {
        if (port > 0 && port < firstOpen)
            notes << Tr::tr("Port %1 of this computer will not lead to the guest: ports below %2 "
                            "are reserved here. Choose a higher one instead of %3, or lower "
                            "net.ipv4.ip_unprivileged_port_start.")
                         .arg(port)
                         .arg(firstOpen)
                         .arg(spec);
    };
    for (const PortForward& forward : forwards)
        look(forward.hostPort, portForwardText(forward));
    for (const QString& spec : exposeList.split(QLatin1Char(','), Qt::SkipEmptyParts))
        look(spec.section(QLatin1Char(':'), -2, -2).toInt(), spec);
    return notes;
}

} // namespace vitrine::cli
