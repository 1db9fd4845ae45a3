// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/fake_machine.h"
#include "tests/support/gui_support.h"
#include "ui/console/console_surface.h"
#include "ui/library/side_list.h"
#include "ui/library/side_list_model.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/machines/thumbnails.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/main_window.h"
#include "ui/theme/theme.h"

#include <QSettings>

#include <gtest/gtest.h>

namespace vitrine::test {

class FakeHypervisor final : public Hypervisor {
public:
    HypervisorInfo info(Refresh) const override {
        HypervisorInfo info;
        info.name = QStringLiteral("Fake 1.0");
        info.diagnosis = QStringLiteral("Kernel: 6.1\n");
        info.features[Feature::Recovery] = {
            false, QStringLiteral("Recovery needs a Mac with Apple silicon.")};
        info.features[Feature::LinuxGuests] = {true, {}};
        info.features[Feature::Suspend] = {true, {}};
        info.features[Feature::Arm64Guests] = {true, {}};
        info.features[Feature::Amd64Guests] = {true, {}};
        info.features[Feature::DarwinGuests] = {
            false, QStringLiteral("macOS guests need a Mac with Apple silicon.")};
        info.checks = {{HostCheck::Verdict::Good,
                        QStringLiteral("Hardware virtualization of this processor"),
                        QStringLiteral("KVM")},
                       {HostCheck::Verdict::Missing,
                        QStringLiteral("Firmware for UEFI"),
                        QStringLiteral("Not found. Install the package \"ovmf\".")}};
        if (isMac)
            for (const Feature feature : {Feature::DarwinGuests, Feature::Recovery})
                info.features[feature] = {true, {}};
        return info;
    }
    bool isMac = false; // set before it is asked
    Result<> validate(const MachineInfo&, const RunOptions&) const override { return {}; }
    int runMachine(const RunRequest&) const override { return 1; }
    std::unique_ptr<vitrine::Display> openDisplay(const QString&) const override { return nullptr; }
};

// The window over a small library; machines are added before open().
class WindowTest : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        ui::applyTheme(ui::SchemeChoice::Light);
        qputenv("VITRINE_HOME", small.library.home().toUtf8());
        const QByteArray path = qgetenv("PATH"); // where the window finds vitrinectl
        if (!path.startsWith(VITRINE_BIN_DIR))
            qputenv("PATH", VITRINE_BIN_DIR ":" + path);
    }
    void TearDown() override { window.reset(); }

    void open() {
        model = std::make_unique<LibraryModel>(small.library);
        jobs = std::make_unique<JobListModel>();
        clients = std::make_unique<ui::MachineClients>(model.get(), machineHost);
        host = std::make_unique<ui::HostReport>(&hypervisor);
        thumbnails = std::make_unique<ui::Thumbnails>(clients.get());
        services = {
            model.get(), jobs.get(), clients.get(), &hypervisor, host.get(), thumbnails.get()};
        services.machineHost = machineHost;
        services.openHostedSurface = openHostedSurface;
        window = std::make_unique<ui::MainWindow>(services);
        window->show();
        window->activateWindow();
        ASSERT_TRUE(waitUntil([this] { return model->isLoaded(); }));
        ASSERT_TRUE(waitUntil([this] { return host->info() != nullptr; }));
        settle();
    }
    // Everything that was posted has been handled.
    void settle() {
        bool passed = false;
        QTimer::singleShot(0, window.get(), [this, &passed] {
            QTimer::singleShot(0, window.get(), [&passed] { passed = true; });
        });
        ASSERT_TRUE(waitUntil([&passed] { return passed; }));
    }
    void select(const QString& name) {
        ASSERT_TRUE(window->sideList()->select({name, false}));
        settle();
    }
    [[nodiscard]] ui::SideListModel* list() const { return window->sideList()->sideModel(); }
    [[nodiscard]] QString spoken(const QString& name) const {
        return list()->indexOf(name, false).data(Qt::AccessibleTextRole).toString();
    }
    template <class Dialog>
    Dialog* dialog() {
        Dialog* found = nullptr;
        waitUntil([this, &found] {
            for (Dialog* candidate : window->findChildren<Dialog*>()) {
                if (candidate->isVisible())
                    found = candidate;
            }
            return found != nullptr;
        });
        return found;
    }

    SmallLibrary small;
    FakeHypervisor hypervisor;
    std::unique_ptr<LibraryModel> model;
    std::unique_ptr<JobListModel> jobs;
    std::unique_ptr<ui::MachineClients> clients;
    std::unique_ptr<ui::HostReport> host;
    std::unique_ptr<ui::Thumbnails> thumbnails;
    MachineHost* machineHost = nullptr; // set before open(): it hosts machines
    std::function<std::unique_ptr<ui::ConsoleSurface>(const QString&)> openHostedSurface;
    ui::Services services;
    std::unique_ptr<ui::MainWindow> window;
};

} // namespace vitrine::test
