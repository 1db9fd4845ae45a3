// SPDX-License-Identifier: Apache-2.0
#include "core/disk/file_copy.h"

#include "core/disk/disk_space.h"
#include "tests/support/reflink_volume.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

class FileCopy : public testing::TestWithParam<CopyMethod> {
protected:
    [[nodiscard]] QString source() const { return m_folder.filePath(QStringLiteral("source")); }
    [[nodiscard]] QString target() const { return m_folder.filePath(QStringLiteral("target")); }

    // Data of `length` at each offset, holes between, `size` in all.
    void make(qint64 size, const QList<qint64>& offsets, qint64 length) const {
        QFile file(source());
        ASSERT_TRUE(file.open(QIODevice::ReadWrite));
        QRandomGenerator random(7);
        for (const qint64 offset : offsets) {
            QByteArray block(4099, Qt::Uninitialized); // a prime: no two file blocks are equal
            for (char& byte : block)
                byte = static_cast<char>(random.bounded(1, 256));
            file.seek(offset);
            file.write(block.repeated(length / block.size() + 1).left(length));
        }
        ASSERT_TRUE(file.resize(size));
    }
    static QByteArray hashOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("missing");
    }
    [[nodiscard]] Result<CopyMethod> copy(const JobContext& context = {}) const {
        return copyDiskFrom(GetParam(), source(), target(), context);
    }
    QTemporaryDir m_folder;
};

TEST_P(FileCopy, GivesTheSameBytes) {
    make(5000000, {0, 1000000, 3333333}, 70000);
    ASSERT_TRUE(copy());
    EXPECT_EQ(hashOf(source()), hashOf(target()));
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(target()).constData(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_P(FileCopy, HolesStayHoles) {
    make(1000000000, {0, 600000000}, 100000);
    ASSERT_TRUE(copy());
    EXPECT_EQ(fileSize(target())->logical.bytes(), 1000000000U);
    EXPECT_LE(fileSize(target())->allocated.bytes(), fileSize(source())->allocated.bytes() + 65536);
    QFile file(target());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly) && file.seek(600000000));
    EXPECT_NE(file.read(1), QByteArray(1, '\0'));
}

TEST_P(FileCopy, SizesNeedNotBeWholeBlocks) {
    for (const qint64 size : {1, 511, 4095, 4097, 1048577, 1000000 + 512}) {
        QFile::remove(source());
        QFile::remove(target());
        make(size, {0}, size);
        ASSERT_TRUE(copy()) << size;
        EXPECT_EQ(hashOf(source()), hashOf(target())) << size;
    }
}

TEST_P(FileCopy, AnEmptyFileIsCopied) {
    make(0, {}, 0);
    ASSERT_TRUE(copy());
    EXPECT_EQ(fileSize(target())->logical.bytes(), 0U);
}

TEST_P(FileCopy, AFileOfOneHoleIsCopied) {
    make(123456789, {}, 0);
    ASSERT_TRUE(copy());
    EXPECT_EQ(fileSize(target())->logical.bytes(), 123456789U);
    EXPECT_LT(fileSize(target())->allocated.bytes(), 65536U);
}

TEST_P(FileCopy, NothingIsOverwritten) {
    make(1000, {0}, 1000);
    QFile taken(target());
    ASSERT_TRUE(taken.open(QIODevice::WriteOnly));
    taken.write("mine");
    taken.close();
    const auto copied = copy();
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(hashOf(target()), "mine");
}

TEST_P(FileCopy, ACancelledCopyLeavesNothing) {
    make(64 << 20, {0}, 40 << 20);
    std::stop_source stop;
    JobContext context;
    context.stop = stop.get_token();
    context.report = [&stop](const Progress&) { stop.request_stop(); };
    const auto copied = copy(context);
    ASSERT_FALSE(copied);
    EXPECT_TRUE(copied.error().isCancelled());
    EXPECT_FALSE(QFile::exists(target()));
}

TEST_P(FileCopy, ProgressGrowsToTheTotal) {
    make(80 << 20, {0, 50 << 20}, 20 << 20);
    QList<quint64> done;
    std::optional<quint64> total;
    JobContext context;
    context.report = [&](const Progress& progress) {
        done.append(progress.done);
        total = progress.total;
    };
    ASSERT_TRUE(copy(context));
    ASSERT_TRUE(total);
    EXPECT_EQ(done.last(), *total);
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_LE(*total, 80ULL << 20);
}

TEST_P(FileCopy, AMissingSourceIsNotFoundAndLeavesNothing) {
    const auto copied = copy();
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().kind, Error::Kind::NotFound);
    EXPECT_FALSE(QFile::exists(target()));
}

TEST_P(FileCopy, AFolderOrFifoIsRefused) {
    const auto copied = copyDiskFrom(GetParam(), m_folder.path(), target(), {});
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().kind, Error::Kind::Unsupported);
    ASSERT_EQ(::mkfifo(QFile::encodeName(source()).constData(), 0600), 0);
    const auto piped = copy();
    ASSERT_FALSE(piped);
    EXPECT_EQ(piped.error().kind, Error::Kind::Unsupported);
    EXPECT_FALSE(piped.error().message.contains(QStringLiteral("disk image")))
        << "the firmware's variables are copied so too";
    EXPECT_FALSE(QFile::exists(target()));
}

TEST_P(FileCopy, AVolumeThatTakesNoSuchFileIsTold) {
    make(3 << 20, {0}, 1 << 20);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1 << 20, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto copied = GetParam() == CopyMethod::Reflink
                            ? copyDiskFrom(CopyMethod::CopyFileRange, source(), target(), {})
                            : copy();
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().kind, Error::Kind::Unsupported);
    EXPECT_FALSE(QFile::exists(target()));
}

TEST_P(FileCopy, AFullDiskIsToldAndLeavesNothing_NeedsRootForATmpfs) {
    const QString mounted = m_folder.filePath(QStringLiteral("small"));
    ASSERT_EQ(::mkdir(QFile::encodeName(mounted).constData(), 0700), 0);
    if (::mount("vitrine-test", QFile::encodeName(mounted).constData(), "tmpfs", 0, "size=2m") != 0)
        GTEST_SKIP() << "mounting needs root";
    make(20 << 20, {0}, 8 << 20);
    const QString onSmall = mounted + QStringLiteral("/target");
    const auto copied = copyDiskFrom(GetParam(), source(), onSmall, {});
    const bool left = QFile::exists(onSmall);
    ::umount2(QFile::encodeName(mounted).constData(), MNT_DETACH);
    ASSERT_FALSE(copied);
    EXPECT_EQ(copied.error().kind, Error::Kind::DiskFull);
    EXPECT_FALSE(left);
}

INSTANTIATE_TEST_SUITE_P(Every,
                         FileCopy,
                         testing::Values(CopyMethod::Reflink,
                                         CopyMethod::CopyFileRange,
                                         CopyMethod::Sparse),
                         [](const auto& tested) -> std::string {
                             switch (tested.param) {
                             case CopyMethod::Reflink:
                                 return "Reflink";
                             case CopyMethod::CopyFileRange:
                                 return "CopyFileRange";
                             default:
                                 return "Sparse";
                             }
                         });

TEST(SparseCopy, WrittenZerosBecomeHoles) {
    const QTemporaryDir folder;
    const QString source = folder.filePath(QStringLiteral("source"));
    const QString target = folder.filePath(QStringLiteral("target"));
    QFile file(source);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(3 << 20, '\0') + "end" + QByteArray(5000, '\0') + QByteArray(9000, 'x'));
    file.close();
    const auto method = copyDiskFrom(CopyMethod::Sparse, source, target, {});
    ASSERT_TRUE(method);
    EXPECT_EQ(*method, CopyMethod::Sparse);
    EXPECT_LT(fileSize(target)->allocated.bytes(), 65536U);
    QFile copied(target);
    QFile original(source);
    ASSERT_TRUE(copied.open(QIODevice::ReadOnly) && original.open(QIODevice::ReadOnly));
    EXPECT_EQ(copied.readAll(), original.readAll());
}

TEST(ReflinkCheck, AgreesWithACopy) {
    const QTemporaryDir folder;
    const QString source = folder.filePath(QStringLiteral("source"));
    QFile file(source);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(100000, 'x'));
    file.close();
    const auto method = copyDisk(source, folder.filePath(QStringLiteral("target")), {});
    ASSERT_TRUE(method);
    EXPECT_EQ(canReflink(source, folder.path()), *method == CopyMethod::Reflink);
}

// A volume that shares blocks between files. Two requirements: root, and mkfs.xfs.
TEST(Reflink, ACopyTakesNoSpaceAndIsItsOwn_NeedsRootAndXfs) {
    const test::ReflinkVolume volume(400);
    if (!volume.isMounted())
        GTEST_SKIP() << "needs root, a loop device and mkfs.xfs: " << qPrintable(volume.problem());
    const QString mounted = volume.path();
    const QString source = mounted + QStringLiteral("/source");
    const QString target = mounted + QStringLiteral("/target");
    QFile disk(source);
    EXPECT_TRUE(disk.open(QIODevice::WriteOnly));
    disk.write(QByteArray(30 << 20, 'x'));
    disk.close();
    EXPECT_TRUE(canReflink(source, mounted));
    const auto before = volumeSpace(mounted);
    const auto method = copyDisk(source, target, {});
    const auto after = volumeSpace(mounted);
    QFile copy(target);
    EXPECT_TRUE(copy.open(QIODevice::ReadWrite));
    copy.write("mine");
    copy.close();
    QFile original(source);
    EXPECT_TRUE(original.open(QIODevice::ReadOnly));
    const QByteArray start = original.read(4);
    original.close();
    ASSERT_TRUE(method);
    EXPECT_EQ(*method, CopyMethod::Reflink);
    EXPECT_LT(before->available.bytes() - after->available.bytes(), 1U << 20);
    EXPECT_EQ(start, "xxxx");
}

} // namespace
} // namespace vitrine
