// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_run_plan.h"

#include "qemu/kernel_run/cpio_archive.h"
#include "qemu/kernel_run/kernel_modules.h"
#include "qemu/kernel_run/kernel_run_scripts.h"

#include <QFile>

namespace vitrine::qemu {

namespace {

constexpr int mostPorts = 8;
// Further file systems; one that the kernel does not know is left out.
constexpr const char* mountTable = "shm /dev/shm tmpfs mode=1777 0 0\n"
                                   "pts /dev/pts devpts mode=620,ptmxmode=666 0 0\n"
                                   "debug /sys/kernel/debug debugfs defaults 0 0\n"
                                   "trace /sys/kernel/tracing tracefs defaults 0 0\n"
                                   "bpf /sys/fs/bpf bpf defaults 0 0\n"
                                   "cgroup /sys/fs/cgroup cgroup2 defaults 0 0\n";

// QEMU's options take a comma in a value doubled.
QString escaped(QString value) {
    return value.replace(QLatin1Char(','), QLatin1String(",,"));
}

void addPort(QStringList& arguments, const char* name, const char* device, int number, int fd) {
    const QString id = QString::fromLatin1(name);
    arguments << QStringLiteral("-chardev") << QStringLiteral("socket,id=%1,fd=%2").arg(id).arg(fd)
              << QStringLiteral("-device")
              << QStringLiteral("%1,bus=ports.0,chardev=%2,nr=%3,name=vitrine.%2")
                     .arg(QLatin1String(device), id)
                     .arg(number);
}

void addShares(QStringList& arguments,
               const KernelRunPlan& plan,
               const KernelRunDescriptors& descriptors) {
    for (qsizetype i = 0; i < plan.shares.size(); ++i) {
        const KernelShare& share = plan.shares.at(i);
        if (i < descriptors.shares.size()) {
            arguments << QStringLiteral("-chardev")
                      << QStringLiteral("socket,id=fs%1,fd=%2").arg(i).arg(descriptors.shares.at(i))
                      << QStringLiteral("-device")
                      << QStringLiteral("vhost-user-fs-pci,chardev=fs%1,tag=%2,queue-size=1024")
                             .arg(i)
                             .arg(share.tag);
        }
        if (plan.methods.contains(QStringLiteral("9p"))) {
            QString server =
                QStringLiteral("local,id=p9-%1,security_model=none,multidevs=remap").arg(i);
            if (share.readOnly) {
                server += QStringLiteral(",readonly=on");
            }
            arguments
                << QStringLiteral("-fsdev")
                << server + QStringLiteral(",path=") + escaped(share.hostPath)
                << QStringLiteral("-device")
                << QStringLiteral("virtio-9p-pci,fsdev=p9-%1,mount_tag=%2").arg(i).arg(share.tag);
        }
    }
}

// A word of a shell's assignment.
QByteArray quoted(const QString& text) {
    QByteArray bytes = QFile::encodeName(text);
    bytes.replace('\'', "'\\''");
    return '\'' + bytes + '\'';
}

QByteArray settingsFor(const KernelRunPlan& plan, const QByteArray& mark) {
    QByteArray text;
    const auto set = [&text](const QByteArray& name, const QString& value) {
        text += name + '=' + quoted(value) + '\n';
    };
    set("methods", plan.methods.join(QLatin1Char(' ')));
    set("overlay", QString::number(plan.overlay ? 1 : 0));
    set("interactive", QString::number(plan.interactive ? 1 : 0));
    set("mark", QString::fromLatin1(mark));
    set("folder", plan.folder);
    set("home", plan.home);
    set("term", plan.terminal);
    set("rows", QString::number(plan.rows));
    set("columns", QString::number(plan.columns));
    set("command", plan.command);
    QStringList access;
    for (qsizetype i = 1; i < plan.shares.size(); ++i) {
        const KernelShare& share = plan.shares.at(i);
        access << (share.readOnly ? QStringLiteral("ro") : QStringLiteral("rw"));
        set("mount" + QByteArray::number(i), share.guestPath);
    }
    set("mounts", access.join(QLatin1Char(' ')));
    return text;
}

} // namespace

QStringList commandLine(const KernelRunPlan& plan, const KernelRunDescriptors& descriptors) {
    const bool arm = plan.kernel.architecture == Architecture::Arm64;
    const bool kvm = plan.accelerator == Accelerator::Kvm;
    const QString memory = QString::number(plan.memory.wholeMiB()) + QLatin1Char('M');
    QString machine = arm ? QStringLiteral("virt-7.2")
                          : QStringLiteral("pc-q35-7.2,vmport=off,i8042=off,sata=off,smbus=off");
    machine += QStringLiteral(",memory-backend=mem");
    if (arm) {
        machine += kvm ? QStringLiteral(",gic-version=host") : QStringLiteral(",gic-version=3");
    }
    // As in launch_planner.cpp: emulated pointer authentication is slow.
    QString cpu = arm ? QStringLiteral("max,pauth-impdef=on") : QStringLiteral("max");
    if (kvm) {
        cpu = QStringLiteral("host");
    }
    QStringList arguments{QStringLiteral("-nodefaults"),
                          QStringLiteral("-no-user-config"),
                          QStringLiteral("-no-reboot"),
                          QStringLiteral("-display"),
                          QStringLiteral("none"),
                          QStringLiteral("-accel"),
                          kvm ? QStringLiteral("kvm") : QStringLiteral("tcg,thread=multi"),
                          QStringLiteral("-machine"),
                          machine,
                          QStringLiteral("-cpu"),
                          cpu,
                          QStringLiteral("-smp"),
                          QString::number(plan.cpus),
                          QStringLiteral("-m"),
                          memory,
                          QStringLiteral("-object"),
                          QStringLiteral("memory-backend-memfd,id=mem,share=on,size=") + memory,
                          QStringLiteral("-kernel"),
                          plan.kernel.path,
                          QStringLiteral("-initrd"),
                          QStringLiteral("/proc/self/fd/%1").arg(descriptors.initramfs),
                          QStringLiteral("-append"),
                          plan.kernelArguments,
                          QStringLiteral("-chardev"),
                          QStringLiteral("socket,id=console,fd=%1").arg(descriptors.console),
                          QStringLiteral("-serial"),
                          QStringLiteral("chardev:console"),
                          QStringLiteral("-device"),
                          QStringLiteral("virtio-serial-pci,id=ports,max_ports=%1").arg(mostPorts)};
    if (descriptors.terminal >= 0) {
        addPort(arguments, "terminal", "virtconsole", 0, descriptors.terminal);
    }
    addPort(arguments, "control", "virtserialport", 1, descriptors.control);
    addPort(arguments, "output", "virtserialport", 2, descriptors.output);
    addPort(arguments, "errors", "virtserialport", 3, descriptors.errors);
    addShares(arguments, plan, descriptors);
    if (plan.dropsRoot) {
        arguments << QStringLiteral("-runas") << QStringLiteral("65534:65534");
    }
    return arguments;
}

Result<QByteArray> makeInitramfs(const KernelRunPlan& plan, const QByteArray& mark) {
    QFile busybox(plan.busybox);
    if (!busybox.open(QIODevice::ReadOnly)) {
        return fail(Error::Kind::NotFound,
                    Tr::tr("The program \"%1\" cannot be read. The system says: %2.")
                        .arg(plan.busybox, busybox.errorString()));
    }
    CpioArchive archive;
    for (const char* folder : {"bin",
                               "dev",
                               "proc",
                               "sys",
                               "lower",
                               "upper",
                               "new",
                               "modules",
                               "files",
                               "files/dev",
                               "files/dev/shm",
                               "files/dev/pts",
                               "files/run",
                               "files/run/vitrine",
                               "files/run/vitrine/bin"}) {
        archive.addFolder(folder);
    }
    archive.addFile("bin/busybox", busybox.readAll(), 0755);
    for (const char* name : {"cat",
                             "cp",
                             "insmod",
                             "mkdir",
                             "mount",
                             "reboot",
                             "sh",
                             "sleep",
                             "switch_root",
                             "usleep"}) {
        archive.addLink(QByteArray("bin/") + name, "busybox");
    }
    for (const char* name : {"cat", "ip", "mount", "printf", "rm", "sleep", "stty", "sync"}) {
        archive.addLink(QByteArray("files/run/vitrine/bin/") + name, "busybox");
    }
    archive.addLink("files/dev/fd", "/proc/self/fd");
    archive.addLink("files/dev/stdin", "/proc/self/fd/0");
    archive.addLink("files/dev/stdout", "/proc/self/fd/1");
    archive.addLink("files/dev/stderr", "/proc/self/fd/2");
    for (const char* name : {"files/run/vitrine/out", "files/run/vitrine/err"}) {
        archive.addPipe(name, 0600);
    }
    int number = 0;
    for (const QString& file : plan.modules) {
        const Result<QByteArray> module = KernelModules::load(file);
        if (!module) {
            return fail(module.error());
        }
        archive.addFile("modules/" + QByteArray::number(++number).rightJustified(3, '0') + ".ko",
                        *module);
    }
    archive.addFile("files/run/vitrine/fstab", mountTable);
    archive.addFile("files/run/vitrine/config", settingsFor(plan, mark), 0600);
    archive.addFile("files/run/vitrine/run.sh", kernelRunScript());
    archive.addFile("init", kernelInitScript(), 0755);
    return archive.finish();
}

} // namespace vitrine::qemu
