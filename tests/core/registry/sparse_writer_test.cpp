// SPDX-License-Identifier: Apache-2.0
#include "core/registry/sparse_writer.h"

#include "tests/support/test_image.h"

#include <QFile>
#include <QTemporaryDir>

#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

class SparseWriterTest : public testing::Test {
protected:
    SparseWriterTest()
        : path(directory.filePath(QStringLiteral("disk.img")))
        , file(::open(QFile::encodeName(path).constData(), O_RDWR | O_CREAT, 0600)) {}
    QByteArray content() {
        QFile reader(path);
        return reader.open(QIODevice::ReadOnly) ? reader.readAll() : QByteArray();
    }
    qint64 allocated() {
        ::fsync(file.get());
        struct stat info {};
        ::fstat(file.get(), &info);
        return info.st_blocks * 512;
    }
    void resize(qint64 size) { ASSERT_EQ(::ftruncate(file.get(), size), 0); }

    QTemporaryDir directory;
    QString path;
    FileDescriptor file;
};

TEST_F(SparseWriterTest, ZeroBlocksStayHoles) {
    constexpr qint64 block = 4096;
    QByteArray data(64 * block, '\0');
    data.replace(10 * block, block, test::noise(block, 1));
    data.replace(20 * block + 100, 10, "0123456789");
    resize(data.size());
    SparseWriter writer(file.get(), path);
    ASSERT_TRUE(writer.write(0, data));
    EXPECT_EQ(content(), data);
    EXPECT_LE(allocated(), 3 * block);
}

TEST_F(SparseWriterTest, PiecesOfAnySizeAndPositionGiveTheSameFile) {
    const QByteArray data = test::mixedDisk(3'000'123, 7);
    std::mt19937 random(5);
    const auto memory = alignedMemory(4 << 20);
    for (const qsizetype longest : {4096, 70'000, 1'500'000}) {
        ASSERT_EQ(::ftruncate(file.get(), 0), 0);
        resize(data.size() + 777);
        SparseWriter writer(file.get(), path);
        for (qsizetype i = 0; i < data.size();) {
            const qsizetype step = std::min<qsizetype>(
                1 + static_cast<qsizetype>(random()) % longest, data.size() - i);
            // Every second piece lies so that it can be written directly.
            char* const place = memory.get() + (random() % 2 == 0 ? (777 + i) % 4096 : 1);
            std::memcpy(place, data.constData() + i, static_cast<size_t>(step));
            ASSERT_TRUE(writer.write(static_cast<quint64>(777 + i), QByteArrayView(place, step)));
            i += step;
        }
        EXPECT_TRUE(content() == QByteArray(777, '\0') + data);
    }
}

TEST_F(SparseWriterTest, ABlockWrittenInTwoPiecesIsWhole) {
    resize(8192);
    SparseWriter writer(file.get(), path);
    ASSERT_TRUE(writer.write(0, QByteArray(1000, 'a')));
    ASSERT_TRUE(writer.write(1000, QByteArray(3000, '\0')));
    ASSERT_TRUE(writer.write(4000, QByteArray(200, 'b')));
    EXPECT_EQ(content(),
              QByteArray(1000, 'a') + QByteArray(3000, '\0') + QByteArray(200, 'b') +
                  QByteArray(3992, '\0'));
}

TEST_F(SparseWriterTest, ClearingGivesTheSpaceBack) {
    const QByteArray data = test::noise(1 << 20, 3);
    resize(data.size());
    SparseWriter writer(file.get(), path);
    ASSERT_TRUE(writer.write(0, data));
    ASSERT_TRUE(writer.clear(1000, (1 << 20) - 2000));
    EXPECT_EQ(content(), data.left(1000) + QByteArray((1 << 20) - 2000, '\0') + data.right(1000));
    EXPECT_LE(allocated(), 3 * 4096);
    ASSERT_TRUE(writer.clear(0, 0));
}

TEST_F(SparseWriterTest, ARegionHashesLikeTheSameBytesInMemory) {
    QByteArray data = test::mixedDisk(5 << 20, 11);
    data.replace(1 << 20, 2 << 20, QByteArray(2 << 20, '\0'));
    resize(data.size());
    SparseWriter writer(file.get(), path);
    ASSERT_TRUE(writer.write(0, data));
    for (const auto& [offset, size] : {std::pair<qint64, qint64>{0, data.size()},
                                       {4'194'304 + 17, 1000},
                                       {(1 << 20) + 5, 1 << 20},
                                       {3, 0}}) {
        const auto digest = hashRegion(file.get(),
                                       path,
                                       static_cast<quint64>(offset),
                                       static_cast<quint64>(size),
                                       std::stop_token());
        ASSERT_TRUE(digest);
        EXPECT_EQ(*digest, Sha256::ofBytes(QByteArrayView(data).sliced(offset, size)));
    }
}

TEST_F(SparseWriterTest, ARegionBehindTheEndIsAnError) {
    resize(1000);
    const auto digest = hashRegion(file.get(), path, 900, 101, std::stop_token());
    ASSERT_FALSE(digest);
    EXPECT_EQ(digest.error().kind, Error::Kind::Integrity);
}

TEST_F(SparseWriterTest, AFileThatCannotBeWrittenIsAnError) {
    resize(1 << 20);
    const FileDescriptor readOnly(::open(QFile::encodeName(path).constData(), O_RDONLY));
    SparseWriter writer(readOnly.get(), path);
    const QByteArray data(4096, 'x');
    EXPECT_FALSE(writer.write(0, data));
}

} // namespace
} // namespace vitrine
