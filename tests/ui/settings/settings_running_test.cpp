// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_firewall.h"
#include "tests/support/fake_machine.h"
#include "tests/ui/console/fake_display.h"
#include "tests/ui/settings/settings_fixture.h"
#include "ui/machines/machine_clients.h"
#include "ui/widgets/value_list.h"

#include <QJsonArray>
#include <QPointer>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

// The machine "build" runs, and its process is a fake one.
class RunningSettingsTest : public SettingsPageTest {
protected:
    void SetUp() override {
        SettingsPageTest::SetUp();
        m_hypervisor.change = [](HypervisorInfo& host) {
            host.features[Feature::Clipboard] = {true, {}};
        };
        m_hypervisor.display = [this] {
            auto display = std::make_unique<test::FakeDisplay>();
            display->resize({1024, 768});
            m_display = display.get();
            return display;
        };
    }
    void run() {
        m_machine =
            std::make_unique<test::FakeMachine>(m_model->library(), QStringLiteral("build"));
        ASSERT_TRUE(m_machine->start());
        m_firewall.answer(m_machine->server());
        m_machine->server().on(
            QStringLiteral("clipboard.enable"),
            [this](const QJsonObject& parameters, const ControlServer::Respond& respond) {
                m_enabled = parameters.value(QLatin1String("enabled")).toBool();
                respond(QJsonObject{});
            });
        m_clients = std::make_unique<MachineClients>(m_model.get());
        m_services.clients = m_clients.get();
        m_model->refresh();
        ASSERT_TRUE(test::waitUntil(
            [this] { return m_clients->status(QStringLiteral("build")) != nullptr; }));
        m_info = info();
        m_info.state = MachineState::Running;
        m_page = std::make_unique<SettingsPage>(m_services);
        m_page->resize(1016, 604);
        m_page->show();
        m_page->showMachine(m_info);
        ASSERT_TRUE(
            test::waitUntil([this] { return spin(QStringLiteral("Processors"))->value() == 4; }));
    }
    QJsonArray ports() {
        std::optional<QJsonArray> list;
        m_clients->call(QStringLiteral("build"),
                        QStringLiteral("forward.list"),
                        {},
                        [&list](const Result<QJsonValue>& answer) {
                            list = answer ? (*answer)[u"forwards"].toArray() : QJsonArray();
                        });
        EXPECT_TRUE(test::waitUntil([&list] { return list.has_value(); }));
        return list.value_or(QJsonArray());
    }
    void TearDown() override {
        m_page.reset();
        m_clients.reset();
        m_machine.reset();
    }
    std::unique_ptr<test::FakeMachine> m_machine;
    std::unique_ptr<MachineClients> m_clients;
    QPointer<test::FakeDisplay> m_display;
    test::FakeFirewall m_firewall;
    std::optional<bool> m_enabled;
    MachineInfo m_info;
};

} // namespace

TEST_F(RunningSettingsTest, WhatChangesAtOnceIsPutIntoTheRunningMachine) {
    run();
    check(QStringLiteral("clipboard"))->setChecked(false);
    QComboBox* refit = combo(QStringLiteral("Refit"));
    refit->setCurrentIndex(refit->findText(QStringLiteral("Off")));
    spin(QStringLiteral("Width"))->setValue(1440);
    EXPECT_TRUE(says(QStringLiteral("Applies now: Refit, Clipboard.")));
    EXPECT_TRUE(says(QStringLiteral("At next start: Display size.")));
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return m_enabled.has_value(); }, 30000));
    EXPECT_FALSE(*m_enabled);
    ASSERT_TRUE(m_display);
    EXPECT_EQ(m_display->wantedSizes, (QList<QSize>{{1440, 768}}));
    Q_EMIT m_display->resizeAnswered(4);
    EXPECT_TRUE(test::waitUntil([this] { return !m_display; }));
    const auto sidecar = Sidecar::read(m_info.directory);
    ASSERT_TRUE(sidecar);
    EXPECT_FALSE(sidecar->run.clipboard);
    EXPECT_EQ(sidecar->pending.size(), 2); // for config.json, when the run has ended
}

TEST_F(RunningSettingsTest, RulesOfARunningMachineHoldAtOnce) {
    ASSERT_TRUE(Sidecar::update(info().directory, [](Sidecar& sidecar) {
        sidecar.run.network.mode = NetworkMode::Softnet;
        sidecar.run.network.expose = QStringLiteral("2222:22");
    }));
    run();
    m_firewall.policy.block = {QStringLiteral("203.0.113.0/24")}; // until the machine stops
    m_firewall.exposed = {QStringLiteral("2222:22")};
    firewall()->allowed()->addValues({QStringLiteral("out 10.0.0.0/8:443")});
    EXPECT_TRUE(says(QStringLiteral("Applies now: Firewall rules.")));
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    EXPECT_EQ(m_firewall.policy, (SoftnetPolicy{{QStringLiteral("out 10.0.0.0/8:443")}, {}}));
    EXPECT_EQ(m_firewall.exposed, QStringList{QStringLiteral("2222:22")});
    combo(QStringLiteral("Attachment"))->setCurrentIndex(0);
    EXPECT_TRUE(says(QStringLiteral("At next start: Network.")));
}

TEST_F(RunningSettingsTest, AGuestThatFollowsTheWindowIsAskedForNoOtherSize) {
    run();
    QComboBox* refit = combo(QStringLiteral("Refit"));
    refit->setCurrentIndex(refit->findText(QStringLiteral("On")));
    spin(QStringLiteral("Width"))->setValue(1440);
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    EXPECT_FALSE(m_display);
}

TEST_F(RunningSettingsTest, ThePortThatAnyBecameIsShownAndTakenOff) {
    ASSERT_TRUE(Sidecar::update(info().directory, [](Sidecar& sidecar) {
        sidecar.run.forwards = {{0, 80}};
    }));
    run();
    std::optional<int> port;
    m_clients->call(QStringLiteral("build"),
                    QStringLiteral("forward.add"),
                    {{QStringLiteral("guestPort"), 80}},
                    [&port](const Result<QJsonValue>& answer) {
                        port = answer ? (*answer)[u"hostPort"].toInt() : 0;
                    });
    ASSERT_TRUE(test::waitUntil([&port] { return port.has_value(); }));
    m_page->hide();
    m_page->show();
    QTableWidget* table = nullptr;
    for (QTableWidget* candidate : m_page->findChildren<QTableWidget*>())
        if (candidate->accessibleName() == QStringLiteral("Port forwards"))
            table = candidate;
    ASSERT_TRUE(table);
    EXPECT_TRUE(test::waitUntil([table, &port] {
        return table->rowCount() == 1 &&
               table->item(0, 0)->text().contains(QStringLiteral("127.0.0.1:%1").arg(*port));
    }));
    m_page->selectPane(4);
    test::savePicture(*m_page, QStringLiteral("settings-network-any"));
    button(QStringLiteral("Re&move"), QStringLiteral("Port forwards"))->click();
    EXPECT_TRUE(m_page->hasUnsavedChanges());
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    for (const QJsonValue& forward : ports()) // the one for SSH stays
        EXPECT_NE(forward[u"hostPort"].toInt(), *port);
    const auto sidecar = Sidecar::read(m_info.directory);
    ASSERT_TRUE(sidecar);
    EXPECT_TRUE(sidecar->run.forwards.isEmpty());
}
