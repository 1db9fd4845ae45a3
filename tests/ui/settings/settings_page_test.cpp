// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_page.h"

#include "core/library/library_model.h"
#include "tests/support/gui_support.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QFile>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

class FakeHypervisor final : public Hypervisor {
public:
    HypervisorInfo info(Refresh) const override {
        HypervisorInfo info;
        info.features[Feature::AcceleratorChoice] = {true, {}};
        info.features[Feature::NestedVirtualization] = {false,
                                                        QStringLiteral("This CPU offers no KVM.")};
        return info;
    }
    Result<> validate(const MachineInfo&, const RunOptions&) const override { return {}; }
    int runMachine(const RunRequest&) const override { return 1; }
    std::unique_ptr<vitrine::Display> openDisplay(const QString&) const override { return nullptr; }
};

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
        m_page = std::make_unique<SettingsPage>(m_services);
        m_page->resize(1016, 604);
        m_page->show();
        m_page->showMachine(info());
        ASSERT_TRUE(
            test::waitUntil([this] { return spin(QStringLiteral("Processors"))->value() == 4; }));
    }
    MachineInfo info() const {
        auto machine = m_model->library().machine(*MachineName::fromText(QStringLiteral("build")));
        return machine ? *machine : MachineInfo{};
    }
    QSpinBox* spin(const QString& name) const {
        for (QSpinBox* box : m_page->findChildren<QSpinBox*>())
            if (box->accessibleName() == name)
                return box;
        return nullptr;
    }
    QPushButton* button(const QString& text) const {
        for (QPushButton* candidate : m_page->findChildren<QPushButton*>())
            if (candidate->text() == text)
                return candidate;
        return nullptr;
    }
    static void write(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QTemporaryDir m_home;
    FakeHypervisor m_hypervisor;
    JobListModel m_jobs;
    std::unique_ptr<LibraryModel> m_model;
    Services m_services;
    std::unique_ptr<SettingsPage> m_page;
};

} // namespace

TEST_F(SettingsPageTest, NothingIsWrittenBeforeApply) {
    spin(QStringLiteral("Processors"))->setValue(2);
    EXPECT_TRUE(m_page->hasUnsavedChanges());
    EXPECT_TRUE(button(QStringLiteral("Apply"))->isEnabled());
    EXPECT_EQ(info().config->cpuCount, 4);
    button(QStringLiteral("Cancel"))->click();
    EXPECT_FALSE(m_page->hasUnsavedChanges());
    EXPECT_EQ(spin(QStringLiteral("Processors"))->value(), 4);
}

TEST_F(SettingsPageTest, ApplyWritesConfigAndSidecar) {
    spin(QStringLiteral("Processors"))->setValue(3);
    m_page->findChild<QPlainTextEdit*>()->setPlainText(
        QStringLiteral("Builds the nightly packages."));
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return info().config->cpuCount == 3; }, 30000));
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    const auto sidecar = Sidecar::read(info().directory);
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->notes, QStringLiteral("Builds the nightly packages."));
}

TEST_F(SettingsPageTest, EveryPaneShowsAndEveryControlHasAName) {
    const QStringList names{QStringLiteral("general"),
                            QStringLiteral("system"),
                            QStringLiteral("display"),
                            QStringLiteral("disks")};
    ASSERT_EQ(m_page->paneCount(), names.size());
    for (int pane = 0; pane < m_page->paneCount(); ++pane) {
        m_page->selectPane(pane);
        test::savePicture(*m_page, QStringLiteral("settings-") + names[pane]);
    }
    EXPECT_TRUE(test::controlsWithoutName(*m_page).isEmpty())
        << test::controlsWithoutName(*m_page).join(u',').toStdString();
}

TEST_F(SettingsPageTest, AListingThatComesWhileEditingKeepsTheEdit) {
    spin(QStringLiteral("Processors"))->setValue(2);
    MachineInfo changed = info();
    changed.allocated = ByteCount::fromMiB(1);
    m_page->showMachine(changed);
    EXPECT_TRUE(m_page->hasUnsavedChanges());
    EXPECT_EQ(spin(QStringLiteral("Processors"))->value(), 2);
}
