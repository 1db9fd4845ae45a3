// SPDX-License-Identifier: Apache-2.0
#include "qemu/launch_plan.h"

#include "qemu/block_node.h"

#include <QHash>
#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

namespace vitrine::qemu {
namespace {

// Slots on the root bus. They never change: a guest names its devices after them and a saved state
// is bound to them. Root ports take two slots of eight functions each.
enum Slot {
    displaySlot = 0x1,
    networkSlot = 0x2,
    rootDiskSlot = 0x3,
    serialBusSlot = 0x4,
    pointerSlot = 0x5,
    keyboardSlot = 0x6,
    panicSlot = 0x7,
    entropySlot = 0x8,
    soundSlot = 0x9,
    cdBusSlot = 0xa,
    firstFurtherNetworkSlot = 0xb, // to 0xd
    firstRootPortSlot = 0x10,
    firstExtraDiskSlot = 0x12
};

QString text(const char* latin1) {
    return QString::fromLatin1(latin1);
}

// Options of one argument, joined with commas. No value given here may come from a user: QEMU's
// escapes differ from option to option, so names of files go through JSON only.
class Option final {
public:
    explicit Option(QString head)
        : m_text(std::move(head)) {}
    explicit Option(const char* head)
        : m_text(text(head)) {}
    Option& add(const char* key, const QString& value) {
        m_text += QLatin1Char(',') + text(key) + QLatin1Char('=') + value;
        return *this;
    }
    Option& add(const char* key, const char* value) { return add(key, text(value)); }
    Option& add(const char* key, int value) { return add(key, QString::number(value)); }
    Option& at(int slot, int function = 0) {
        add("bus", "pcie.0");
        QString address = QStringLiteral("0x%1").arg(slot, 0, 16);
        if (function > 0)
            address += QStringLiteral(".0x%1").arg(function, 0, 16);
        return add("addr", address);
    }
    [[nodiscard]] const QString& value() const { return m_text; }

private:
    QString m_text;
};

class Arguments final {
public:
    void add(const char* name) { m_list << text(name); }
    void add(const char* name, const QString& value) { m_list << text(name) << value; }
    void add(const char* name, const Option& option) { add(name, option.value()); }
    void add(const char* name, const QJsonObject& object) {
        add(name, QString::fromUtf8(QJsonDocument(object).toJson(QJsonDocument::Compact)));
    }
    [[nodiscard]] const QStringList& list() const { return m_list; }

private:
    QStringList m_list;
};

QJsonObject firmwareFile(const char* node, const QString& path, bool readOnly) {
    return {{QStringLiteral("driver"), QStringLiteral("raw")},
            {QStringLiteral("node-name"), text(node)},
            {QStringLiteral("read-only"), readOnly},
            {QStringLiteral("file"),
             QJsonObject{{QStringLiteral("driver"), QStringLiteral("file")},
                         {QStringLiteral("filename"), path}}}};
}

Option socketChardev(const char* id, const char* path) {
    return Option("socket").add("id", id).add("path", path).add("server", "on").add("wait", "off");
}

void addMachine(Arguments& arguments, const LaunchPlan& plan) {
    const bool arm = plan.guest == Architecture::Arm64;
    const bool kvm = plan.accelerator == Accelerator::Kvm;
    arguments.add("-accel", Option(kvm ? "kvm" : "tcg,thread=multi"));

    Option machine(plan.machineType);
    machine.add("memory-backend", "mem");
    if (arm) {
        // Version 2 of the interrupt controller stops at eight processors.
        machine.add("gic-version", kvm ? "host" : "3");
    } else {
        machine.add("vmport", "off");
        // The PS/2 pair serves the firmware's menus until the guest's drivers take over.
        if (!plan.pointer || !plan.keyboard)
            machine.add("i8042", "off");
    }
    if (!plan.kernel) {
        machine.add("pflash0", "firmware-code");
        machine.add("pflash1", "firmware-variables");
    }
    arguments.add("-machine", machine);
    arguments.add("-cpu", plan.cpuModel);
    arguments.add("-smp", QStringLiteral("cpus=%1,sockets=1,cores=%1,threads=1").arg(plan.cpus));
    const QString memory = QString::number(plan.memory.wholeMiB()) + QLatin1Char('M');
    arguments.add("-m", QStringLiteral("size=") + memory);
    // Shared from the first day: a share cannot be added later without it.
    arguments.add(
        "-object",
        Option("memory-backend-memfd").add("id", "mem").add("size", memory).add("share", "on"));
}

void addBoot(Arguments& arguments, const LaunchPlan& plan) {
    if (plan.kernel) {
        arguments.add("-kernel", plan.kernel->kernel);
        if (!plan.kernel->initrd.isEmpty())
            arguments.add("-initrd", plan.kernel->initrd);
        if (!plan.kernel->commandLine.isEmpty())
            arguments.add("-append", plan.kernel->commandLine);
    } else {
        arguments.add("-blockdev", firmwareFile("firmware-code", plan.firmwareCode, true));
        arguments.add("-blockdev",
                      firmwareFile("firmware-variables", plan.firmwareVariables, false));
    }
}

void addSerialLine(Arguments& arguments, const LaunchPlan& plan) {
    Option line = socketChardev(serialId, serialSocketName);
    if (plan.serial.kind == SerialLine::Kind::NewTerminal) {
        line = Option("pty").add("id", serialId);
    } else if (plan.serial.kind == SerialLine::Kind::Device) {
        // QEMU's options take a comma in a value doubled.
        QString path = plan.serial.path;
        path.replace(QLatin1Char(','), QLatin1String(",,"));
        line = Option("serial").add("id", serialId).add("path", path);
    }
    arguments.add("-chardev", line.add("logfile", serialLogName).add("logappend", "on"));
    arguments.add("-serial", QStringLiteral("chardev:") + text(serialId));
}

void addSockets(Arguments& arguments, const LaunchPlan& plan) {
    arguments.add("-chardev", socketChardev("qmp", qmpSocketName));
    arguments.add("-mon", Option("chardev=qmp").add("mode", "control"));
    arguments.add("-display", QStringLiteral("none"));
    // Several viewers at once: none may throw out another.
    arguments.add(
        "-vnc",
        Option(QStringLiteral("unix:") + text(displaySocketName)).add("share", "force-shared"));
    if (plan.vncServer)
        // The first free port from 5900 on. No password fits until one is set (contract 5).
        arguments.add("-vnc",
                      Option("127.0.0.1:0")
                          .add("to", 99)
                          .add("id", vncServerId)
                          .add("password", "on")
                          .add("share", "force-shared"));
    addSerialLine(arguments, plan);
    arguments.add("-chardev", socketChardev("agent", agentSocketName));
    arguments.add("-chardev", socketChardev("clipboard", clipboardSocketName));
}

void addRootPorts(Arguments& arguments) {
    for (int port = 0; port < spareRootPorts; ++port) {
        Option device("pcie-root-port");
        device.add("id", QStringLiteral("rp%1").arg(port))
            .add("chassis", port + 1)
            .add("slot", port + 1)
            .at(firstRootPortSlot + port / 8, port % 8);
        if (port % 8 == 0)
            device.add("multifunction", "on");
        arguments.add("-device", device);
    }
}

void addShareSlots(Arguments& arguments, const LaunchPlan& plan) {
    for (const bool readOnly : {false, true}) {
        for (int slot = 0; slot < plan9Slots; ++slot) {
            const QString name = plan9SlotName(readOnly, slot);
            Option server("local");
            server.add("id", name).add("path", name).add("security_model", plan.shareSecurity);
            if (readOnly)
                server.add("readonly", "on");
            arguments.add("-fsdev", server);
        }
    }
}

// Places in the boot order, from 0. A kernel given to QEMU takes place 0 itself, and nothing else
// is asked for then.
class BootPlaces final {
public:
    explicit BootPlaces(const LaunchPlan& plan) {
        if (plan.kernel)
            return;
        BootOrder order = plan.bootOrder;
        if (order.isEmpty())
            order = {BootDevice::Disk, BootDevice::Cd};
        for (const BootDevice device : std::as_const(order)) {
            if (device == BootDevice::Network)
                m_network = m_next++;
            if (device == BootDevice::Disk)
                m_root = m_next++;
            for (qsizetype i = 0; i < plan.disks.size(); ++i)
                if (device == (plan.disks.at(i).optical ? BootDevice::Cd : BootDevice::Disk))
                    m_disks.insert(i, m_next++);
        }
    }
    void addRoot(Option& device) const { add(device, m_root); }
    void addNetwork(Option& device) const { add(device, m_network); }
    void addDisk(Option& device, qsizetype index) const { add(device, m_disks.value(index, -1)); }

private:
    static void add(Option& device, int place) {
        if (place >= 0)
            device.add("bootindex", place);
    }
    int m_next = 0;
    int m_root = -1;
    int m_network = -1;
    QHash<qsizetype, int> m_disks;
};

void addBlockNode(Arguments& arguments, const QString& node, const PlannedDisk& disk) {
    if (const auto credentials = tlsCredentials(node, disk))
        arguments.add("-object", *credentials);
    arguments.add("-blockdev", blockNode(node, disk));
}

void addDisks(Arguments& arguments, const LaunchPlan& plan, const BootPlaces& places) {
    const auto device = [](const char* driver, const QString& node) {
        return Option(driver).add("id", node + QStringLiteral("-device")).add("drive", node);
    };
    addBlockNode(arguments, diskNode(0), {plan.diskPath, plan.disk});
    Option root = device("virtio-blk-pci", diskNode(0));
    places.addRoot(root);
    arguments.add("-device", root.at(rootDiskSlot));
    bool hasCdBus = false;
    int cds = 0;
    for (int i = 0; i < plan.disks.size(); ++i) {
        const PlannedDisk& disk = plan.disks.at(i);
        const QString node = diskNode(i + 1);
        addBlockNode(arguments, node, disk);
        if (!disk.optical) {
            Option drive = device("virtio-blk-pci", node);
            places.addDisk(drive, i);
            arguments.add("-device", drive.at(firstExtraDiskSlot + i));
            continue;
        }
        if (!std::exchange(hasCdBus, true))
            arguments.add("-device", Option("virtio-scsi-pci").add("id", "cds").at(cdBusSlot));
        Option drive = device("scsi-cd", node);
        places.addDisk(drive, i);
        arguments.add("-device", drive.add("bus", "cds.0").add("scsi-id", cds++));
    }
}

void addNetwork(Arguments& arguments, const LaunchPlan& plan, const BootPlaces& places) {
    QList<PlannedCard> cards = plan.bridgedCards;
    if (plan.network != NetworkMode::Bridged)
        cards = {PlannedCard{plan.macAddress, {}, -1}};
    for (int i = 0; i < cards.size(); ++i) {
        const PlannedCard& card = cards.at(i);
        const QString id = QStringLiteral("net%1").arg(i);
        const bool softnet = plan.usesSoftnet();
        Option backend(softnet ? "dgram" : card.bridge.isEmpty() ? "user" : "tap");
        backend.add("id", id);
        if (softnet)
            backend.add("local.type", "fd").add("local.str", plan.softnetSocket);
        else if (!card.bridge.isEmpty())
            backend.add("fd", card.tap);
        else if (plan.network == NetworkMode::HostOnly)
            backend.add("restrict", "on"); // forwards go in, nothing goes out
        arguments.add("-netdev", backend);
        Option device("virtio-net-pci");
        device.add("id", i == 0 ? text("network") : QStringLiteral("network%1").arg(i + 1))
            .add("netdev", id)
            .add("mac", card.macAddress.toText())
            .add("romfile", "");
        if (i == 0)
            places.addNetwork(device);
        arguments.add("-device", device.at(i == 0 ? networkSlot : firstFurtherNetworkSlot + i - 1));
    }
}

void addSound(Arguments& arguments, const LaunchPlan& plan) {
    if (plan.audioBackend.isEmpty())
        return;
    // Intel's is the sound card that QEMU 7.2 has and every guest knows; virtio's came later.
    arguments.add("-audiodev", Option(plan.audioBackend).add("id", "sound"));
    arguments.add("-device", Option("ich9-intel-hda").add("id", "hda").at(soundSlot));
    arguments.add("-device", Option("hda-duplex").add("bus", "hda.0").add("audiodev", "sound"));
}

void addDevices(Arguments& arguments, const LaunchPlan& plan) {
    const bool arm = plan.guest == Architecture::Arm64;
    arguments.add("-device",
                  Option(arm ? "virtio-gpu-pci" : "virtio-vga")
                      .add("id", "display")
                      .add("xres", plan.display.width)
                      .add("yres", plan.display.height)
                      .at(displaySlot));
    const BootPlaces places(plan);
    addNetwork(arguments, plan, places);
    addDisks(arguments, plan, places);
    addSound(arguments, plan);
    arguments.add("-device", Option("virtio-serial-pci").add("id", "ports").at(serialBusSlot));
    arguments.add("-device",
                  Option("virtserialport")
                      .add("bus", "ports.0")
                      .add("nr", 1)
                      .add("id", agentPortId)
                      .add("chardev", "agent")
                      .add("name", "org.qemu.guest_agent.0"));
    // The port of SPICE's agent: text on the clipboard. Always there, so that sharing can be
    // switched while the machine runs and the devices stay the same.
    arguments.add("-device",
                  Option("virtserialport")
                      .add("bus", "ports.0")
                      .add("nr", 2)
                      .add("id", clipboardPortId)
                      .add("chardev", "clipboard")
                      .add("name", "com.redhat.spice.0"));
    if (plan.pointer)
        arguments.add("-device", Option("virtio-tablet-pci").add("id", "pointer").at(pointerSlot));
    if (plan.keyboard)
        arguments.add("-device",
                      Option("virtio-keyboard-pci").add("id", "keyboard").at(keyboardSlot));
    arguments.add("-device", Option("pvpanic-pci").add("id", "panic").at(panicSlot));
    arguments.add("-object", Option("rng-builtin").add("id", "entropy"));
    arguments.add("-device",
                  Option("virtio-rng-pci").add("id", "rng").add("rng", "entropy").at(entropySlot));
}

} // namespace

QStringList commandLine(const LaunchPlan& plan) {
    Arguments arguments;
    arguments.add("-nodefaults");
    arguments.add("-no-user-config");
    arguments.add("-sandbox", QStringLiteral("on,obsolete=deny,elevateprivileges=deny,spawn=deny"));
    addMachine(arguments, plan);
    addBoot(arguments, plan);
    // A guest that panics stays as it is, so that its screen can be read; the event says so.
    arguments.add("-action", QStringLiteral("panic=pause"));
    arguments.add("-rtc", QStringLiteral("base=utc"));
    addSockets(arguments, plan);
    addRootPorts(arguments);
    addShareSlots(arguments, plan);
    addDevices(arguments, plan);
    return arguments.list();
}

} // namespace vitrine::qemu
