// SPDX-License-Identifier: Apache-2.0
// What kernel runs read: kernels, lists of modules, programs; and the archive they write.
#include "qemu/kernel_run/cpio_archive.h"
#include "qemu/kernel_run/guest_program.h"
#include "qemu/kernel_run/kernel_image.h"
#include "qemu/kernel_run/kernel_modules.h"
#include "qemu/kernel_run/output_stream.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::qemu;

namespace {

class KernelFiles : public testing::Test {
protected:
    QString write(const QString& name, const QByteArray& bytes) {
        const QString path = m_folder.filePath(name);
        QDir().mkpath(path.left(path.lastIndexOf(QLatin1Char('/'))));
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        return path;
    }

    QTemporaryDir m_folder;
};

void put(QByteArray& bytes, qsizetype offset, quint64 number, int size) {
    for (int i = 0; i < size; ++i) {
        bytes[offset + i] = static_cast<char>(number >> (8 * i));
    }
}

// The smallest that has a header of a bzImage: one sector of setup, one page of kernel.
QByteArray bzImage(const QByteArray& version = "6.1.0-57-amd64 (somebody@somewhere) #1 SMP") {
    QByteArray bytes(2 * 512 + 4096, '\0');
    bytes[0x1f1] = 1;
    put(bytes, 0x1f4, 4096 / 16, 4);
    put(bytes, 0x1fe, 0xaa55, 2);
    bytes.replace(0x202, 4, "HdrS");
    put(bytes, 0x206, 0x20f, 2);
    put(bytes, 0x20e, 0x300 - 0x200, 2);
    put(bytes, 0x236, 1, 2);
    bytes.replace(0x300, version.size(), version);
    return bytes;
}

QByteArray arm64Image() {
    QByteArray bytes(4096, '\0');
    bytes.replace(0x38, 4, "ARM\x64");
    bytes.replace(1000, 17, "Linux version %s ");
    bytes.replace(2000, 34, "Linux version 6.12.1-test+ (a@b) #");
    return bytes;
}

} // namespace

TEST_F(KernelFiles, ABzImageTellsItsVersion) {
    const auto image = KernelImage::read(write(QStringLiteral("bzImage"), bzImage()));
    ASSERT_TRUE(image) << image.error().message.toStdString();
    EXPECT_EQ(image->format, KernelImage::Format::BzImage);
    EXPECT_EQ(image->architecture, Architecture::Amd64);
    EXPECT_EQ(image->version, QStringLiteral("6.1.0-57-amd64"));
}

TEST_F(KernelFiles, AVersionNeverLeadsOutOfTheFolderOfModules) {
    const auto image =
        KernelImage::read(write(QStringLiteral("bzImage"), bzImage("../../etc (x@y) #1")));
    ASSERT_TRUE(image);
    EXPECT_EQ(image->version, QString());
}

TEST_F(KernelFiles, AnArm64ImageTellsItsVersion) {
    const auto image = KernelImage::read(write(QStringLiteral("Image"), arm64Image()));
    ASSERT_TRUE(image) << image.error().message.toStdString();
    EXPECT_EQ(image->format, KernelImage::Format::Arm64Image);
    EXPECT_EQ(image->architecture, Architecture::Arm64);
    EXPECT_EQ(image->version, QStringLiteral("6.12.1-test+"));
}

TEST_F(KernelFiles, AKernelThatIsCutOffIsRefusedAtAnyLength) {
    const QByteArray whole = bzImage();
    for (const qsizetype length : {qsizetype{0},
                                   qsizetype{1},
                                   qsizetype{0x2ff},
                                   qsizetype{0x400},
                                   whole.size() / 2,
                                   whole.size() - 16}) {
        const auto image = KernelImage::read(write(QStringLiteral("bzImage"), whole.left(length)));
        ASSERT_FALSE(image) << length;
        EXPECT_EQ(image.error().kind, Error::Kind::Integrity) << length;
        EXPECT_TRUE(image.error().message.contains(QStringLiteral("cut off"))) << length;
    }
    const auto arm = KernelImage::read(write(QStringLiteral("Image"), arm64Image().left(1500)));
    ASSERT_FALSE(arm);
    EXPECT_EQ(arm.error().kind, Error::Kind::Integrity);
}

TEST_F(KernelFiles, AnElfFileWithPartsBehindItsEndIsCutOff) {
    QByteArray elf(4096, '\0');
    elf.replace(0, 6, QByteArray("\177ELF\2\1", 6));
    put(elf, 18, 62, 2);
    put(elf, 32, 64, 8);
    put(elf, 54, 56, 2);
    put(elf, 56, 1, 2);
    put(elf, 64 + 8, 4000, 8);
    put(elf, 64 + 32, 96, 8);
    EXPECT_TRUE(KernelImage::read(write(QStringLiteral("vmlinux"), elf)));
    put(elf, 64 + 32, 97, 8);
    const auto cut = KernelImage::read(write(QStringLiteral("vmlinux"), elf));
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().kind, Error::Kind::Integrity);
    put(elf, 64 + 8, ~0ULL, 8);
    EXPECT_FALSE(KernelImage::read(write(QStringLiteral("vmlinux"), elf)));
    put(elf, 32, ~0ULL - 10, 8);
    EXPECT_FALSE(KernelImage::read(write(QStringLiteral("vmlinux"), elf)));
}

TEST_F(KernelFiles, WhatIsNoKernelIsRefusedWithAReason) {
    const auto text = KernelImage::read(write(QStringLiteral("text"), QByteArray(5000, 'x')));
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().kind, Error::Kind::Unsupported);
    const auto packed =
        KernelImage::read(write(QStringLiteral("gz"), "\x1f\x8b" + QByteArray(5000, 'x')));
    ASSERT_FALSE(packed);
    EXPECT_TRUE(packed.error().message.contains(QStringLiteral("gzip")));
    EXPECT_FALSE(KernelImage::read(m_folder.path()));
    const auto missing = KernelImage::read(m_folder.filePath(QStringLiteral("none")));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, Error::Kind::NotFound);
    const QString pipe = m_folder.filePath(QStringLiteral("pipe"));
    ASSERT_EQ(::mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
    EXPECT_FALSE(KernelImage::read(pipe));
}

TEST_F(KernelFiles, AKernelThatMayNotBeReadSaysSo_NeedsOrdinaryUser) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root reads everything";
    }
    const QString path = write(QStringLiteral("vmlinuz"), bzImage());
    ASSERT_EQ(::chmod(QFile::encodeName(path).constData(), 0), 0);
    const auto image = KernelImage::read(path);
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().kind, Error::Kind::Permission);
    EXPECT_TRUE(image.error().message.contains(QStringLiteral("sudo install")));
}

TEST_F(KernelFiles, ModulesComeAfterWhatTheyNeedAndOnce) {
    write(QStringLiteral("lib/modules/6.1/modules.dep"),
          "kernel/fs/fuse/fuse.ko:\n"
          "kernel/drivers/virtio/virtio.ko:\n"
          "kernel/drivers/virtio/virtio_ring.ko.xz: kernel/drivers/virtio/virtio.ko\n"
          "kernel/fs/fuse/virtiofs.ko: kernel/fs/fuse/fuse.ko "
          "kernel/drivers/virtio/virtio_ring.ko.xz kernel/drivers/virtio/virtio.ko\n"
          "../evil.ko:\n"
          "kernel/bad.ko: /etc/shadow ../../x.ko\n");
    write(QStringLiteral("lib/modules/6.1/modules.builtin"), "kernel/drivers/virtio-pci.ko\n");
    const QString folder = KernelModules::findFolder(m_folder.path(), QStringLiteral("6.1"));
    EXPECT_EQ(folder, m_folder.filePath(QStringLiteral("lib/modules/6.1")));
    EXPECT_EQ(KernelModules::findFolder(folder, QStringLiteral("6.1")), folder);
    const auto modules = KernelModules::open(folder);
    ASSERT_TRUE(modules);
    const auto selection = modules->select({QStringLiteral("virtio_pci"),
                                            QStringLiteral("fuse"),
                                            QStringLiteral("virtiofs"),
                                            QStringLiteral("overlay"),
                                            QStringLiteral("evil")});
    EXPECT_EQ(selection.files,
              QStringList({folder + QStringLiteral("/kernel/fs/fuse/fuse.ko"),
                           folder + QStringLiteral("/kernel/drivers/virtio/virtio.ko"),
                           folder + QStringLiteral("/kernel/drivers/virtio/virtio_ring.ko.xz"),
                           folder + QStringLiteral("/kernel/fs/fuse/virtiofs.ko")}));
    EXPECT_EQ(selection.missing, QStringList({QStringLiteral("overlay"), QStringLiteral("evil")}));
    EXPECT_EQ(modules->select({QStringLiteral("bad")}).files.size(), 1);
    const auto none = KernelModules::open(m_folder.path());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, Error::Kind::NotFound);
}

TEST_F(KernelFiles, PackedModulesAreUnpacked) {
    const QByteArray content = QByteArray("module ").repeated(100000);
    for (const char* program : {"xz", "zstd", "gzip"}) {
        const QString path = write(QStringLiteral("m.ko"), content);
        QProcess packer;
        packer.setStandardOutputFile(m_folder.filePath(QStringLiteral("packed")));
        packer.start(QString::fromLatin1(program), {QStringLiteral("-c"), path});
        ASSERT_TRUE(packer.waitForFinished() && packer.exitCode() == 0) << program;
        const auto module = KernelModules::load(m_folder.filePath(QStringLiteral("packed")));
        ASSERT_TRUE(module) << program;
        EXPECT_EQ(*module, content) << program;
        QFile packed(m_folder.filePath(QStringLiteral("packed")));
        ASSERT_TRUE(packed.open(QIODevice::ReadWrite));
        ASSERT_TRUE(packed.resize(packed.size() / 2));
        packed.close();
        const auto cut = KernelModules::load(m_folder.filePath(QStringLiteral("packed")));
        EXPECT_FALSE(cut && *cut == content) << program;
    }
    const auto plain = KernelModules::load(write(QStringLiteral("p.ko"), content));
    ASSERT_TRUE(plain);
    EXPECT_EQ(*plain, content);
    EXPECT_FALSE(KernelModules::load(m_folder.filePath(QStringLiteral("none.ko"))));
}

TEST_F(KernelFiles, TheArchiveIsReadByCpio) {
    CpioArchive archive;
    archive.addFolder("bin");
    archive.addFile("bin/tool", QByteArray("\0\1\2\n", 4), 0755);
    archive.addFile("empty", {});
    archive.addLink("bin/sh", "tool");
    const QByteArray bytes = archive.finish();
    EXPECT_EQ(bytes.size() % 4, 0);
    const QString file = write(QStringLiteral("archive"), bytes);
    QDir().mkpath(m_folder.filePath(QStringLiteral("out")));
    QProcess cpio;
    cpio.setWorkingDirectory(m_folder.filePath(QStringLiteral("out")));
    cpio.setStandardInputFile(file);
    cpio.start(QStringLiteral("cpio"), {QStringLiteral("-i"), QStringLiteral("--quiet")});
    ASSERT_TRUE(cpio.waitForFinished());
    EXPECT_EQ(cpio.exitCode(), 0) << cpio.readAllStandardError().constData();
    QFile tool(m_folder.filePath(QStringLiteral("out/bin/tool")));
    ASSERT_TRUE(tool.open(QIODevice::ReadOnly));
    EXPECT_EQ(tool.readAll(), QByteArray("\0\1\2\n", 4));
    EXPECT_TRUE(tool.permissions() & QFile::ExeOwner);
    EXPECT_EQ(QFile::symLinkTarget(m_folder.filePath(QStringLiteral("out/bin/sh"))),
              m_folder.filePath(QStringLiteral("out/bin/tool")));
    EXPECT_EQ(QFileInfo(m_folder.filePath(QStringLiteral("out/empty"))).size(), 0);
}

TEST_F(KernelFiles, LinksOfARootFileSystemStayInIt) {
    const QString root = m_folder.filePath(QStringLiteral("root"));
    write(QStringLiteral("root/usr/bin/dash"), "#!/bin/x\n");
    ASSERT_TRUE(QFile::link(QStringLiteral("/usr/bin"), root + QStringLiteral("/bin")));
    ASSERT_EQ(::symlink("/usr/bin/dash",
                        QFile::encodeName(root + QStringLiteral("/usr/bin/sh")).constData()),
              0);
    const auto shell = GuestProgram::read(root, QStringLiteral("bin/sh"));
    ASSERT_TRUE(shell) << shell.error().message.toStdString();
    EXPECT_FALSE(shell->isElf); // this computer's own is one
    const auto missing = GuestProgram::read(root, QStringLiteral("bin/bash"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, Error::Kind::NotFound);
}

TEST(OutputStream, AMarkInAnyNumberOfPiecesEndsTheOutput) {
    const QByteArray mark = "MARKMARX";
    const QByteArray whole = QByteArray("one\0MARKMARK two MAR", 20) + mark + "after";
    for (qsizetype size = 1; size <= whole.size(); ++size) {
        OutputStream stream(mark);
        QByteArray output;
        for (qsizetype at = 0; at < whole.size(); at += size) {
            output += stream.take(whole.mid(at, size));
        }
        EXPECT_TRUE(stream.isComplete()) << size;
        EXPECT_EQ(output, QByteArray("one\0MARKMARK two MAR", 20)) << size;
    }
}

TEST(OutputStream, WhatCannotBeTheMarkComesAtOnce) {
    OutputStream stream("MARK");
    EXPECT_EQ(stream.take("prompt$ "), "prompt$ ");
    EXPECT_EQ(stream.take("xMA"), "x");
    EXPECT_EQ(stream.takeRest(), "MA");
    EXPECT_FALSE(stream.isComplete());
}
