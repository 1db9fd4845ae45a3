// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_run_plan.h"
#include "qemu/kernel_run/kernel_targets.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;

namespace {

class KernelTargets : public testing::Test {
protected:
    Result<QList<KernelRunRequest>> read(const QByteArray& text) {
        QFile file(m_path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
        file.close();
        return readKernelTargets(m_path);
    }
    void expectRefused(const QByteArray& text, const char* part) {
        const auto targets = read(text);
        ASSERT_FALSE(targets) << text.constData();
        EXPECT_EQ(targets.error().kind, Error::Kind::Integrity);
        EXPECT_TRUE(targets.error().message.contains(QLatin1String(part)))
            << targets.error().message.toStdString();
    }

    QTemporaryDir m_folder;
    QString m_path = m_folder.filePath(QStringLiteral("list.toml"));
};

} // namespace

TEST_F(KernelTargets, EveryKeyIsRead) {
    const auto targets = read("[[target]]\n"
                              "name = \"one\"\n"
                              "kernel = \"build/bzImage\"\n"
                              "rootfs = \"/srv/root\"\n"
                              "modules = \"m\"\n"
                              "busybox = \"b\"\n"
                              "arch = \"aarch64\"\n"
                              "kernel_args = \"loglevel=7\"\n"
                              "command = \"make test\"\n"
                              "mounts = [\"data:/mnt:ro\", \"/tmp:/host\"]\n"
                              "memory = 512\n"
                              "cpus = 2\n"
                              "timeout = 30\n"
                              "rw = true\n"
                              "share = \"9p\"\n"
                              "[[target]]\n"
                              "kernel = \"k\"\n"
                              "command = \"true\"\n");
    ASSERT_TRUE(targets) << targets.error().message.toStdString();
    ASSERT_EQ(targets->size(), 2);
    KernelRunRequest expected;
    expected.name = QStringLiteral("one");
    expected.kernel = m_folder.filePath(QStringLiteral("build/bzImage"));
    expected.root = QStringLiteral("/srv/root");
    expected.modules = m_folder.filePath(QStringLiteral("m"));
    expected.busybox = m_folder.filePath(QStringLiteral("b"));
    expected.architecture = Architecture::Arm64;
    expected.arguments = QStringLiteral("loglevel=7");
    expected.command = QStringLiteral("make test");
    expected.mounts = {{m_folder.filePath(QStringLiteral("data")), QStringLiteral("/mnt"), true},
                       {QStringLiteral("/tmp"), QStringLiteral("/host"), false}};
    expected.memory = 512;
    expected.cpus = 2;
    expected.timeoutSeconds = 30;
    expected.writable = true;
    expected.share = KernelRunRequest::Share::Plan9;
    EXPECT_EQ(targets->first(), expected);
    EXPECT_EQ(targets->last().root, QStringLiteral("/"));
    EXPECT_FALSE(targets->last().name.isEmpty());
}

TEST_F(KernelTargets, WhatIsWrongIsNamedWithItsLine) {
    expectRefused("", "[[target]]");
    expectRefused("target = 5\n", "[[target]]");
    expectRefused("target = []\n", "[[target]]");
    expectRefused("[[target]]\nkernel = \"k\"\n", "command");
    expectRefused("[[target]]\ncommand = \"true\"\n", "kernel");
    expectRefused("[[target]]\nkernel = \"k\"\ncommand = \"-\"\n", "shell");
    expectRefused("[[target]]\nkernel = \"k\"\ncomand = \"true\"\n", "Line 3");
    expectRefused("[[target]]\nkernel = 5\n", "Line 2");
    expectRefused("[[target]]\nmemory = -5\n", "whole number");
    expectRefused("[[target]]\nmemory = 99999999999\n", "whole number");
    expectRefused("[[target]]\nmounts = [\"data\"]\n", "no mount");
    expectRefused("[[target]]\narch = \"riscv\"\n", "arm64");
    expectRefused("[[target]]\nname = \"a\nb\"\n", "Line 2");
    expectRefused("other = 1\n", "other");
    expectRefused("[[target]]\nname=\"a\"\nkernel=\"k\"\ncommand=\"c\"\n[[target]]\nname="
                  "\"a\"\nkernel=\"k\"\n"
                  "command=\"c\"\n",
                  "another name");
    expectRefused(QByteArray(300000, '['), "Line 1");
    expectRefused(QByteArray((1 << 20) + 1, '#'), "1 MiB");
    const auto missing = readKernelTargets(m_folder.filePath(QStringLiteral("none.toml")));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, Error::Kind::NotFound);
}

TEST_F(KernelTargets, WhateverIsCutOffOrMistypedIsReadOrRefused) {
    const QByteArray whole("[[target]]\nkernel = \"k\"\ncommand = \"true\"\n"
                           "mounts = [\"/a:/b\"]\nmemory = 512\nrw = true\n");
    ASSERT_TRUE(read(whole));
    for (qsizetype at = 0; at < whole.size(); ++at) {
        (void)read(whole.left(at));
        for (const char other : {'[', ']', '"', '\'', '.', '=', '#', '\n', '{', '\0', '\xff'}) {
            QByteArray mistyped = whole;
            mistyped[at] = other;
            (void)read(mistyped);
            (void)read(mistyped.left(at + 1));
        }
    }
    EXPECT_TRUE(read(whole));
}

TEST(KernelMount, AMountIsTwoPathsAndAWord) {
    const auto mount =
        KernelMount::fromText(QStringLiteral("./a/../b:/mnt/x/:ro"), QStringLiteral("/base"));
    ASSERT_TRUE(mount);
    EXPECT_EQ(*mount, (KernelMount{QStringLiteral("/base/b"), QStringLiteral("/mnt/x"), true}));
    for (const char* text :
         {"", "a", "a:", ":/b", "a:b", "a:/", "a:/..", "a:/b:xx", "a:/b:ro:ro"}) {
        EXPECT_FALSE(KernelMount::fromText(QLatin1String(text), QStringLiteral("/base"))) << text;
    }
}

TEST(KernelRunPlan, TheCommandLineHasWhatThePlanSays) {
    KernelRunPlan plan;
    plan.kernel.path = QStringLiteral("/k");
    plan.memory = ByteCount::fromMiB(256);
    plan.cpus = 3;
    plan.kernelArguments = QStringLiteral("console=ttyS0 a=\"b c\"");
    plan.methods = {QStringLiteral("virtiofs"), QStringLiteral("9p")};
    plan.shares = {{QStringLiteral("root"), QStringLiteral("/a,b"), {}, true},
                   {QStringLiteral("mount1"), QStringLiteral("/c"), QStringLiteral("/d"), false}};
    KernelRunDescriptors descriptors{10, 11, 12, 13, 14, -1, {15, 16}};
    const QStringList line = commandLine(plan, descriptors);
    const QString whole = line.join(QLatin1Char('\n'));
    EXPECT_TRUE(line.contains(QStringLiteral("console=ttyS0 a=\"b c\"")));
    EXPECT_TRUE(line.contains(QStringLiteral("/proc/self/fd/10")));
    EXPECT_TRUE(line.contains(QStringLiteral("-no-reboot")));
    EXPECT_TRUE(whole.contains(QStringLiteral("socket,id=fs1,fd=16")));
    EXPECT_TRUE(whole.contains(QStringLiteral("readonly=on,path=/a,,b\n")));
    EXPECT_FALSE(whole.contains(QStringLiteral("readonly=on,path=/c")));
    EXPECT_FALSE(whole.contains(QStringLiteral("virtconsole")));
    EXPECT_FALSE(whole.contains(QStringLiteral("-runas")));
    descriptors.terminal = 17;
    descriptors.shares.clear();
    plan.dropsRoot = true;
    const QString other = commandLine(plan, descriptors).join(QLatin1Char('\n'));
    EXPECT_TRUE(other.contains(QStringLiteral("virtconsole,bus=ports.0,chardev=terminal,nr=0")));
    EXPECT_FALSE(other.contains(QStringLiteral("vhost-user")));
    EXPECT_TRUE(other.contains(QStringLiteral("-runas")));
}

TEST(KernelRunPlan, TextsOfTheUserAreOneWordInTheGuestsSettings) {
    const QTemporaryDir folder;
    QFile busybox(folder.filePath(QStringLiteral("busybox")));
    ASSERT_TRUE(busybox.open(QIODevice::WriteOnly));
    busybox.close();
    KernelRunPlan plan;
    plan.busybox = busybox.fileName();
    plan.shares.append({QStringLiteral("root"), QStringLiteral("/"), {}, true});
    plan.command = QStringLiteral("echo 'a' $(b)\nc");
    const auto archive = makeInitramfs(plan, "MARK");
    ASSERT_TRUE(archive);
    EXPECT_TRUE(archive->contains("command='echo '\\''a'\\'' $(b)\nc'\n"));
    EXPECT_TRUE(archive->contains("mark='MARK'\n"));
    plan.modules.append(folder.filePath(QStringLiteral("none.ko")));
    EXPECT_FALSE(makeInitramfs(plan, "MARK"));
}
