// SPDX-License-Identifier: Apache-2.0
#include "core/bench/page_cache.h"

#include "tests/core/bench/bench_support.h"

#include <QProcess>
#include <QTemporaryDir>

namespace vitrine::bench {

namespace {

// What a Python program prints in `folder`; `before` is put in front of it.
QByteArray python(const QString& folder, const QString& before, const QString& program) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(s("python3"), {s("-c"), before + program});
    EXPECT_TRUE(process.waitForFinished()) << process.errorString().toStdString();
    const QByteArray printed = process.readAll();
    EXPECT_EQ(process.exitCode(), 0) << printed.toStdString();
    return printed;
}

void put(const QTemporaryDir& folder, const char* name, qint64 size) {
    QFile file(folder.filePath(s(name)));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    EXPECT_TRUE(file.resize(size));
}

// Stands for the C library of macOS: tells what it is asked for.
const char* const macos = R"py(
import os, sys, types
del os.posix_fadvise
class Function:
    def __init__(self, name, answer):
        self.name, self.answer = name, answer
    def __call__(self, *arguments):
        print(self.name, *arguments)
        return self.answer
class System:
    def __init__(self, _):
        self.mmap = Function("mmap", 4096)
        self.msync = Function("msync", 0)
        self.munmap = Function("munmap", 0)
class Pointer:
    def __init__(self, value):
        self.value = 2 ** 64 + value
sys.modules["ctypes"] = types.SimpleNamespace(
    CDLL=System, c_void_p=Pointer, c_size_t=0, c_int=0, c_longlong=0)
)py";

} // namespace

TEST(PageCache, PiecesCoverAFileOnceAndInOrder) {
    EXPECT_EQ(mappedPieces(0), QList<FilePiece>());
    EXPECT_EQ(mappedPieces(1), (QList<FilePiece>{{0, 1}}));
    EXPECT_EQ(mappedPieces(largestPiece), (QList<FilePiece>{{0, largestPiece}}));
    EXPECT_EQ(mappedPieces(2 * largestPiece + 5),
              (QList<FilePiece>{
                  {0, largestPiece}, {largestPiece, largestPiece}, {2 * largestPiece, qint64{5}}}));
}

TEST(PageCache, AFolderThatIsNotThereIsTold) {
    const auto dropped = dropPageCache(s("/nonexistent/folder"));
    ASSERT_FALSE(dropped);
    EXPECT_TRUE(dropped.error().message.contains(s("/nonexistent/folder")));
}

TEST(PageCache, TheGuestsProgramPassesOverWhatItCannotOpen) {
    QTemporaryDir folder;
    put(folder, "file", 10000);
    EXPECT_TRUE(QFile::link(s("/nonexistent"), folder.filePath(s("link"))));
    EXPECT_TRUE(QDir(folder.path()).mkdir(s("sub")));
    put(folder, "sub/file", 0);
    EXPECT_EQ(python(folder.path(), {}, dropProgram()), QByteArray());
    EXPECT_EQ(QFileInfo(folder.filePath(s("file"))).size(), 10000);
}

TEST(PageCache, TheGuestsProgramMapsAndInvalidatesOnMacOS) {
    QTemporaryDir folder;
    put(folder, "file", 10000);
    QString program = dropProgram();
    program.replace(QString::number(largestPiece), s("8192"));
    const QList<QByteArray> lines = python(folder.path(), s(macos), program).trimmed().split('\n');
    ASSERT_EQ(lines.size(), 6) << lines.join('\n').toStdString();
    EXPECT_TRUE(lines.at(0).startsWith("mmap None 8192 1 1 ")); // PROT_READ, MAP_SHARED
    EXPECT_TRUE(lines.at(0).endsWith(" 0"));
    EXPECT_EQ(lines.at(1), QByteArray("msync 4096 8192 2")); // MS_INVALIDATE
    EXPECT_EQ(lines.at(2), QByteArray("munmap 4096 8192"));
    EXPECT_TRUE(lines.at(3).startsWith("mmap None 1808 1 1 "));
    EXPECT_TRUE(lines.at(3).endsWith(" 8192"));
    EXPECT_EQ(lines.at(4), QByteArray("msync 4096 1808 2"));
}

} // namespace vitrine::bench
