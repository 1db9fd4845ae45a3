// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_run_planner.h"

#include "qemu/accelerator_probe.h"
#include "qemu/kernel_run/guest_program.h"
#include "qemu/kernel_run/kernel_modules.h"

#include <QDir>
#include <QFileInfo>

#include <initializer_list>
#include <unistd.h>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr int smallestMemory = 128; // MiB: the kernel and its first files
constexpr int mostProcessors = 255; // of pc-q35-7.2
constexpr qsizetype mostMounts = 8;
constexpr qsizetype longestKernelArguments = 1900; // bytes; an x86 kernel takes 2047
constexpr qsizetype longestCommand = 100 * 1024;   // bytes; a kernel takes 128 KiB in one word

const QString virtiofsMethod = QStringLiteral("virtiofs");
const QString plan9Method = QStringLiteral("9p");

// The kernel's options that make a module; "virtiofs" needs fuse.
QString optionOf(const QString& module) {
    static const std::initializer_list<std::pair<const char*, const char*>> options{
        {"virtio_pci", "CONFIG_VIRTIO_PCI"},
        {"virtio_console", "CONFIG_VIRTIO_CONSOLE"},
        {"fuse", "CONFIG_FUSE_FS"},
        {"virtiofs", "CONFIG_VIRTIO_FS"},
        {"9p", "CONFIG_9P_FS"},
        {"9pnet", "CONFIG_NET_9P"},
        {"9pnet_virtio", "CONFIG_NET_9P_VIRTIO"},
        {"overlay", "CONFIG_OVERLAY_FS"}};
    for (const auto& [name, option] : options) {
        if (module == QLatin1String(name)) {
            return QString::fromLatin1(option);
        }
    }
    return module;
}

QStringList modulesFor(const QString& method) {
    return method == virtiofsMethod
               ? QStringList{QStringLiteral("fuse"), QStringLiteral("virtiofs")}
               : QStringList{
                     QStringLiteral("9pnet"), QStringLiteral("9pnet_virtio"), QStringLiteral("9p")};
}

Error missingOptions(const KernelImage& kernel, const QStringList& modules) {
    QStringList options;
    for (const QString& module : modules) {
        options.append(optionOf(module));
    }
    return {Error::Kind::Unsupported,
            Tr::tr("The kernel \"%1\" needs %2, built in or as modules, and has neither. Build it "
                   "with that, or name the folder of its modules with --modules.")
                .arg(kernel.path, options.join(QStringLiteral(", "))),
            {}};
}

Result<> checkNumbers(const KernelRunRequest& request, const HostInfo& host) {
    if (request.memory < smallestMemory ||
        static_cast<quint64>(request.memory) > host.memory.wholeMiB()) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("%1 MiB of memory is not possible. Write %2 to %3 MiB; this computer "
                           "has no more.")
                        .arg(request.memory)
                        .arg(smallestMemory)
                        .arg(host.memory.wholeMiB()));
    }
    if (request.cpus < 1 || request.cpus > mostProcessors) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("%1 processors are not possible. Write a number from 1 to %2.")
                        .arg(request.cpus)
                        .arg(mostProcessors));
    }
    if (request.timeoutSeconds < 0) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("A time limit is a number of seconds, 0 for none."));
    }
    const QByteArray command = request.command.toUtf8();
    if (command.trimmed().isEmpty() || command.size() > longestCommand || command.contains('\0')) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Give one command, a line for /bin/sh of at most %1 KiB, or - for a "
                           "shell.")
                        .arg(longestCommand / 1024));
    }
    if (request.arguments.toUtf8().size() > longestKernelArguments ||
        request.arguments.contains(QLatin1Char('\n')) || request.arguments.contains(QChar::Null)) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The kernel's arguments are one line of at most %1 bytes.")
                        .arg(longestKernelArguments));
    }
    if (request.mounts.size() > mostMounts) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("At most %n folder(s) can be mounted besides the root file system.",
                           nullptr,
                           static_cast<int>(mostMounts)));
    }
    return {};
}

Result<> planEmulator(const KernelRunRequest& request,
                      const ProgramPaths& paths,
                      const HostInfo& host,
                      KernelRunPlan& plan) {
    const Architecture guest = plan.kernel.architecture;
    if (request.architecture && *request.architecture != guest) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The kernel \"%1\" is for %2, and %3 was asked for. Leave --arch out, "
                           "or name another kernel.")
                        .arg(plan.kernel.path, toText(guest), toText(*request.architecture)));
    }
    const Result<Emulator> emulator = findEmulator(paths, guest);
    if (!emulator) {
        return fail(emulator.error());
    }
    plan.emulator = emulator->path;
    AcceleratorVerdict verdict;
    if (guest == host.architecture && request.accelerator != AcceleratorChoice::Tcg) {
        verdict = acceleratorVerdict(paths);
    }
    const Result<AcceleratorDecision> decision =
        chooseAccelerator(request.accelerator, guest, host.architecture, verdict);
    if (!decision) {
        return fail(decision.error());
    }
    plan.accelerator = decision->accelerator;
    return {};
}

Result<> planShares(const KernelRunRequest& request, KernelRunPlan& plan) {
    QFileInfo root(request.root);
    if (!root.isDir() || !root.isReadable()) {
        return fail(root.exists() ? Error::Kind::Permission : Error::Kind::NotFound,
                    Tr::tr("The root file system \"%1\" is no folder that you can read. Give the "
                           "folder that holds bin, lib and the rest.")
                        .arg(request.root));
    }
    plan.shares.append({QStringLiteral("root"), root.canonicalFilePath(), {}, !request.writable});
    for (const KernelMount& mount : request.mounts) {
        const QFileInfo folder(mount.hostPath);
        if (!folder.isDir() || !folder.isReadable()) {
            return fail(folder.exists() ? Error::Kind::Permission : Error::Kind::NotFound,
                        Tr::tr("\"%1\", which is to be mounted, is no folder that you can read.")
                            .arg(mount.hostPath));
        }
        plan.shares.append({QStringLiteral("mount%1").arg(plan.shares.size()),
                            folder.canonicalFilePath(),
                            mount.guestPath,
                            mount.readOnly});
    }
    plan.overlay = !request.writable;
    return {};
}

// A shell that runs on that kernel.
Result<> checkShell(const KernelRunPlan& plan) {
    const QString& root = plan.shares.first().hostPath;
    const Result<GuestProgram> shell = GuestProgram::read(root, QStringLiteral("bin/sh"));
    if (!shell) {
        return fail(shell.error().kind,
                    Tr::tr("The root file system \"%1\" has no /bin/sh that can be read, which "
                           "runs the command. Give one with a shell, or put a static busybox "
                           "there.")
                        .arg(root),
                    shell.error().message);
    }
    if (shell->isElf && shell->architecture != plan.kernel.architecture) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The kernel \"%1\" is for %2, but the programs of the root file system "
                           "\"%3\" are not. Give a root file system for %2 with --rootfs.")
                        .arg(plan.kernel.path, toText(plan.kernel.architecture), root));
    }
    return {};
}

Result<>
planBusybox(const KernelRunRequest& request, const ProgramPaths& paths, KernelRunPlan& plan) {
    const QString& root = plan.shares.first().hostPath;
    QStringList places{request.busybox};
    if (request.busybox.isEmpty()) {
        places = {paths.find(QStringLiteral("busybox")),
                  root + QStringLiteral("/bin/busybox"),
                  root + QStringLiteral("/usr/bin/busybox")};
    }
    for (const QString& place : std::as_const(places)) {
        if (place.isEmpty()) {
            continue;
        }
        const Result<GuestProgram> program =
            GuestProgram::read(QStringLiteral("/"), QDir::current().absoluteFilePath(place).mid(1));
        if (program && program->isStatic && program->architecture == plan.kernel.architecture) {
            plan.busybox = QDir::current().absoluteFilePath(place);
            return {};
        }
    }
    if (!request.busybox.isEmpty()) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is no static program for %2.")
                        .arg(request.busybox, toText(plan.kernel.architecture)));
    }
    return fail(Error::Kind::NotFound,
                Tr::tr("There is no static busybox for %1, which starts the guest. Install one "
                       "(Debian: busybox-static), put it into the root file system as "
                       "/bin/busybox, or name it with --busybox.")
                    .arg(toText(plan.kernel.architecture)));
}

Result<std::optional<KernelModules>> findModules(const KernelRunRequest& request,
                                                 const KernelRunPlan& plan) {
    const QString& version = plan.kernel.version;
    if (!request.modules.isEmpty()) {
        const QString folder = KernelModules::findFolder(request.modules, version);
        auto modules = KernelModules::open(folder.isEmpty() ? request.modules : folder);
        if (!modules) {
            return fail(modules.error());
        }
        return std::optional(*modules);
    }
    if (version.isEmpty()) {
        return std::optional<KernelModules>();
    }
    for (const QString& root : {plan.shares.first().hostPath, QString()}) {
        const QString folder = root + QStringLiteral("/lib/modules/") + version;
        if (auto modules = KernelModules::open(folder)) {
            return std::optional(*modules);
        }
    }
    return std::optional<KernelModules>();
}

// Which ways this computer has.
Result<QStringList>
methodsHere(const KernelRunRequest& request, const ProgramPaths& paths, KernelRunPlan& plan) {
    QStringList methods;
    plan.dropsRoot = false;
    if (request.share != KernelRunRequest::Share::Plan9) {
        plan.transport = findShareTransport(paths);
        if (plan.transport.kind == ShareTransport::Kind::Virtiofs) {
            methods.append(virtiofsMethod);
        } else if (request.share == KernelRunRequest::Share::Virtiofs) {
            return fail(Error::Kind::Unsupported,
                        plan.transport.note.isEmpty() ? Tr::tr("virtiofs cannot be had here.")
                                                      : plan.transport.note);
        }
    }
    if (request.share != KernelRunRequest::Share::Virtiofs) {
        methods.append(plan9Method);
    }
    return methods;
}

bool isWritable(const KernelRunPlan& plan) {
    for (const KernelShare& share : plan.shares) {
        if (!share.readOnly) {
            return true;
        }
    }
    return false;
}

// The way that this kernel knows, of those this computer has; both where its modules are not known.
Result<> planModules(const KernelRunRequest& request, QStringList methods, KernelRunPlan& plan) {
    const auto modules = findModules(request, plan);
    if (!modules) {
        return fail(modules.error());
    }
    if (*modules) {
        QStringList missing;
        for (const QString& method : std::as_const(methods)) {
            const auto selection = (*modules)->select(modulesFor(method));
            if (selection.missing.isEmpty()) {
                methods = {method};
                missing.clear();
                break;
            }
            missing.append(selection.missing);
        }
        QStringList needed{QStringLiteral("virtio_pci"), QStringLiteral("virtio_console")};
        if (missing.isEmpty()) {
            needed.append(modulesFor(methods.first()));
        }
        if (plan.overlay) {
            needed.append(QStringLiteral("overlay"));
        }
        const auto selection = (*modules)->select(needed);
        missing = selection.missing + missing;
        if (!missing.isEmpty()) {
            return fail(missingOptions(plan.kernel, missing));
        }
        plan.modules = selection.files;
    }
    plan.methods = methods;
    return {};
}

// The file server of 9P is QEMU itself, and no guest may be root here.
Result<> planRootsRights(const KernelRunRequest& request, KernelRunPlan& plan) {
    plan.fallsBack = request.share == KernelRunRequest::Share::Automatic;
    if (::geteuid() != 0) {
        return {};
    }
    if (isWritable(plan) && plan.methods.contains(plan9Method)) {
        plan.methods.removeAll(plan9Method);
        plan.fallsBack = false;
        if (plan.methods.isEmpty()) {
            return fail(Error::Kind::Permission,
                        Tr::tr("As root, folders are shared by 9P read-only only: the guest would "
                               "write as root. Use virtiofs, or run this as an ordinary user."));
        }
    }
    plan.dropsRoot = plan.methods.contains(plan9Method);
    return {};
}

void planPlaces(const QString& caller, KernelRunPlan& plan) {
    const QString& root = plan.shares.first().hostPath;
    plan.folder = QStringLiteral("/");
    plan.home = QStringLiteral("/root");
    if (root == QLatin1String("/")) {
        plan.folder = caller;
        plan.home = QDir::homePath();
    } else if (caller.startsWith(root + QLatin1Char('/'))) {
        plan.folder = caller.mid(root.size());
    }
    plan.terminal = QStringLiteral("linux");
}

void addNotes(KernelRunPlan& plan) {
    const QString& root = plan.shares.first().hostPath;
    plan.notes.append(
        plan.overlay
            ? Tr::tr("\"%1\" is read-only for the guest: what it changes there is kept in memory "
                     "and gone at the end. Files that you cannot read stay unreadable.")
                  .arg(root)
            : Tr::tr("The guest changes \"%1\" itself. Files that you cannot read stay unreadable.")
                  .arg(root));
}

} // namespace

Result<KernelRunPlan> planKernelRun(const KernelRunRequest& request,
                                    const QString& caller,
                                    const ProgramPaths& paths,
                                    const HostInfo& host) {
    KernelRunPlan plan;
    if (const auto good = checkNumbers(request, host); !good) {
        return fail(good.error());
    }
    auto kernel = KernelImage::read(request.kernel);
    if (!kernel) {
        return fail(kernel.error());
    }
    plan.kernel = *kernel;
    if (const auto good = planEmulator(request, paths, host, plan); !good) {
        return fail(good.error());
    }
    if (const auto good = planShares(request, plan); !good) {
        return fail(good.error());
    }
    if (const auto good = checkShell(plan); !good) {
        return fail(good.error());
    }
    if (const auto good = planBusybox(request, paths, plan); !good) {
        return fail(good.error());
    }
    const auto methods = methodsHere(request, paths, plan);
    if (!methods) {
        return fail(methods.error());
    }
    if (const auto good = planModules(request, *methods, plan); !good) {
        return fail(good.error());
    }
    if (const auto good = planRootsRights(request, plan); !good) {
        return fail(good.error());
    }
    plan.cpus = request.cpus;
    plan.memory = ByteCount::fromMiB(static_cast<quint64>(request.memory));
    plan.timeoutSeconds = request.timeoutSeconds;
    plan.interactive = request.command == QLatin1String("-");
    plan.command = request.command;
    const bool arm = plan.kernel.architecture == Architecture::Arm64;
    // no_timer_check: an emulator that is kept waiting delivers too few interrupts for that check.
    plan.kernelArguments =
        QStringLiteral("console=%1 quiet panic=-1%2%3")
            .arg(arm ? QStringLiteral("ttyAMA0") : QStringLiteral("ttyS0"),
                 arm ? QString() : QStringLiteral(" no_timer_check"),
                 request.arguments.isEmpty() ? QString() : QLatin1Char(' ') + request.arguments);
    planPlaces(caller, plan);
    addNotes(plan);
    return plan;
}

} // namespace vitrine::qemu
