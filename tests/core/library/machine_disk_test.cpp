// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_disk.h"

#include "core/library/machine_operations.h"
#include "library_fixture.h"

namespace vitrine {
namespace {

class MachineDisk : public test::LibraryTest {
protected:
    MachineDisk()
        : m_directory(addMachine(QStringLiteral("vm")))
        , m_source(m_folder.filePath(QStringLiteral("other.img"))) {
        test::put(m_source, QByteArray("another disk").leftJustified(4096, '.'));
    }
    [[nodiscard]] QByteArray disk() const {
        return test::get(m_directory + QStringLiteral("/disk.img"));
    }
    Result<> replace(const JobContext& context = {}) {
        return replaceDisk(m_library, name("vm"), m_source, context);
    }
    QString m_directory;
    QString m_source;
};

} // namespace

TEST_F(MachineDisk, IsReplacedByACopy) {
    ASSERT_TRUE(replace());
    EXPECT_EQ(disk(), test::get(m_source));
    EXPECT_TRUE(temporaryEntries().isEmpty());
    test::put(m_source, "changed afterwards");
    EXPECT_TRUE(disk().startsWith("another disk"));
}

TEST_F(MachineDisk, IsNotReplacedByWhatIsNoDisk) {
    const QByteArray before = disk();
    test::put(m_source, QByteArray(1000, 'x'));
    const auto refused = replace();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(disk(), before);
}

TEST_F(MachineDisk, OfARunningMachineStays) {
    const QByteArray before = disk();
    const auto lock = ConfigFile::tryLock(m_directory + QStringLiteral("/config.json"));
    ASSERT_TRUE(lock);
    EXPECT_FALSE(replace());
    EXPECT_EQ(disk(), before);
}

TEST_F(MachineDisk, OfASuspendedMachineStays) {
    const QByteArray before = disk();
    test::put(m_directory + QStringLiteral("/state.qemu"), "state");
    const auto refused = replace();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_EQ(disk(), before);
}

TEST_F(MachineDisk, StaysWhenTheCopyIsCancelledOrTheFileIsNoDisk) {
    const QByteArray before = disk();
    std::stop_source stopped;
    stopped.request_stop();
    JobContext context;
    context.stop = stopped.get_token();
    EXPECT_FALSE(replace(context));
    m_source = m_folder.filePath(QStringLiteral("missing.img"));
    EXPECT_EQ(replace().error().kind, Error::Kind::InvalidInput);
    m_source = m_folder.filePath(QStringLiteral("disk.qcow2"));
    test::put(m_source, "QFI");
    EXPECT_TRUE(replace().error().message.contains(QLatin1String("qemu-img convert")));
    EXPECT_EQ(disk(), before);
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(MachineDisk, OfARunningMachineIsNotCopied) {
    const QString other = addMachine(QStringLiteral("other"));
    m_source = other + QStringLiteral("/disk.img");
    const auto lock = ConfigFile::tryLock(other + QStringLiteral("/config.json"));
    ASSERT_TRUE(lock);
    EXPECT_EQ(replace().error().kind, Error::Kind::Busy);
}

} // namespace vitrine
