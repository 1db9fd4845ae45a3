// SPDX-License-Identifier: Apache-2.0
#include "ui/create/create_dialog.h"

#include "tests/support/gui_support.h"
#include "tests/support/held_machine.h"
#include "tests/support/layout_misfits.h"
#include "ui/machines/host_report.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;
using Kind = CreationChoice::Kind;

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

class AHost final : public Hypervisor {
public:
    bool mac = false;
    HypervisorInfo info(Refresh) const override {
        HypervisorInfo info;
        info.features[Feature::Arm64Guests] = {true, {}};
        info.features[Feature::Amd64Guests] = {true, {}};
        info.features[hostArchitecture() == Architecture::Arm64 ? Feature::Amd64Guests
                                                                : Feature::Arm64Guests] = {
            true, s("Emulated, slow.")};
        info.features[Feature::DarwinGuests] = {
            mac, mac ? QString() : s("macOS machines run only on a Mac with Apple silicon.")};
        return info;
    }
    Result<> validate(const MachineInfo&, const RunOptions&) const override { return {}; }
    int runMachine(const RunRequest&) const override { return 1; }
    std::unique_ptr<vitrine::Display> openDisplay(const QString&) const override { return nullptr; }
};

class CreateDialogTest : public testing::Test {
protected:
    void SetUp() override {
        applyTheme(SchemeChoice::Light);
        m_small.add(s("debian"));
        m_model = std::make_unique<LibraryModel>(m_small.library);
        m_model->refresh();
        ASSERT_TRUE(waitUntil([this] { return m_model->isLoaded(); }));
        open();
    }
    void TearDown() override { delete m_dialog.data(); }
    void open() {
        delete m_dialog.data();
        m_host = std::make_unique<HostReport>(&m_hypervisor);
        m_services.library = m_model.get();
        m_services.jobs = &m_jobs;
        m_services.host = m_host.get();
        m_dialog = new CreateDialog(m_services);
        QObject::connect(m_dialog, &CreateDialog::looked, m_dialog, [this] { ++m_looked; });
        QObject::connect(m_dialog,
                         &CreateDialog::chosen,
                         m_dialog,
                         [this](const CreationChoice& choice) { m_chosen.append(choice); });
        m_dialog->show();
        ASSERT_TRUE(waitUntil([this] { return m_host->info() != nullptr; }));
        ASSERT_TRUE(waitUntil([this] { return m_looked > 0; }));
    }
    QString file(const char* name, const QByteArray& bytes) {
        const QString path = m_folder.filePath(s(name));
        SmallLibrary::write(path, bytes);
        return path;
    }
    void take(Kind kind, const QString& path) {
        m_dialog->setKind(kind);
        m_dialog->setFile(path);
        m_looked = 0;
        ASSERT_TRUE(waitUntil([this] { return m_looked > 0; }));
    }
    template <class Widget>
    [[nodiscard]] Widget* named(const char* name) const {
        for (Widget* widget : m_dialog->findChildren<Widget*>())
            if (widget->accessibleName() == s(name))
                return widget;
        ADD_FAILURE() << name;
        return nullptr;
    }
    [[nodiscard]] QPushButton* button(const char* text) const {
        for (QPushButton* button : m_dialog->findChildren<QPushButton*>())
            if (button->text().remove(QLatin1Char('&')) == s(text))
                return button;
        ADD_FAILURE() << text;
        return nullptr;
    }
    [[nodiscard]] QRadioButton* macKind() const {
        for (QRadioButton* kind : m_dialog->findChildren<QRadioButton*>())
            if (kind->text().remove(QLatin1Char('&')).startsWith(QLatin1String("macOS")))
                return kind;
        return nullptr;
    }
    [[nodiscard]] bool says(const char* part) const {
        for (const QLabel* label : m_dialog->findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(s(part)))
                return true;
        return false;
    }
    // Light and dark, as high as it wants and on a low screen.
    void picture(const QString& name) {
        for (const SchemeChoice scheme : {SchemeChoice::Light, SchemeChoice::Dark}) {
            applyTheme(scheme);
            settleLayout(*m_dialog);
            savePicture(*m_dialog, name + (scheme == SchemeChoice::Dark ? s("-dark") : QString()));
        }
        applyTheme(SchemeChoice::Light);
    }

    SmallLibrary m_small;
    QTemporaryDir m_folder;
    AHost m_hypervisor;
    std::unique_ptr<LibraryModel> m_model;
    JobListModel m_jobs;
    std::unique_ptr<HostReport> m_host;
    Services m_services;
    QPointer<CreateDialog> m_dialog;
    int m_looked = 0;
    QList<CreationChoice> m_chosen;
};

} // namespace

TEST_F(CreateDialogTest, ADiscMakesAMachineOfItsName) {
    EXPECT_FALSE(button("Create")->isEnabled());
    EXPECT_EQ(button("Create")->toolTip(), s("Choose a file first."));
    const QString disc = file("fedora 42.iso", "disc");
    take(Kind::Disc, disc);
    EXPECT_EQ(named<QLineEdit>("Name of the machine")->text(), s("fedora 42"));
    EXPECT_TRUE(says("starts from it until"));
    named<QSpinBox>("Processors")->setValue(2);
    named<QSpinBox>("Memory")->setValue(1024);
    named<QSpinBox>("Size of the disk")->setValue(20);
    ASSERT_TRUE(waitUntil([this] { return button("Create")->isEnabled(); }))
        << button("Create")->toolTip().toStdString();
    picture(s("create-disc"));
    button("Copy Command")->click();
    EXPECT_EQ(QGuiApplication::clipboard()->text(),
              s("vitrinectl create --linux --cpu 2 --memory 1024 --iso '%1' --disk-size 20 -- "
                "'fedora 42'")
                  .arg(disc));
    button("Create")->click();
    ASSERT_EQ(m_chosen.size(), 1);
    EXPECT_EQ(m_chosen.first().file, disc);
    EXPECT_EQ(m_chosen.first().name, s("fedora 42"));
}

TEST_F(CreateDialogTest, ADiskImageKeepsItsSizeUnlessALargerOneIsChosen) {
    const QString image = file("cloud.raw", QByteArray(4096, 'd'));
    ASSERT_TRUE(QFile::resize(image, 3000000512));
    take(Kind::DiskImage, image);
    EXPECT_EQ(named<QSpinBox>("Size of the disk")->minimum(), 4);
    EXPECT_EQ(named<QSpinBox>("Size of the disk")->value(), 4);
    EXPECT_FALSE(m_dialog->choice().words().contains(s("--disk-size")));
    EXPECT_TRUE(m_dialog->choice().words().contains(s("--from-image")));
    EXPECT_EQ(m_dialog->reasonAgainst(), QString());
    picture(s("create-image"));
    named<QSpinBox>("Size of the disk")->setValue(9);
    EXPECT_TRUE(m_dialog->choice().words().contains(s("--disk-size")));
    // A larger one needs more than was chosen before.
    const QString larger = file("larger.raw", QByteArray(4096, 'd'));
    ASSERT_TRUE(QFile::resize(larger, 12000000000));
    take(Kind::DiskImage, larger);
    ASSERT_TRUE(waitUntil([this] { return m_dialog->reasonAgainst().isEmpty(); }))
        << m_dialog->reasonAgainst().toStdString();
    EXPECT_EQ(named<QSpinBox>("Size of the disk")->value(), 12);
}

TEST_F(CreateDialogTest, WhatIsWrongWithTheFileIsSaidBelowIt) {
    take(Kind::DiskImage, file("disk.qcow2", "QFI\xfb" + QByteArray(4092, 'd')));
    EXPECT_TRUE(says("qemu-img convert"));
    EXPECT_TRUE(m_dialog->reasonAgainst().contains(s("qemu-img convert")));
    EXPECT_FALSE(button("Create")->isEnabled());
    picture(s("create-qcow2"));
    take(Kind::Disc, m_folder.filePath(s("none.iso")));
    EXPECT_TRUE(says("does not exist"));
    take(Kind::Disc, file("there.iso", "disc"));
    EXPECT_FALSE(says("does not exist"));
    EXPECT_TRUE(button("Create")->isEnabled()) << m_dialog->reasonAgainst().toStdString();
}

TEST_F(CreateDialogTest, ANameIsCheckedAsItIsTyped) {
    take(Kind::Disc, file("debian.iso", "disc"));
    auto* name = named<QLineEdit>("Name of the machine");
    EXPECT_EQ(name->text(), s("debian-2")); // that one is there
    for (const char* wrong : {"debian", "a/b", "", "."}) {
        name->setText(s(wrong));
        EXPECT_FALSE(button("Create")->isEnabled()) << wrong;
        EXPECT_FALSE(name->accessibleDescription().isEmpty()) << wrong;
    }
    name->setText(s("web"));
    EXPECT_TRUE(button("Create")->isEnabled());
    EXPECT_TRUE(name->accessibleDescription().isEmpty());
}

TEST_F(CreateDialogTest, MacosIsGreyedWithTheReasonWhereItCannotRun) {
    EXPECT_FALSE(macKind()->isEnabled());
    EXPECT_TRUE(says("only on a Mac with Apple silicon"));
}

TEST_F(CreateDialogTest, OnAMacTheLatestRestoreImageNeedsNoFile) {
    m_hypervisor.mac = true;
    open();
    ASSERT_TRUE(macKind()->isEnabled());
    m_looked = 0;
    m_dialog->setKind(Kind::MacOs);
    ASSERT_TRUE(waitUntil([this] { return m_looked > 0; }));
    EXPECT_FALSE(named<QSpinBox>("Processors")->isVisible());
    EXPECT_FALSE(named<QLineEdit>("File")->isVisible());
    EXPECT_GE(named<QSpinBox>("Size of the disk")->minimum(), 30);
    EXPECT_EQ(m_dialog->choice().words(),
              QStringList({s("create"),
                           s("--from-ipsw"),
                           s("latest"),
                           s("--disk-size"),
                           s("50"),
                           s("--"),
                           s("macos")}));
    EXPECT_TRUE(button("Create")->isEnabled()) << m_dialog->reasonAgainst().toStdString();
    picture(s("create-macos"));
    m_dialog->findChild<QCheckBox*>()->setChecked(false);
    EXPECT_TRUE(named<QLineEdit>("File")->isVisible());
    EXPECT_FALSE(button("Create")->isEnabled());
    take(Kind::MacOs, file("mac.ipsw", QByteArray(100, 'i')));
    EXPECT_TRUE(m_dialog->choice().words().contains(m_folder.filePath(s("mac.ipsw"))));
    EXPECT_TRUE(button("Create")->isEnabled());
}

TEST_F(CreateDialogTest, AnotherArchitectureSaysWhatItCosts) {
    EXPECT_FALSE(says("Emulated"));
    auto* box = named<QComboBox>("Architecture");
    ASSERT_EQ(box->count(), 2);
    box->setCurrentIndex(1);
    EXPECT_TRUE(says("Emulated, slow."));
    EXPECT_TRUE(m_dialog->choice().words().contains(s("--arch")));
}

TEST_F(CreateDialogTest, EverythingHasANameFitsAndScrollsWhereTheScreenIsLow) {
    take(Kind::DiskImage, file("disk.qcow2", "QFI\xfb" + QByteArray(4092, 'd')));
    EXPECT_TRUE(controlsWithoutName(*m_dialog).isEmpty())
        << controlsWithoutName(*m_dialog).join(QLatin1Char(',')).toStdString();
    m_dialog->resize(m_dialog->minimumWidth(), 400);
    settleLayout(*m_dialog);
    EXPECT_TRUE(m_dialog->rect().contains(
        button("Create")->mapTo(m_dialog.data(), button("Create")->rect().bottomRight())));
    picture(s("create-low"));
}

TEST_F(CreateDialogTest, TabGoesThroughTheDialogueAsItIsRead) {
    QList<const QWidget*> order;
    const QWidget* first = m_dialog->findChildren<QRadioButton*>().first();
    for (const QWidget* at = first->nextInFocusChain(); at != first; at = at->nextInFocusChain())
        order << at;
    const QList<const QWidget*> wanted{named<QLineEdit>("File"),
                                       button("Choose…"),
                                       named<QLineEdit>("Name of the machine"),
                                       named<QComboBox>("Architecture"),
                                       named<QSpinBox>("Processors"),
                                       named<QSpinBox>("Memory"),
                                       named<QSpinBox>("Size of the disk"),
                                       button("Copy Command"),
                                       button("Cancel"),
                                       button("Create")};
    for (qsizetype i = 1; i < wanted.size(); ++i)
        EXPECT_LT(order.indexOf(wanted[i - 1]), order.indexOf(wanted[i])) << i;
}
