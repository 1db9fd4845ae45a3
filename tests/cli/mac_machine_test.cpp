// SPDX-License-Identifier: Apache-2.0
// A macOS machine on a computer that cannot run it: everything but running it works, and what it
// needs to start again on its Mac stays as it was, byte for byte.
#include "tests/cli/command_line_support.h"

#include "tests/support/mac_machine.h"

#include <QJsonArray>
#include <QJsonObject>

namespace vitrine::test {

namespace {

class MacMachineCommands : public CommandLine {
protected:
    void SetUp() override {
        (void)add("mac");
        write("mac/config.json", MacMachine::config());
        write("mac/nvram.bin", MacMachine::nvram());
    }
    [[nodiscard]] QString path(const char* name) const {
        return m_small.library.machinesPath() + QLatin1Char('/') + s(name);
    }
    void write(const char* name, const QByteArray& bytes) const {
        QFile file(path(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        ASSERT_EQ(file.write(bytes), bytes.size());
    }
    // Every file of the machine with its content.
    [[nodiscard]] QMap<QString, QByteArray> filesOf(const char* name) const {
        QMap<QString, QByteArray> files;
        for (const QString& file : QDir(path(name)).entryList(QDir::Files | QDir::Hidden))
            files.insert(file, read(path(name) + QLatin1Char('/') + file));
        return files;
    }
};

} // namespace

TEST_F(MacMachineCommands, AreListedAndDescribed) {
    const QJsonObject listed = run({"list", "--format=json"}).json().array().first().toObject();
    EXPECT_EQ(listed.value(s("Name")).toString(), s("mac"));
    EXPECT_EQ(listed.value(s("State")).toString(), s("stopped"));
    const QJsonObject described = run({"get", "mac", "--format=json"}).json().object();
    EXPECT_EQ(described.value(s("OS")).toString(), s("darwin"));
    EXPECT_EQ(described.value(s("CPU")).toInt(), 4);
    EXPECT_EQ(described.value(s("Display")).toString(), s("1440x900pt"));
}

TEST_F(MacMachineCommands, RunSaysThatOnlyAMacCanAndChangesNothing) {
    const auto before = filesOf("mac");
    for (const QStringList& more : {QStringList{},
                                    QStringList{s("--plain")},
                                    QStringList{s("--suspendable")},
                                    QStringList{s("--dir=a:/tmp:ro")}}) {
        const Finished refused = run(QStringList{s("run"), s("mac"), s("--no-graphics")} + more);
        EXPECT_EQ(refused.code, 1);
        EXPECT_TRUE(refused.out.isEmpty());
        EXPECT_TRUE(refused.err.contains("\"mac\" is a macOS machine. Those run only on a Mac with "
                                         "Apple silicon"))
            << refused.err.toStdString();
    }
    auto after = filesOf("mac");
    for (const char* own : {"vitrine.json", "vitrine.json.lock"}) // the event that says so
        after.remove(s(own));
    EXPECT_EQ(after, before);
}

TEST_F(MacMachineCommands, WhatOnlyAMacHasIsRefusedWithTheReason) {
    for (const char* option : {"--recovery", "--no-trackpad", "--rosetta=tag"}) {
        const Finished refused = run({"run", "mac", "--no-graphics", option});
        EXPECT_EQ(refused.code, 1) << option;
        EXPECT_TRUE(refused.err.contains("is not available")) << refused.err.toStdString();
        EXPECT_TRUE(refused.err.contains("Apple silicon")) << refused.err.toStdString();
    }
}

TEST_F(MacMachineCommands, RenamingTouchesNoByte) {
    const auto before = filesOf("mac");
    ASSERT_EQ(run({"rename", "mac", "renamed"}).code, 0);
    EXPECT_EQ(machineFolders(), QStringList{s("renamed")});
    EXPECT_EQ(filesOf("renamed"), before);
}

TEST_F(MacMachineCommands, ACloneIsAnotherMacOfTheSameModel) {
    const auto before = filesOf("mac");
    const Finished cloned = run({"clone", "mac", "copy"});
    ASSERT_EQ(cloned.code, 0) << cloned.err.toStdString();
    EXPECT_EQ(filesOf("mac"), before);
    EXPECT_EQ(read(path("copy/nvram.bin")), MacMachine::nvram());
    EXPECT_EQ(read(path("copy/disk.img")), read(path("mac/disk.img")));
    const QByteArray config = read(path("copy/config.json"));
    EXPECT_EQ(MacMachine::bytesOf(config, "hardwareModel"), MacMachine::hardwareModel());
    // Two that run with one identifier would do undefined things: only the number differs.
    const QByteArray identifier = MacMachine::bytesOf(config, "ecid");
    EXPECT_NE(identifier, MacMachine::ecid());
    EXPECT_EQ(identifier.size(), MacMachine::ecid().size());
    EXPECT_EQ(identifier.left(17), MacMachine::ecid().left(17));
    EXPECT_EQ(identifier.right(4), MacMachine::ecid().right(4));
    EXPECT_EQ(QJsonDocument::fromJson(config).object().value(s("fromTheFuture")).toArray().size(),
              2);
}

TEST_F(MacMachineCommands, ACloneOfASuspendedOneIsTheSameMac) {
    write("mac/state.vzvmsave", "encrypted");
    ASSERT_EQ(run({"clone", "mac", "copy"}).code, 0);
    const QByteArray config = read(path("copy/config.json"));
    EXPECT_EQ(MacMachine::bytesOf(config, "ecid"), MacMachine::ecid());
    EXPECT_EQ(MacMachine::bytesOf(config, "hardwareModel"), MacMachine::hardwareModel());
    EXPECT_EQ(read(path("copy/state.vzvmsave")), QByteArray("encrypted"));
    EXPECT_EQ(read(path("copy/nvram.bin")), MacMachine::nvram());
}

TEST_F(MacMachineCommands, SettingsChangeNothingElse) {
    const Finished set = run({"set", "mac", "--cpu=6", "--display=1920x1080px"});
    ASSERT_EQ(set.code, 0) << set.err.toStdString();
    const QByteArray config = read(path("mac/config.json"));
    EXPECT_EQ(MacMachine::bytesOf(config, "ecid"), MacMachine::ecid());
    EXPECT_EQ(MacMachine::bytesOf(config, "hardwareModel"), MacMachine::hardwareModel());
    EXPECT_EQ(read(path("mac/nvram.bin")), MacMachine::nvram());
    QJsonObject before = QJsonDocument::fromJson(MacMachine::config()).object();
    QJsonObject after = QJsonDocument::fromJson(config).object();
    EXPECT_EQ(after.value(s("cpuCount")).toInt(), 6);
    for (const char* changed : {"cpuCount", "display"}) {
        before.remove(s(changed));
        after.remove(s(changed));
    }
    EXPECT_EQ(after, before);
    // Its own minimum holds here too.
    EXPECT_NE(run({"set", "mac", "--cpu=1"}).code, 0);
}

TEST_F(MacMachineCommands, AStateOfTheMacIsNotThrownAwayByARunThatIsRefused) {
    write("mac/state.vzvmsave", "encrypted");
    const QJsonObject listed = run({"list", "--format=json"}).json().array().first().toObject();
    EXPECT_EQ(listed.value(s("State")).toString(), s("suspended"));
    for (const QStringList& more : {QStringList{}, QStringList{s("--discard-state")}}) {
        const Finished refused = run(QStringList{s("run"), s("mac"), s("--no-graphics")} + more);
        EXPECT_EQ(refused.code, 1);
        EXPECT_TRUE(refused.err.contains("Apple silicon")) << refused.err.toStdString();
        EXPECT_EQ(read(path("mac/state.vzvmsave")), QByteArray("encrypted"));
    }
}

TEST_F(MacMachineCommands, AreDeleted) {
    const Finished deleted = run({"delete", "mac"});
    EXPECT_EQ(deleted.code, 0) << deleted.err.toStdString();
    EXPECT_EQ(machineFolders(), QStringList());
}

} // namespace vitrine::test
