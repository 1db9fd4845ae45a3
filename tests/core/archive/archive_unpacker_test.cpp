// SPDX-License-Identifier: Apache-2.0
#include "core/archive/archive_unpacker.h"

#include "tests/support/archive_maker.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/stat.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

class ArchiveUnpacker : public testing::Test {
protected:
    ArchiveUnpacker() {
        QDir().mkdir(target());
        QFile file(m_folder.filePath(QStringLiteral("outside")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("untouched");
    }
    [[nodiscard]] QString target() const { return m_folder.filePath(QStringLiteral("target")); }
    [[nodiscard]] QString path(const char* name) const {
        return target() + QLatin1Char('/') + QLatin1String(name);
    }
    [[nodiscard]] QByteArray contentOf(const char* name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
    }
    [[nodiscard]] mode_t modeOf(const char* name) const {
        struct stat status {};
        EXPECT_EQ(::lstat(QFile::encodeName(path(name)).constData(), &status), 0) << name;
        return status.st_mode & 07777U;
    }
    Result<> unpackBytes(const QByteArray& bytes, const UnpackLimits& limits = {}) {
        qsizetype position = 0;
        const auto source = [&]() -> Result<QByteArray> {
            const QByteArray piece = bytes.mid(position, 1000);
            position += piece.size();
            return piece;
        };
        return unpackArchive(source, target(), limits, m_context);
    }
    Result<> unpack(const ArchiveMaker& maker, const UnpackLimits& limits = {}) {
        return unpackBytes(maker.bytes(), limits);
    }
    // Nothing beside the folder was made or changed.
    void expectNothingOutside() {
        EXPECT_EQ(
            QDir(m_folder.path())
                .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot),
            (QStringList{QStringLiteral("outside"), QStringLiteral("target")}));
        QFile file(m_folder.filePath(QStringLiteral("outside")));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        EXPECT_EQ(file.readAll(), "untouched");
    }
    void expectRefused(const ArchiveMaker& maker, const char* word = "") {
        const auto unpacked = unpack(maker);
        ASSERT_FALSE(unpacked);
        EXPECT_EQ(unpacked.error().kind, Error::Kind::Integrity);
        EXPECT_TRUE(unpacked.error().message.contains(QLatin1String(word)))
            << qPrintable(unpacked.error().message);
        expectNothingOutside();
    }

    QTemporaryDir m_folder;
    JobContext m_context;
};

} // namespace

TEST_F(ArchiveUnpacker, FilesFoldersAndLinksComeOut) {
    ArchiveMaker maker;
    maker.folder("./").folder("./docs/").file("./docs/read me.txt", "hello");
    maker.file("deep/er/file", QByteArray(300000, 'x')).folder("empty");
    maker.symlink("docs/up", "../deep/er/file").hardLink("again", "docs/read me.txt");
    const auto unpacked = unpack(maker);
    ASSERT_TRUE(unpacked) << qPrintable(unpacked.error().message);
    EXPECT_EQ(contentOf("docs/read me.txt"), "hello");
    EXPECT_EQ(contentOf("again"), "hello");
    EXPECT_EQ(contentOf("deep/er/file").size(), 300000);
    EXPECT_EQ(contentOf("docs/up").size(), 300000);
    EXPECT_TRUE(QFileInfo(path("empty")).isDir());
    expectNothingOutside();
}

TEST_F(ArchiveUnpacker, WithoutCompressionItIsOneToo) {
    ArchiveMaker maker(ArchiveMaker::Compression::None);
    maker.file("a", "content");
    ASSERT_TRUE(unpack(maker));
    EXPECT_EQ(contentOf("a"), "content");
}

TEST_F(ArchiveUnpacker, ModesHaveNoPowersAndLetTheOwnerIn) {
    ArchiveMaker maker;
    maker.folder("closed", 0).file("closed/inside", "x", 0);
    maker.file("program", "#!", 06755).folder("sticky", 03777);
    ASSERT_TRUE(unpack(maker));
    EXPECT_EQ(modeOf("closed"), 0700U);
    EXPECT_EQ(modeOf("closed/inside"), 0600U);
    EXPECT_EQ(modeOf("program"), 0755U);
    EXPECT_EQ(modeOf("sticky"), 0777U);
    ArchiveMaker unnamed;
    unnamed.file("made/file", "x");
    const mode_t mask = ::umask(077); // as a machine's process has it
    ASSERT_TRUE(unpack(unnamed));
    ::umask(mask);
    EXPECT_EQ(modeOf("made"), 0755U);
    EXPECT_EQ(modeOf("made/file"), 0644U);
}

TEST_F(ArchiveUnpacker, TheLaterOfTwoFilesWins) {
    ArchiveMaker maker;
    maker.file("first", "old").hardLink("second", "first").file("first", "new");
    ASSERT_TRUE(unpack(maker));
    EXPECT_EQ(contentOf("first"), "new");
    EXPECT_EQ(contentOf("second"), "old") << "it was written through a link";
}

TEST_F(ArchiveUnpacker, PathsThatLeadOutAreRefused) {
    for (const char* name :
         {"../outside", "/etc/vitrine-test", "a/../../outside", "..", "a/..", "./../outside"}) {
        SCOPED_TRACE(name);
        ArchiveMaker maker;
        maker.file(name, "attack");
        expectRefused(maker, "path");
    }
}

TEST_F(ArchiveUnpacker, FoldersThatLeadOutAreRefused) {
    ArchiveMaker maker;
    maker.folder("../made");
    expectRefused(maker);
}

TEST_F(ArchiveUnpacker, LinksThatLeadOutAreRefused) {
    for (const char* to :
         {"/etc/passwd", "..", "../outside", "a/../../outside", "../target/a", ""}) {
        SCOPED_TRACE(to);
        ArchiveMaker maker;
        maker.symlink("link", to);
        expectRefused(maker);
    }
    ArchiveMaker deeper;
    deeper.symlink("a/b/link", "../../../outside");
    expectRefused(deeper, "leads out");
}

// Each link alone stays inside, read as text; together they would not.
TEST_F(ArchiveUnpacker, LinksThatLeadOutTogetherAreRefused) {
    ArchiveMaker maker;
    maker.folder("a/b").symlink("a/b/root", "../..").symlink("out", "a/b/root/../../outside");
    expectRefused(maker, "leads out");
}

TEST_F(ArchiveUnpacker, NothingIsWrittenThroughALink) {
    for (const char* name : {"link/file", "link/made/file"}) {
        SCOPED_TRACE(name);
        ArchiveMaker maker;
        maker.folder("folder").symlink("link", "folder").file(name, "attack");
        expectRefused(maker, "through a link");
    }
    ArchiveMaker folder;
    folder.folder("folder").symlink("link2", "folder").folder("link2/made");
    expectRefused(folder, "through a link");
    // A file in the place of a link replaces it.
    ArchiveMaker file;
    file.file("goal", "kept").symlink("link3", "goal").file("link3", "new");
    ASSERT_TRUE(unpack(file));
    EXPECT_EQ(contentOf("goal"), "kept");
    EXPECT_EQ(contentOf("link3"), "new");
}

TEST_F(ArchiveUnpacker, HardLinksOutOfTheFolderAreRefused) {
    for (const char* to : {"../outside", "/etc/passwd", "missing", "link/x", "self"}) {
        SCOPED_TRACE(to);
        ArchiveMaker maker;
        maker.folder("folder").file("folder/x", "x").symlink("link", "folder");
        maker.hardLink("self", to);
        expectRefused(maker);
    }
}

TEST_F(ArchiveUnpacker, DevicesAreRefused) {
    for (const unsigned int type : {AE_IFBLK, AE_IFCHR, AE_IFIFO}) {
        ArchiveMaker maker;
        maker.device("device", type);
        expectRefused(maker, "device");
    }
}

TEST_F(ArchiveUnpacker, AFolderIsNotReplacedByAFile) {
    ArchiveMaker maker;
    maker.file("a/b", "x").file("a", "y");
    expectRefused(maker);
    ArchiveMaker other;
    other.file("c", "x").folder("c");
    expectRefused(other);
}

TEST_F(ArchiveUnpacker, TooMuchIsRefused) {
    ArchiveMaker bomb;
    bomb.file("zeros", QByteArray(4 << 20, '\0'));
    EXPECT_LT(bomb.bytes().size(), 100000);
    UnpackLimits limits;
    limits.bytes = 3 << 20;
    auto unpacked = unpack(bomb, limits);
    ASSERT_FALSE(unpacked);
    EXPECT_TRUE(unpacked.error().message.contains(QLatin1String("larger than")))
        << qPrintable(unpacked.error().message);
    ArchiveMaker many;
    for (int i = 0; i < 11; ++i)
        many.file("f" + QByteArray::number(i), "x");
    limits.entries = 10;
    unpacked = unpack(many, limits);
    ASSERT_FALSE(unpacked);
    EXPECT_TRUE(unpacked.error().message.contains(QLatin1String("more than 10")));
    ArchiveMaker deep;
    deep.file(QByteArray("d/").repeated(60) + "file", "x");
    limits.depth = 50;
    unpacked = unpack(deep, limits);
    ASSERT_FALSE(unpacked);
    EXPECT_TRUE(unpacked.error().message.contains(QLatin1String("too deep")));
}

TEST_F(ArchiveUnpacker, WhatIsNoArchiveOrCutOffIsRefused) {
    ArchiveMaker maker;
    QByteArray noise(200000, Qt::Uninitialized);
    quint32 state = 1;
    for (char& c : noise) {
        state = state * 1664525 + 1013904223;
        c = static_cast<char>(state >> 24U);
    }
    maker.file("noise", noise);
    const QByteArray whole = maker.bytes();
    for (const QByteArray& bytes : {QByteArray(),
                                    QByteArray("<html>not found</html>"),
                                    whole.left(10),
                                    whole.left(whole.size() / 2)}) {
        const auto unpacked = unpackBytes(bytes);
        ASSERT_FALSE(unpacked) << bytes.size();
        EXPECT_EQ(unpacked.error().kind, Error::Kind::Integrity);
    }
}

TEST_F(ArchiveUnpacker, AnErrorOfTheSourceIsTold) {
    const auto source = []() -> Result<QByteArray> {
        return fail(Error::Kind::Network, QStringLiteral("the cable"));
    };
    const auto unpacked = unpackArchive(source, target(), {}, m_context);
    ASSERT_FALSE(unpacked);
    EXPECT_EQ(unpacked.error().kind, Error::Kind::Network);
    EXPECT_EQ(unpacked.error().message, QStringLiteral("the cable"));
}

TEST_F(ArchiveUnpacker, StopsWhenItIsCancelled) {
    std::stop_source stop;
    m_context.stop = stop.get_token();
    stop.request_stop();
    ArchiveMaker maker;
    maker.file("a", "x");
    const auto unpacked = unpack(maker);
    ASSERT_FALSE(unpacked);
    EXPECT_TRUE(unpacked.error().isCancelled());
}
