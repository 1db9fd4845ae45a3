// SPDX-License-Identifier: Apache-2.0
#include "qemu/firmware.h"

#include "pretended_host.h"

#include <QDir>
#include <QFileInfo>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::qemu;

namespace {

class FirmwareVariables : public testing::Test {
protected:
    void SetUp() override {
        m_host.addFirmware();
        m_firmware = *findFirmware(m_host.paths(), Architecture::Amd64);
    }
    void write(const char* name, const QByteArray& content) {
        QFile file(m_machine.filePath(QLatin1String(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(content);
    }
    QByteArray read(const char* name) {
        QFile file(m_machine.filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("missing");
    }
    Result<VariableStore> choose(const char* recorded = "") {
        return chooseVariableStore(
            m_machine.path(), Architecture::Amd64, m_firmware, QLatin1String(recorded));
    }
    QString recordedChoice() { return Sidecar::read(m_machine.path())->efivars; }

    PretendedHost m_host;
    QTemporaryDir m_machine;
    Firmware m_firmware;
};

} // namespace

TEST_F(FirmwareVariables, AStoreOfTheRightSizeInNvramIsUsed) {
    write("nvram.bin", PretendedHost::variableStore(8192));
    const auto store = choose();
    ASSERT_TRUE(store);
    EXPECT_EQ(store->path, m_machine.filePath(QStringLiteral("nvram.bin")));
    EXPECT_FALSE(store->missing);
    ASSERT_TRUE(prepareVariableStore(m_machine.path(), m_firmware, *store));
    EXPECT_EQ(recordedChoice(), QLatin1String("nvram"));
}

TEST_F(FirmwareVariables, AnythingElseInNvramIsNeverWritten) {
    // Apple's store, a truncated one, one of another firmware, an empty file, none.
    for (const QByteArray& content : {QByteArray(33 * 1024, 'a'),
                                      PretendedHost::variableStore(8192).left(43),
                                      PretendedHost::variableStore(4096),
                                      QByteArray(8192, '\0'),
                                      QByteArray()}) {
        write("nvram.bin", content);
        const auto store = choose();
        ASSERT_TRUE(store);
        EXPECT_TRUE(store->missing);
        const auto path = prepareVariableStore(m_machine.path(), m_firmware, *store);
        ASSERT_TRUE(path);
        EXPECT_EQ(*path, m_machine.filePath(QStringLiteral("efivars-amd64.fd")));
        EXPECT_EQ(read("efivars-amd64.fd"), PretendedHost::variableStore(8192));
        EXPECT_EQ(read("nvram.bin"), content);
        EXPECT_EQ(recordedChoice(), QLatin1String("separate"));
        ASSERT_TRUE(QFile::remove(*path));
        ASSERT_TRUE(QFile::remove(m_machine.filePath(QStringLiteral("vitrine.json"))));
    }
}

TEST_F(FirmwareVariables, ASeparateStoreStaysInUse) {
    write("nvram.bin", PretendedHost::variableStore(8192));
    write("efivars-amd64.fd", PretendedHost::variableStore(8192));
    EXPECT_EQ(choose("")->choice, QLatin1String("separate"));
    EXPECT_EQ(choose("separate")->choice, QLatin1String("separate"));
    EXPECT_EQ(choose("nvram")->choice, QLatin1String("nvram"));
}

TEST_F(FirmwareVariables, NvramThatAnotherProgramReplacedIsLeftAlone) {
    write("nvram.bin", QByteArray(33 * 1024, 'a'));
    const auto store = choose("nvram");
    ASSERT_TRUE(store);
    EXPECT_EQ(store->choice, QLatin1String("separate"));
    EXPECT_TRUE(store->missing);
}

TEST_F(FirmwareVariables, VariablesThatWereWrittenAreNotMadeAgain) {
    QByteArray used = PretendedHost::variableStore(8192);
    used.replace(100, 4, "mine");
    write("efivars-amd64.fd", used);
    const auto store = choose();
    ASSERT_TRUE(store);
    ASSERT_TRUE(prepareVariableStore(m_machine.path(), m_firmware, *store));
    EXPECT_EQ(read("efivars-amd64.fd"), used);
}

TEST_F(FirmwareVariables, ADamagedSeparateStoreIsRefusedAndKept) {
    write("efivars-amd64.fd", "short");
    const auto store = choose();
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().kind, Error::Kind::Integrity);
    EXPECT_TRUE(store.error().message.contains(QLatin1String("efivars-amd64.fd")));
    EXPECT_EQ(read("efivars-amd64.fd"), "short");
}

TEST_F(FirmwareVariables, AFileThatAppearedInBetweenIsNotReplaced) {
    const auto store = choose();
    ASSERT_TRUE(store && store->missing);
    write("efivars-amd64.fd", "somebody else's");
    const auto path = prepareVariableStore(m_machine.path(), m_firmware, *store);
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(read("efivars-amd64.fd"), "somebody else's");
    EXPECT_EQ(QDir(m_machine.path()).entryList(QDir::Files),
              QStringList{QStringLiteral("efivars-amd64.fd")});
}

TEST_F(FirmwareVariables, WhatAKilledStartLeftIsCollected) {
    const QByteArray leftover = "efivars-amd64.fd.0123456789abcdef0123456789abcdef";
    write(leftover.constData(), "half");
    write("efivars-amd64.fd.mine", "a file of the user's");
    ASSERT_TRUE(prepareVariableStore(m_machine.path(), m_firmware, *choose()));
    EXPECT_FALSE(QFile::exists(m_machine.filePath(QString::fromLatin1(leftover))));
    EXPECT_EQ(read("efivars-amd64.fd.mine"), "a file of the user's");
}

TEST_F(FirmwareVariables, ZerosOfTheTemplateTakeNoSpace) {
    const Firmware arm = *findFirmware(m_host.paths(), Architecture::Arm64);
    const auto store = chooseVariableStore(m_machine.path(), Architecture::Arm64, arm, {});
    ASSERT_TRUE(store);
    const auto path = prepareVariableStore(m_machine.path(), arm, *store);
    ASSERT_TRUE(path);
    struct stat status {};
    ASSERT_EQ(::stat(QFile::encodeName(*path).constData(), &status), 0);
    EXPECT_EQ(status.st_size, 65536);
    EXPECT_EQ(status.st_blocks, 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(FirmwareVariables, AnOrdinaryUserIsToldOfAFolderThatMayNotBeWritten) {
    if (geteuid() == 0)
        return; // root may write everywhere; the ordinary user's run of this test counts
    QFile::setPermissions(m_machine.path(), QFile::ReadOwner | QFile::ExeOwner);
    const auto path = prepareVariableStore(m_machine.path(), m_firmware, *choose());
    QFile::setPermissions(m_machine.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().kind, Error::Kind::Permission);
}

TEST_F(FirmwareVariables, AnOrdinaryUserIsToldOfAStoreThatMayNotBeWritten) {
    if (geteuid() == 0)
        return; // see above
    write("efivars-amd64.fd", PretendedHost::variableStore(8192));
    QFile::setPermissions(m_machine.filePath(QStringLiteral("efivars-amd64.fd")), QFile::ReadOwner);
    const auto store = choose();
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().kind, Error::Kind::Permission);
}

TEST(Firmware, AMissingOneNamesThePackage) {
    const PretendedHost host;
    const auto amd64 = findFirmware(host.paths(), Architecture::Amd64);
    ASSERT_FALSE(amd64);
    EXPECT_TRUE(amd64.error().message.contains(QLatin1String("\"ovmf\"")));
    const auto arm64 = findFirmware(host.paths(), Architecture::Arm64);
    ASSERT_FALSE(arm64);
    EXPECT_TRUE(arm64.error().message.contains(QLatin1String("\"qemu-efi-aarch64\"")));
}
