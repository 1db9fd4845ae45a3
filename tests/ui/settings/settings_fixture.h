// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_host.h"
#include "core/library/library_model.h"
#include "tests/support/gui_support.h"
#include "ui/machines/host_report.h"
#include "ui/settings/firewall_box.h"
#include "ui/settings/settings_page.h"
#include "ui/settings/settings_pane.h"
#include "ui/theme/theme.h"
#include "ui/widgets/command_row.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine::ui {

// A host that can do most; what it cannot has a reason.
class FakeHypervisor final : public Hypervisor {
public:
    HypervisorInfo info(Refresh) const override {
        HypervisorInfo info;
        info.features[Feature::AcceleratorChoice] = {true, {}};
        for (const Feature feature : {Feature::LinuxGuests,
                                      Feature::PortForwards,
                                      Feature::HostOnly,
                                      Feature::Audio,
                                      Feature::VncServer})
            info.features[feature] = {true, {}};
        for (const Feature feature : {Feature::Clipboard, Feature::Recovery, Feature::Rosetta})
            info.features[feature] = {false, QStringLiteral("Needs a Mac with Apple silicon.")};
        info.features[Feature::Bridged] = {false, QStringLiteral("This computer has no bridge.")};
        info.features[Feature::Softnet] = {false, QStringLiteral("No firewall here.")};
        info.features[Feature::NestedVirtualization] = {false,
                                                        QStringLiteral("This CPU offers no KVM.")};
        if (change)
            change(info);
        return info;
    }
    Result<> validate(const MachineInfo&, const RunOptions&) const override { return {}; }
    int runMachine(const RunRequest&) const override { return 1; }
    std::unique_ptr<vitrine::Display> openDisplay(const QString&) const override {
        return display ? display() : nullptr;
    }
    void install(Feature feature, std::function<void(const Result<>&)> done) const override {
        installed.append(feature);
        QTimer::singleShot(0, qApp, [done = std::move(done), refused = refusal] {
            done(refused ? Result<>(tl::unexpected(*refused)) : Result<>());
        });
    }
    mutable QList<Feature> installed;
    std::optional<Error> refusal;
    std::function<void(HypervisorInfo&)> change; // set before the page asks
    std::function<std::unique_ptr<vitrine::Display>()> display;
};

// The page, shown, with a stopped machine "build".
class SettingsPageTest : public testing::Test {
protected:
    void SetUp() override {
        applyTheme(SchemeChoice::Light);
        qputenv("VITRINE_HOME", m_home.path().toUtf8());
        qputenv("PATH", QByteArray(VITRINE_BIN_DIR) + ':' + qgetenv("PATH"));
        auto library = Library::open(m_home.path());
        ASSERT_TRUE(library);
        const QString folder = library->machinesPath() + QLatin1String("/build");
        ASSERT_TRUE(QDir().mkpath(folder));
        MachineConfig config;
        config.macAddress = MacAddress::random();
        write(folder + QLatin1String("/config.json"), config.toJson());
        write(folder + QLatin1String("/nvram.bin"), "x");
        QFile disk(folder + QLatin1String("/disk.img"));
        ASSERT_TRUE(disk.open(QIODevice::WriteOnly) && disk.resize(20'000'000'000));
        m_model = std::make_unique<LibraryModel>(*library);
        m_services.library = m_model.get();
        m_services.hypervisor = &m_hypervisor;
        m_services.jobs = &m_jobs;
        makePage();
    }
    MachineInfo info() const {
        auto machine = m_model->library().machine(*MachineName::fromText(QStringLiteral("build")));
        return machine ? *machine : MachineInfo{};
    }
    // Another machine, made now.
    MachineInfo machine(const QString& name, MachineConfig config = {}) const {
        const QString folder = m_model->library().machinesPath() + QLatin1Char('/') + name;
        EXPECT_TRUE(QDir().mkpath(folder));
        config.macAddress = MacAddress::random();
        write(folder + QLatin1String("/config.json"), config.toJson());
        write(folder + QLatin1String("/nvram.bin"), "x");
        QFile disk(folder + QLatin1String("/disk.img"));
        EXPECT_TRUE(disk.open(QIODevice::WriteOnly) && disk.resize(20'000'000'000));
        auto made = m_model->library().machine(*MachineName::fromText(name));
        return made ? *made : MachineInfo{};
    }
    // The first control of this name that takes the keyboard.
    QWidget* control(const QString& name) const {
        for (QWidget* widget : m_page->findChildren<QWidget*>())
            if (widget->accessibleName() == name && widget->focusPolicy() != Qt::NoFocus)
                return widget;
        return nullptr;
    }
    // A label that is shown holds this text.
    bool says(const QString& text) const {
        for (const QLabel* label : m_page->findChildren<QLabel*>())
            if (!label->isHidden() && label->text().contains(text))
                return true;
        return false;
    }
    FirewallBox* firewall() const { return m_page->findChild<FirewallBox*>(); }
    QSpinBox* spin(const QString& name) const {
        for (QSpinBox* box : m_page->findChildren<QSpinBox*>())
            if (box->accessibleName() == name)
                return box;
        return nullptr;
    }
    // `beside`: of the pane that has a table of this name.
    QPushButton* button(const QString& text, const QString& beside = {}) const {
        for (QPushButton* candidate : m_page->findChildren<QPushButton*>()) {
            if (candidate->text() != text)
                continue;
            bool fits = beside.isEmpty();
            for (QWidget* pane = candidate; pane && !fits; pane = pane->parentWidget())
                if (qobject_cast<SettingsPane*>(pane))
                    for (const QTableWidget* table : pane->findChildren<QTableWidget*>())
                        fits = fits || table->accessibleName() == beside;
            if (fits)
                return candidate;
        }
        return nullptr;
    }
    QLineEdit* line(const QString& name) const {
        for (QLineEdit* field : m_page->findChildren<QLineEdit*>())
            if (field->accessibleName() == name)
                return field;
        return nullptr;
    }
    // The page again, on a computer as m_hypervisor is now.
    void makePage() {
        m_page.reset();
        m_host = std::make_unique<HostReport>(&m_hypervisor);
        m_services.host = m_host.get();
        m_page = std::make_unique<SettingsPage>(m_services);
        m_page->resize(1016, 604);
        m_page->show();
        m_page->showMachine(info());
        ASSERT_TRUE(test::waitUntil([this] { return m_host->info() != nullptr; }));
        ASSERT_TRUE(
            test::waitUntil([this] { return spin(QStringLiteral("Processors"))->value() == 4; }));
    }
    QComboBox* combo(const QString& name) const {
        for (QComboBox* box : m_page->findChildren<QComboBox*>())
            if (box->accessibleName() == name)
                return box;
        return nullptr;
    }
    QCheckBox* check(const QString& part) const {
        for (QCheckBox* box : m_page->findChildren<QCheckBox*>())
            if (QString(box->text())
                    .remove(QLatin1Char('&'))
                    .contains(QString(part).remove(QLatin1Char('&'))))
                return box;
        return nullptr;
    }
    static void write(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QTemporaryDir m_home;
    FakeHypervisor m_hypervisor;
    std::unique_ptr<HostReport> m_host;
    JobListModel m_jobs;
    std::unique_ptr<LibraryModel> m_model;
    Services m_services;
    std::unique_ptr<SettingsPage> m_page;
};

} // namespace vitrine::ui
