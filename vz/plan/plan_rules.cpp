// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/plan_rules.h"

#include "core/sharing/share_spec.h"
#include "vz/plan/share_set.h"

#include <QDir>

namespace vitrine::vz {
namespace {

constexpr quint64 mebibyte = 1024 * 1024;
constexpr int smallestMtu = 1500, largestMtu = 65535;

class Rules {
public:
    Rules(const MachinePlan& plan, const HostCaps& host)
        : m_plan(plan)
        , m_host(host) {}

    QStringList check() {
        resources();
        guest();
        disks();
        cards();
        shares();
        input();
        rest();
        return m_flaws;
    }

private:
    void unless(bool holds, const char* flaw) {
        if (!holds)
            m_flaws << QLatin1String(flaw);
    }

    void resources() {
        unless(m_plan.memory.bytes() % mebibyte == 0, "memory is not whole MiB");
        unless(m_plan.memory >= m_host.minimumMemory && m_plan.memory <= m_host.maximumMemory,
               "memory out of range");
        unless(m_plan.processors >= m_host.minimumProcessors &&
                   m_plan.processors <= m_host.maximumProcessors,
               "processors out of range");
    }

    void guest() {
        if (const auto* mac = std::get_if<MacGuest>(&m_plan.guest)) {
            unless(m_host.architecture == Architecture::Arm64, "macOS guest without Apple silicon");
            unless(!mac->hardwareModel.isEmpty(), "no hardware model");
            unless(!mac->machineIdentifier.isEmpty(), "no machine identifier");
            unless(QDir::isAbsolutePath(mac->auxiliaryStorage), "auxiliary storage not absolute");
            return;
        }
        const auto& generic = std::get<GenericGuest>(m_plan.guest);
        unless(!m_plan.recovery, "recovery of a generic guest");
        unless(!generic.nested || (m_host.system >= macOs15 && m_host.nested),
               "nested virtualization not supported");
        if (const auto* efi = std::get_if<EfiBoot>(&generic.boot))
            unless(QDir::isAbsolutePath(efi->variableStore), "variable store not absolute");
        if (const auto* kernel = std::get_if<KernelBoot>(&generic.boot))
            unless(QDir::isAbsolutePath(kernel->kernel) &&
                       (kernel->initrd.isEmpty() || QDir::isAbsolutePath(kernel->initrd)),
                   "kernel or initrd not absolute");
    }

    void disks() {
        unless(!m_plan.disks.isEmpty() && m_plan.disks.constFirst().bus == DiskBus::VirtioBlock &&
                   std::holds_alternative<ImageDisk>(m_plan.disks.constFirst().source),
               "the first disk is not the machine's own");
        for (const Disk& disk : m_plan.disks) {
            unless(disk.bus != DiskBus::NvmExpress || (!m_plan.isMac() && m_host.system >= macOs14),
                   "NVM Express needs a generic guest and macOS 14");
            if (const auto* image = std::get_if<ImageDisk>(&disk.source)) {
                unless(QDir::isAbsolutePath(image->path), "disk image not absolute");
                continue;
            }
            unless(m_host.system >= macOs14, "network disks and devices need macOS 14");
            if (const auto* network = std::get_if<NetworkDisk>(&disk.source))
                unless(network->timeout > 0, "network disk without a time limit");
        }
    }

    void cards() {
        QList<MacAddress> seen;
        for (const NetworkCard& card : m_plan.cards) {
            unless(!seen.contains(card.macAddress), "two cards with one address");
            seen.append(card.macAddress);
            if (const auto* socket = std::get_if<SocketAttachment>(&card.attachment))
                unless(socket->mtu >= smallestMtu && socket->mtu <= largestMtu, "MTU out of range");
            if (const auto* bridged = std::get_if<BridgedAttachment>(&card.attachment)) {
                unless(m_host.networkingEntitled, "bridged without the entitlement");
                bool known = false;
                for (const HostInterface& interface : m_host.interfaces)
                    known = known || interface.identifier == bridged->interface;
                unless(known, "bridged to an unknown interface");
            }
        }
    }

    void shares() {
        QStringList tags;
        for (const ShareDevice& device : m_plan.shares) {
            const qsizetype bytes = device.tag.toUtf8().size();
            unless(bytes > 0 && bytes <= largestTag, "share tag of a wrong length");
            unless(!tags.contains(device.tag), "two share devices with one tag");
            tags << device.tag;
            switch (device.kind) {
            case ShareDevice::Kind::Empty:
            case ShareDevice::Kind::Rosetta:
                unless(device.folders.isEmpty(), "a folder where none can be");
                break;
            case ShareDevice::Kind::Single:
                unless(device.folders.size() == 1, "not one folder in a single share");
                break;
            case ShareDevice::Kind::Multiple:
                break;
            }
            if (device.kind == ShareDevice::Kind::Rosetta)
                unless(!m_plan.isMac() && m_host.rosetta == RosettaState::Installed,
                       "Rosetta is not there");
            folders(device);
        }
    }

    void folders(const ShareDevice& device) {
        QStringList names;
        for (const SharedFolder& folder : device.folders) {
            unless(QDir::isAbsolutePath(folder.path), "shared folder not absolute");
            if (device.kind != ShareDevice::Kind::Multiple)
                continue;
            unless(isShareName(folder.name), "bad name of a shared folder");
            unless(!names.contains(folder.name), "two shared folders with one name");
            names << folder.name;
        }
    }

    void input() {
        const bool mac = m_plan.isMac();
        unless(!m_plan.keyboards.contains(KeyboardKind::Mac) || (mac && m_host.system >= macOs14),
               "Mac keyboard needs a macOS guest and macOS 14");
        unless(!m_plan.pointers.contains(PointerKind::MacTrackpad) || mac,
               "Mac trackpad needs a macOS guest");
        unless(m_plan.display.width > 0 && m_plan.display.height > 0, "display without a size");
        unless(m_plan.display.kind == DisplayPlan::Kind::Pixels ||
                   (mac && !m_host.screens.isEmpty()),
               "points without a screen or a macOS guest");
        unless(m_plan.display.pixelsPerInch > 0, "display without a density");
        unless(!m_plan.display.refit || m_host.system >= macOs14, "refit needs macOS 14");
    }

    void rest() {
        unless(m_plan.vsock, "no vsock");
        const QString prefix = QStringLiteral("tart-version-");
        const bool leftOut = m_plan.savable && m_plan.versionPort.isEmpty(); // leaveOutConsoles()
        unless(leftOut ||
                   (m_plan.versionPort.startsWith(prefix) &&
                    m_plan.versionPort.mid(prefix.size()).section(QLatin1Char('.'), 0, 0).toInt() >=
                        2),
               "Tart's agent does not know the version port");
        if (!m_plan.savable)
            return;
        unless(m_host.system >= macOs14 && m_host.architecture == Architecture::Arm64,
               "saving needs macOS 14 on Apple silicon");
        unless(!m_plan.entropy, "entropy device cannot be saved");
        unless(!m_plan.memoryBalloon, "memory balloon cannot be saved");
        unless(m_plan.sound == Sound::SilentOutput || m_plan.sound == Sound::None,
               "sound of the host cannot be saved");
        unless(!m_plan.keyboards.contains(KeyboardKind::Usb) &&
                   !m_plan.pointers.contains(PointerKind::UsbScreenCoordinate),
               "USB input cannot be saved");
        unless(!m_plan.recovery, "recovery of a suspended machine");
    }

    const MachinePlan& m_plan;
    const HostCaps& m_host;
    QStringList m_flaws;
};

} // namespace

QStringList flawsOf(const MachinePlan& plan, const HostCaps& host) {
    return Rules(plan, host).check();
}

} // namespace vitrine::vz
