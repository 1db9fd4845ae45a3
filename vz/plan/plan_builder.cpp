// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/plan_builder.h"

#include "core/machine/mac_options.h"
#include "core/sharing/share_safety.h"
#include "core/value/card_address.h"
#include "vz/plan/disk_plans.h"
#include "vz/plan/display_policy.h"
#include "vz/plan/host_reasons.h"
#include "vz/plan/plan_rules.h"
#include "vz/plan/saved_state.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <sys/stat.h>
#include <utility>

namespace vitrine::vz {
namespace {

using ErrorKind = Error::Kind;

constexpr qsizetype mostCards = 8; // more than anybody bridges to

class Builder {
public:
    Builder(const MachineInfo& machine,
            const RunOptions& options,
            const HostCaps& host,
            const RunIntent& intent,
            const QStringList& libraries,
            const QStringList& ownFolders,
            const QString& copyFolder)
        : m_machine(machine)
        , m_options(options)
        , m_mac(MacOptions::of(options))
        , m_host(host)
        , m_intent(intent)
        , m_libraries(libraries)
        , m_ownFolders(ownFolders)
        , m_copyFolder(copyFolder) {}

    PlanBuilder::Outcome build() {
        // Without these the rest says nothing.
        if (!checkMachine() || !checkHost())
            return {std::nullopt, m_errors};
        m_isMac = m_machine.config->system == GuestSystem::Darwin;
        m_hasState = m_machine.state == MachineState::Suspended;
        planSaving();
        planResources();
        planGuest();
        m_plan.disks = planDisks(m_machine, m_options, m_host, m_copyFolder, m_errors);
        planCards();
        planShares();
        planInput();
        planRest();
        refuseForeignOptions();
        if (m_errors.isEmpty())
            for (const QString& flaw : flawsOf(m_plan, m_host))
                m_errors << Error{ErrorKind::Internal,
                                  Tr::tr("\"%1\" cannot be started: its plan breaks a rule of "
                                         "Apple's framework. Please report this.")
                                      .arg(m_machine.name),
                                  flaw};
        if (!m_errors.isEmpty())
            return {std::nullopt, m_errors};
        return {PlannedMachine{m_plan, m_shares}, {}};
    }

private:
    void refuse(ErrorKind kind, const QString& message) { m_errors << Error{kind, message, {}}; }
    // "Cannot start … with …", the reason.
    void refuseFeature(const QString& feature, const QString& reason) {
        //: %1: machine, %2: what it was to have, %3: whole sentences
        refuse(ErrorKind::Unsupported,
               Tr::tr("\"%1\" cannot be started with %2. %3").arg(m_machine.name, feature, reason));
    }

    bool checkMachine() {
        if (m_machine.isImage)
            refuse(ErrorKind::Unsupported,
                   Tr::tr("\"%1\" is a cached image and cannot be run. Clone it first and run the "
                          "clone.")
                       .arg(m_machine.name));
        else if (m_machine.state == MachineState::Broken || !m_machine.config)
            refuse(ErrorKind::Integrity,
                   Tr::tr("\"%1\" cannot be run. %2").arg(m_machine.name, m_machine.brokenReason));
        return m_errors.isEmpty();
    }

    bool checkHost() {
        const MachineConfig& config = *m_machine.config;
        QString reason = whyNoMachines(m_host);
        if (reason.isEmpty() && config.system == GuestSystem::Darwin)
            reason = whyNoMacGuests(m_host);
        if (reason.isEmpty() && config.system == GuestSystem::Linux &&
            config.architecture != m_host.architecture)
            reason = whyNoForeignGuests(m_host);
        if (!reason.isEmpty())
            refuse(ErrorKind::Unsupported,
                   Tr::tr("\"%1\" cannot be run on this computer. %2").arg(m_machine.name, reason));
        return m_errors.isEmpty();
    }

    void planSaving() {
        const bool vzState = QFileInfo::exists(m_machine.directory + QLatin1Char('/') +
                                               QLatin1String(vzStateName)) ||
                             QFileInfo::exists(m_machine.directory + QLatin1Char('/') +
                                               QLatin1String(vzUsedStateName));
        if (m_hasState && (!vzState || !m_isMac)) {
            refuse(ErrorKind::Unsupported,
                   Tr::tr("\"%1\" was suspended by another program, and only that can go on with "
                          "it. Resume and shut it down there, or throw its saved state away with "
                          "\"vitrinectl run --discard-state\" and lose what was not written to its "
                          "disk.")
                       .arg(m_machine.name));
            return;
        }
        const bool stored = m_mac.suspendable && !m_intent.recovery; // recovery is for one run
        m_plan.savable = m_intent.suspendable || stored || m_hasState;
        if (!m_plan.savable)
            return;
        if (const QString reason = whyNotSuspend(m_isMac, m_host); !reason.isEmpty()) {
            refuseFeature(QStringLiteral("--suspendable"), reason);
            return;
        }
        for (const auto& [wanted, option] : {std::pair(m_mac.trackpad, "--no-trackpad"),
                                             std::pair(m_options.keyboard, "--no-keyboard"),
                                             std::pair(m_options.pointer, "--no-pointer")})
            if (!wanted)
                refuse(ErrorKind::InvalidInput,
                       Tr::tr("A machine that can be suspended has a Mac keyboard and trackpad and "
                              "no other. Leave %1 out, or do not suspend \"%2\".")
                           .arg(QLatin1String(option), m_machine.name));
    }

    void planResources() {
        const MachineConfig& config = *m_machine.config;
        const int least = std::max(m_isMac ? config.cpuCountMinimum : 1, m_host.minimumProcessors);
        if (config.cpuCount < least || config.cpuCount > m_host.maximumProcessors)
            refuse(ErrorKind::Unsupported,
                   Tr::tr("Cannot start \"%1\" with %2 processors. Choose a number between %3 and "
                          "%4 in Settings.")
                       .arg(m_machine.name)
                       .arg(config.cpuCount)
                       .arg(least)
                       .arg(m_host.maximumProcessors));
        m_plan.processors = config.cpuCount;
        m_plan.memory = ByteCount::fromMiB(config.memory.wholeMiB());
        ByteCount smallest = m_host.minimumMemory;
        if (m_isMac)
            smallest = std::max(smallest, config.memoryMinimum);
        if (config.memory < smallest || m_plan.memory > m_host.maximumMemory)
            refuse(ErrorKind::Unsupported,
                   Tr::tr("Cannot start \"%1\" with %2 of memory. Give it between %3 and %4 in "
                          "Settings.")
                       .arg(m_machine.name,
                            config.memory.toMemoryText(),
                            smallest.toMemoryText(),
                            m_host.maximumMemory.toMemoryText()));
    }

    void planGuest() {
        const MachineConfig& config = *m_machine.config;
        const QString nvram = m_machine.directory + QStringLiteral("/nvram.bin");
        if (m_isMac) {
            if (config.ecid.isEmpty() || config.hardwareModel.isEmpty())
                refuse(ErrorKind::Integrity,
                       Tr::tr("The configuration of \"%1\" lacks its machine identifier or "
                              "hardware model. Pull or clone it again.")
                           .arg(m_machine.name));
            if (QFileInfo(nvram).size() == 0)
                refuse(ErrorKind::Integrity,
                       Tr::tr("The file \"%1\", in which the Mac keeps how it starts, is missing "
                              "or empty. Pull or clone the machine again.")
                           .arg(nvram));
            m_plan.guest = MacGuest{config.hardwareModel, config.ecid, nvram};
            if (m_options.nested)
                refuseFeature(Tr::tr("nested virtualization"), whyNotNested(true, m_host));
            if (m_options.kernel)
                refuseFeature(Tr::tr("a kernel of its own"),
                              Tr::tr("Only Linux machines have that. Take it out in Settings."));
            planRecovery();
            return;
        }
        GenericGuest guest;
        guest.nested = m_options.nested;
        if (guest.nested)
            if (const QString reason = whyNotNested(false, m_host); !reason.isEmpty())
                refuseFeature(Tr::tr("nested virtualization"), reason);
        if (m_intent.recovery)
            refuseFeature(QStringLiteral("--recovery"),
                          Tr::tr("Only macOS machines have a recovery system."));
        if (m_options.kernel)
            guest.boot = kernelBoot(*m_options.kernel);
        else // an empty one is filled; the machine that lacks it altogether is broken
            guest.boot = EfiBoot{nvram, QFileInfo(nvram).size() == 0};
        m_plan.guest = guest;
    }

    void planRecovery() {
        m_plan.recovery = m_intent.recovery;
        if (m_intent.recovery && m_hasState)
            refuse(ErrorKind::InvalidInput,
                   Tr::tr("\"%1\" is suspended and goes on where it was. Start it without "
                          "--recovery and shut it down first, or throw its saved state away with "
                          "--discard-state.")
                       .arg(m_machine.name));
        else if (m_intent.recovery && m_intent.suspendable)
            refuse(ErrorKind::InvalidInput,
                   Tr::tr("The recovery system cannot be suspended. Give --recovery or "
                          "--suspendable."));
    }

    KernelBoot kernelBoot(KernelBoot boot) {
        const QDir folder(m_machine.directory);
        if (boot.kernel.isEmpty())
            refuse(ErrorKind::InvalidInput,
                   Tr::tr("Cannot start \"%1\": its boot settings name no kernel.")
                       .arg(m_machine.name));
        for (QString* path : {&boot.kernel, &boot.initrd}) {
            if (path->isEmpty())
                continue;
            *path = QDir::cleanPath(folder.absoluteFilePath(*path));
            const QFileInfo info(*path);
            if (!info.isFile() || !info.isReadable())
                refuse(ErrorKind::Unsupported,
                       Tr::tr("Cannot start \"%1\": \"%2\", which it boots from, is not a "
                              "readable file. Correct its boot settings.")
                           .arg(m_machine.name, *path));
        }
        return boot;
    }

    void planCards() {
        const NetworkOptions& network = m_options.network;
        const MacAddress& own = m_machine.config->macAddress;
        if (const auto checked = network.check(); !checked) {
            m_errors << checked.error();
            return;
        }
        switch (network.mode) {
        case NetworkMode::Nat:
            m_plan.cards.append({own, NatAttachment{}});
            return;
        case NetworkMode::HostOnly:
        case NetworkMode::Softnet:
            m_plan.cards.append({own, SocketAttachment{}});
            return;
        case NetworkMode::Bridged:
            break;
        }
        if (const QString reason = whyNotBridged(m_host); !reason.isEmpty()) {
            refuseFeature(Tr::tr("a bridged network"), reason);
            return;
        }
        if (network.interfaces.size() > mostCards)
            refuse(ErrorKind::Unsupported,
                   Tr::tr("A machine can be bridged to at most %1 interfaces.").arg(mostCards));
        for (const QString& wish : network.interfaces) {
            const auto found = std::find_if(
                m_host.interfaces.cbegin(),
                m_host.interfaces.cend(),
                [&wish](const HostInterface& i) { return i.identifier == wish || i.name == wish; });
            if (found == m_host.interfaces.cend())
                refuse(ErrorKind::InvalidInput,
                       Tr::tr("This Mac has no interface \"%1\". Choose one of these: %2.")
                           .arg(wish, interfaceChoices(m_host)));
            else
                m_plan.cards.append({cardAddress(own, static_cast<int>(m_plan.cards.size())),
                                     BridgedAttachment{found->identifier}});
        }
    }

    void planShares() {
        for (const ShareSpec& share : m_options.shares) {
            if (share.isArchive()) {
                refuse(ErrorKind::Unsupported,
                       Tr::tr("The archive \"%1\" has not been fetched and unpacked.")
                           .arg(share.path));
                continue;
            }
            const auto checked =
                checkSharedFolder(share.path,
                                  share.readOnly ? ShareAccess::ReadOnly : ShareAccess::Writable,
                                  m_ownFolders.contains(share.path) ? QStringList() : m_libraries);
            if (!checked)
                m_errors << checked.error();
            else if (!checked->isEmpty())
                m_plan.notes << *checked;
        }
        // A saved state fits only the devices it was saved with, and Tart's has no spare ones.
        auto shares = ShareSet::make(m_options.shares, m_plan.savable ? 0 : spareShares);
        if (!shares) {
            m_errors << shares.error();
            return;
        }
        m_shares = std::move(*shares);
        m_plan.shares = m_shares.devices();
        planRosetta();
    }

    void planRosetta() {
        if (m_mac.rosetta.isEmpty())
            return;
        if (!m_isMac && m_host.architecture != Architecture::Arm64) {
            m_plan.notes << Tr::tr("Rosetta is left out: an Intel Mac runs such programs itself.");
            return;
        }
        if (const QString reason = whyNotRosetta(m_isMac, m_host); !reason.isEmpty()) {
            refuseFeature(Tr::tr("Rosetta"), reason);
            return;
        }
        const bool badTag = m_mac.rosetta.toUtf8().size() > largestTag;
        const bool taken =
            std::any_of(m_plan.shares.cbegin(),
                        m_plan.shares.cend(),
                        [this](const ShareDevice& device) { return device.tag == m_mac.rosetta; });
        if (badTag || taken)
            refuse(ErrorKind::InvalidInput,
                   Tr::tr("The tag \"%1\" for Rosetta is longer than %2 bytes or the tag of a "
                          "shared folder. Choose another one.")
                       .arg(m_mac.rosetta)
                       .arg(largestTag));
        m_plan.shares.append({m_mac.rosetta, ShareDevice::Kind::Rosetta, {}});
    }

    void planInput() {
        m_plan.display = planDisplay(*m_machine.config, m_host);
        if (m_plan.savable) {
            m_plan.keyboards = {KeyboardKind::Mac};
            m_plan.pointers = {PointerKind::MacTrackpad};
        } else {
            // The guest picks what it knows.
            if (m_options.keyboard) {
                if (m_isMac && m_host.system >= macOs14)
                    m_plan.keyboards << KeyboardKind::Mac;
                m_plan.keyboards << KeyboardKind::Usb;
            }
            if (m_options.pointer) {
                if (m_isMac && m_mac.trackpad)
                    m_plan.pointers << PointerKind::MacTrackpad;
                m_plan.pointers << PointerKind::UsbScreenCoordinate;
            }
        }
        if (!m_isMac && !m_mac.trackpad)
            refuseFeature(QStringLiteral("--no-trackpad"),
                          Tr::tr("Only macOS machines have a trackpad."));
        m_plan.capturesSystemKeys = m_intent.capturesSystemKeys;
        if (m_intent.capturesSystemKeys && !m_intent.hasWindow)
            refuse(ErrorKind::InvalidInput,
                   Tr::tr("--capture-system-keys is for a machine with a window. Leave it out, or "
                          "--no-graphics."));
    }

    void planRest() {
        if (!m_options.audio)
            m_plan.sound = m_plan.savable ? Sound::SilentOutput : Sound::None;
        else if (m_plan.savable)
            m_plan.sound = Sound::SilentOutput;
        else
            m_plan.sound = m_host.microphone ? Sound::OutputAndInput : Sound::Output;
        m_plan.clipboard = m_options.clipboard;
        m_plan.entropy = !m_plan.savable;
        m_plan.memoryBalloon = !m_isMac;
        if (m_hasState && wasSavedWithoutConsoles(m_machine.directory))
            (void)leaveOutConsoles(m_plan);
        m_plan.tellsVncAddress = m_options.vncServer;
        // The window's own console is for Linux; macOS has nothing to say there.
        if (!m_isMac || m_options.serial.kind != SerialLine::Kind::Console)
            m_plan.serial = SerialPlan{};
        if (m_options.serial.kind == SerialLine::Kind::Device)
            checkSerialDevice(m_options.serial.path);
    }

    // Not opened: that alone tells some devices to answer.
    void checkSerialDevice(const QString& path) {
        struct stat info {};
        QString reason;
        if (!path.startsWith(QLatin1Char('/')))
            reason = Tr::tr("Write the whole path of the device.");
        else if (::stat(QFile::encodeName(path).constData(), &info) != 0)
            reason = Tr::tr("It does not exist.");
        else if (!S_ISCHR(info.st_mode))
            reason = Tr::tr("It is no device, such as /dev/cu.usbserial.");
        if (!reason.isEmpty())
            refuse(ErrorKind::Unsupported,
                   Tr::tr("The serial line cannot lead to \"%1\". %2").arg(path, reason));
    }

    // What other computers can do and no Mac can.
    void refuseForeignOptions() {
        if (m_options.accelerator != AcceleratorChoice::Automatic)
            refuseFeature(Tr::tr("that accelerator"),
                          Tr::tr("A Mac has only its own. Choose \"automatic\"."));
        if (!m_options.forwards.isEmpty())
            refuseFeature(Tr::tr("forwarded ports"),
                          Tr::tr("On a Mac a machine has an address of its own: reach its ports "
                                 "there, and take the forwards out."));
        if (!m_options.bootOrder.isEmpty())
            refuseFeature(Tr::tr("a boot order"),
                          Tr::tr("On a Mac its firmware decides. Choose it there, and take the "
                                 "order out."));
    }

    const MachineInfo& m_machine;
    const RunOptions& m_options;
    const MacOptions m_mac;
    const HostCaps& m_host;
    const RunIntent& m_intent;
    const QStringList& m_libraries;
    const QStringList& m_ownFolders;
    const QString& m_copyFolder;
    bool m_isMac = false;
    bool m_hasState = false;
    MachinePlan m_plan;
    ShareSet m_shares;
    QList<Error> m_errors;
};

} // namespace

PlanBuilder::PlanBuilder(const MachineInfo& machine,
                         const RunOptions& options,
                         const HostCaps& host)
    : m_machine(machine)
    , m_options(options)
    , m_host(host) {}

PlanBuilder& PlanBuilder::setIntent(const RunIntent& intent) {
    m_intent = intent;
    return *this;
}

PlanBuilder& PlanBuilder::setLibraries(const QStringList& libraries) {
    m_libraries = libraries;
    return *this;
}

PlanBuilder& PlanBuilder::setOwnFolders(const QStringList& folders) {
    m_ownFolders = folders;
    return *this;
}

PlanBuilder& PlanBuilder::setCopyFolder(const QString& folder) {
    m_copyFolder = folder;
    return *this;
}

PlanBuilder::Outcome PlanBuilder::build() const {
    return Builder(m_machine, m_options, m_host, m_intent, m_libraries, m_ownFolders, m_copyFolder)
        .build();
}

Result<PlannedMachine> PlanBuilder::buildOrFail() const {
    Outcome outcome = build();
    if (outcome.planned)
        return *std::move(outcome.planned);
    return fail(asOne(outcome.errors));
}

Error asOne(const QList<Error>& errors) {
    Error all = errors.constFirst();
    for (qsizetype i = 1; i < errors.size(); ++i) {
        all.message += QLatin1Char('\n') + errors.at(i).message;
        if (!errors.at(i).detail.isEmpty())
            all.detail += QLatin1Char('\n') + errors.at(i).detail;
    }
    return all;
}

} // namespace vitrine::vz
