// SPDX-License-Identifier: Apache-2.0
// A machine that a window hosts, on a fake of the framework; its lock is held by the real
// `vitrinectl hold`, and its guest's agent is played by gRPC's own server.
#include "tests/contract/contract_machine.h"

#include "core/channel/local_socket.h"
#include "core/machine/mac_options.h"
#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"
#include "tests/support/tart_agent_server.h"
#include "tests/vz/plan/fake_vz_machine.h"
#include "tests/vz/plan/pretended_mac.h"
#include "vz/host/guest_services.h"
#include "vz/host/vz_machine_host.h"
#include "vz/host/vz_screens.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSocketNotifier>

#include <unistd.h>

namespace vitrine::test {

namespace {

constexpr int timeToShutDown = 20; // ms
const QString machineName = QStringLiteral("contract");
// A whole PNG picture of one pixel.
const char* const onePixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC";

class PretendedProbe final : public vz::HostProbe {
public:
    [[nodiscard]] vz::HostCaps read() const override { return vz::test::pretendedMac(); }
};

// Shuts down when it is asked to, echoes on its serial line, has an agent and sees its folders.
class Guest final : public vz::test::FakeVzMachine {
public:
    // `folders`: the file that tells the agent's play of them.
    Guest(const vz::MachinePlan& plan, QString agent, QString folders)
        : m_agent(std::move(agent))
        , m_folders(std::move(folders)) {
        for (const vz::ShareDevice& device : plan.shares)
            m_devices.insert(device.tag, device);
        tellFolders();
        if (!plan.serial)
            return;
        m_typed =
            std::make_unique<QSocketNotifier>(plan.serial->forGuestToRead, QSocketNotifier::Read);
        QObject::connect(
            m_typed.get(), &QSocketNotifier::activated, &m_context, [line = *plan.serial] {
                char keys[64];
                const ssize_t size = ::read(line.forGuestToRead, keys, sizeof(keys));
                if (size > 0 && ::write(line.fromGuest, keys, static_cast<size_t>(size)) != size)
                    ADD_FAILURE() << "the line is full";
            });
    }
    void requestStop(Completion done) override {
        FakeVzMachine::requestStop(std::move(done));
        QTimer::singleShot(timeToShutDown, &m_context, [this] {
            current = vz::VmState::Stopped;
            if (events)
                events->guestStopped();
        });
    }
    void connectVsock(quint32 port, Connection done) override {
        EXPECT_EQ(port, TartAgent::port);
        done(connectToLocalSocket(m_agent));
    }
    Result<> setShare(const vz::ShareDevice& device) override {
        m_devices[device.tag] = device;
        tellFolders();
        return FakeVzMachine::setShare(device);
    }

private:
    void tellFolders() const {
        QJsonObject all;
        for (const vz::ShareDevice& device : m_devices) {
            QJsonArray folders;
            for (const vz::SharedFolder& folder : device.folders)
                folders.append(QJsonObject{{QStringLiteral("name"), folder.name},
                                           {QStringLiteral("path"), folder.path},
                                           {QStringLiteral("readOnly"), folder.readOnly}});
            all.insert(device.tag, folders);
        }
        SmallLibrary::write(m_folders, QJsonDocument(all).toJson());
    }
    QString m_agent;
    QString m_folders;
    QHash<QString, vz::ShareDevice> m_devices;
    QObject m_context;
    std::unique_ptr<QSocketNotifier> m_typed;
};

class Guests final : public vz::MachineFactory {
public:
    Guests(QString agent, QString folders)
        : m_agent(std::move(agent))
        , m_folders(std::move(folders)) {}
    [[nodiscard]] Result<std::unique_ptr<vz::Machine>>
    create(const vz::MachinePlan& plan) override {
        return std::make_unique<Guest>(plan, m_agent, m_folders);
    }

private:
    QString m_agent;
    QString m_folders;
};

class ContractVz final : public ContractMachine {
public:
    ContractVz()
        : m_agent({}, {QStringLiteral("--guest"), foldersFile()}) {
        MachineConfig config = SmallLibrary::smallConfig();
        config.architecture = Architecture::Arm64;
        SmallLibrary::write(m_library.add(machineName, config) + QLatin1String("/nvram.bin"),
                            "variables");
        vz::Services services;
        services.probe = std::make_shared<PretendedProbe>();
        services.machines = std::make_shared<Guests>(m_agent.socket(), foldersFile());
        services.vitrinectl = QStringLiteral(VITRINE_BIN_DIR "/vitrinectl");
        services.openServices = [this](const vz::OpenedMachine& opened) {
            vz::GuestServices::Neighbours nobody;
            nobody.leases = m_folder.filePath(QStringLiteral("leases"));
            nobody.arp = [](const MacAddress&) { return QString(); };
            return std::make_unique<vz::GuestServices>(opened, nobody);
        };
        m_host = std::make_unique<vz::VzMachineHost>(services);
        QObject::connect(
            m_host.get(),
            &MachineHost::ended,
            m_host.get(),
            [this](const QString&, const std::optional<Error>& error) { m_failure = error; });
        m_screens = std::make_unique<vz::VzScreens>(m_host.get());
        m_screens->setPictures(machineName, &m_view, [](const vz::ScreenTaken& taken) {
            taken(vz::ScreenPicture{QByteArray::fromBase64(onePixel), 1, 1});
        });
    }
    bool start() override {
        m_failure.reset();
        if (m_suspendable)
            becomeMac();
        Hypervisor::RunRequest request{m_library.library, machineName, {}};
        request.forceOffAfterSeconds = 0;
        MacOptions mac;
        mac.suspendable = m_suspendable;
        mac.storeIn(request.options);
        m_host->start(request, [this](const Result<>& started) {
            if (started || started.error().isCancelled())
                return;
            m_failure = started.error();
            ADD_FAILURE() << m_failure->message.toStdString();
        });
        return true;
    }
    bool waitForEnd() override {
        const bool ended = waitUntil([this] {
            const auto holder = ConfigFile::holder(directory() + QLatin1String("/config.json"));
            return m_host->machines().isEmpty() && holder && !holder->has_value();
        });
        return ended && !m_failure;
    }
    int exitCodeOfSecondStart() override {
        QProcess second;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("VITRINE_HOME"), m_library.library.home());
        second.setProcessEnvironment(environment);
        second.start(QStringLiteral(VITRINE_BIN_DIR "/vitrinectl"),
                     {QStringLiteral("run"), machineName, QStringLiteral("--no-graphics")});
        return waitUntil([&] { return second.state() == QProcess::NotRunning; }) ? second.exitCode()
                                                                                 : -1;
    }
    [[nodiscard]] const Library& library() const override { return m_library.library; }
    [[nodiscard]] QString name() const override { return machineName; }
    [[nodiscard]] QStringList unavailable() const override {
        QStringList all;
        for (const char* method :
             {"agent.interfaces", "clipboard.enable", "clipboard.get",   "clipboard.offer",
              "disk.grow",        "disk.list",        "forward.add",     "forward.list",
              "forward.remove",   "net.destinations", "net.expose.add",  "net.expose.remove",
              "net.learn",        "net.policy.edit",  "net.policy.set",  "net.stats",
              "net.status",       "net.test",         "snapshot.cancel", "snapshot.create",
              "snapshot.progress"})
            all << QLatin1String(method);
        return all;
    }
    [[nodiscard]] bool hasDisplaySocket() const override { return false; }
    [[nodiscard]] bool renamesShares() const override { return false; }
    [[nodiscard]] bool logsSerialLine() const override { return false; }
    bool suspendsOnlyOnWish() override { return !std::exchange(m_suspendable, true); }

private:
    // On a Mac only macOS machines can be suspended.
    void becomeMac() const {
        const QString file = directory() + QLatin1String("/config.json");
        auto config = MachineConfig::fromJson(ConfigFile::read(file).value_or(QByteArray()));
        ASSERT_TRUE(config);
        config->system = GuestSystem::Darwin;
        config->ecid = "identifier";
        config->hardwareModel = "model";
        SmallLibrary::write(file, config->toJson());
    }
    [[nodiscard]] QString foldersFile() const {
        return m_folder.filePath(QStringLiteral("folders.json"));
    }
    QTemporaryDir m_folder;
    SmallLibrary m_library;
    TartAgentServer m_agent;
    std::unique_ptr<vz::VzMachineHost> m_host;
    std::unique_ptr<vz::VzScreens> m_screens; // before its host
    QObject m_view;                           // and before those
    std::optional<Error> m_failure;
    bool m_suspendable = false;
};

} // namespace

std::unique_ptr<ContractMachine> makeContractMachine() {
    return std::make_unique<ContractVz>();
}

} // namespace vitrine::test
