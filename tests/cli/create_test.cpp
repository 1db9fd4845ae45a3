// SPDX-License-Identifier: Apache-2.0
#include "core/job/progress_line.h"
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"

#include <QJsonArray>
#include <QJsonObject>

namespace vitrine::test {

namespace {

class Create : public CommandLine {
protected:
    QString file(const char* name, const QByteArray& bytes) {
        const QString path = m_home.filePath(s(name));
        QFile out(path);
        EXPECT_TRUE(out.open(QIODevice::WriteOnly));
        EXPECT_EQ(out.write(bytes), bytes.size());
        return path;
    }
    [[nodiscard]] QString machine(const char* name) const {
        return m_small.library.machinesPath() + QLatin1Char('/') + s(name);
    }
    [[nodiscard]] QJsonObject described(const char* name) {
        return run({"get", name, "--format=json"}).json().object();
    }
};

} // namespace

TEST_F(Create, TheLineOfTartsTestsMakesAMachine) {
    const Finished made = run({"create", "--linux", "debian"});
    EXPECT_EQ(made.code, 0) << made.err.toStdString();
    EXPECT_TRUE(made.out.isEmpty());
    EXPECT_EQ(run({"list", "--source", "local", "--quiet"}).out, "debian\n");
    const QJsonObject got = described("debian");
    EXPECT_EQ(got.value(s("OS")).toString(), s("linux"));
    EXPECT_EQ(got.value(s("CPU")).toInt(), 4);
    EXPECT_EQ(got.value(s("Memory")).toInt(), 4096);
    EXPECT_EQ(got.value(s("Disk")).toInt(), 50);
    EXPECT_EQ(got.value(s("State")).toString(), s("stopped"));
}

TEST_F(Create, TakesSizesAndAnInstallationDisc) {
    file("debian.iso", "disc");
    const Finished made = run({"create",
                               "a",
                               "--linux",
                               "--disk-size",
                               "7",
                               "--cpu=2",
                               "--memory=1024",
                               "--disk-format=raw",
                               "--iso",
                               "debian.iso"});
    ASSERT_EQ(made.code, 0) << made.err.toStdString();
    EXPECT_EQ(described("a").value(s("CPU")).toInt(), 2);
    EXPECT_EQ(described("a").value(s("Memory")).toInt(), 1024);
    EXPECT_EQ(described("a").value(s("Disk")).toInt(), 7);
    const auto sidecar = Sidecar::read(machine("a"));
    ASSERT_EQ(sidecar->run.disks.size(), 1);
    EXPECT_EQ(sidecar->run.disks[0].path, m_home.filePath(s("debian.iso"))); // whole, from anywhere
}

TEST_F(Create, CopiesADiskImageAndTellsItsProgress) {
    const QByteArray disk = QByteArray("boot").leftJustified(1024 * 1024, 'd');
    file("cloud.raw", disk);
    const Finished made =
        run({"create", "a", "--linux", "--from-image", "cloud.raw", "--progress", "json"});
    ASSERT_EQ(made.code, 0) << made.out.toStdString();
    EXPECT_EQ(read(machine("a") + s("/disk.img")), disk);
    std::optional<progressline::Message> last;
    for (const QByteArray& line : made.out.split('\n'))
        if (const auto message = progressline::decode(line))
            last = message;
    ASSERT_TRUE(last);
    EXPECT_TRUE(std::holds_alternative<progressline::Finished>(*last));
}

TEST_F(Create, WhatCannotBeIsRefusedAndMakesNothing) {
    file("cloud.raw", QByteArray(4096, 'd'));
    file("disk.qcow2", "QFI\xfb" + QByteArray(4096, 'd'));
    file("debian.iso", "disc");
    struct Case {
        QStringList words;
        int code;
        QByteArray told;
    };
    const QList<Case> cases{
        {{}, 64, "--linux"},
        {{s("--linux"), s("--from-ipsw"), s("latest")}, 64, "exclude"},
        {{s("--linux"), s("--sha256"), s("00")}, 64, "--from-ipsw"},
        {{s("--from-ipsw"), s("latest"), s("--sha256"), s("00")}, 64, "64 hex digits"},
        {{s("--from-ipsw"), s("latest"), s("--iso"), s("debian.iso")}, 64, "--iso"},
        {{s("--from-ipsw"), s("latest"), s("--arch"), s("arm64")}, 64, "--arch"},
        {{s("--linux"), s("--iso"), s("debian.iso"), s("--from-image"), s("cloud.raw")},
         64,
         "one of them"},
        {{s("--linux"), s("--disk-size"), s("0")}, 64, "--disk-size"},
        {{s("--linux"), s("--disk-size"), s("65536")}, 64, "--disk-size"},
        {{s("--linux"), s("--disk-format"), s("asif")}, 1, "raw disks only"},
        {{s("--linux"), s("--disk-format"), s("qcow2")}, 64, "--disk-format"},
        {{s("--linux"), s("--arch"), s("riscv")}, 64, "--arch"},
        {{s("--linux"), s("--iso"), {}}, 64, "--iso: The value is empty"},
        {{s("--linux"), s("--from-image"), {}}, 64, "--from-image: The value is empty"},
        {{s("--linux"), s("--from-ipsw"), {}}, 64, "--from-ipsw: The value is empty"},
        {{s("--linux"), s("--iso"), s("none.iso")}, 1, "is taken out in its settings"},
        {{s("--linux"), s("--from-image"), s("none.raw")}, 64, "does not exist. Check the path"},
        {{s("--linux"), s("--from-image"), s("disk.qcow2")}, 1, "qemu-img convert -O raw '"}};
    for (const Case& one : cases) {
        const Finished refused = run(QStringList{s("create"), s("a")} + one.words);
        EXPECT_EQ(refused.code, one.code) << one.words.join(QLatin1Char(' ')).toStdString();
        EXPECT_TRUE(refused.err.contains(one.told)) << refused.err.toStdString();
        EXPECT_FALSE(QFile::exists(machine("a")));
    }
    for (const char* name : {"../x", "", "a/b", "."}) {
        const Finished refused = run({"create", "--linux", name});
        EXPECT_EQ(refused.code, 64) << name;
    }
    EXPECT_TRUE(QDir(m_small.library.temporaryPath()).isEmpty());
}

TEST_F(Create, AMachineIsNeverReplaced) {
    const QString there = add("a");
    const QByteArray before = read(there + s("/config.json"));
    const Finished refused = run({"create", "a", "--linux"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("exists already")) << refused.err.toStdString();
    EXPECT_EQ(read(there + s("/config.json")), before);
}

#ifdef Q_OS_LINUX
TEST_F(Create, MacosIsRefusedWithTheReasonOfThisComputer) {
    const Finished refused = run({"create", "mac", "--from-ipsw", "latest"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("No macOS machine can be made on this computer."))
        << refused.err.toStdString();
    EXPECT_TRUE(refused.err.contains("Mac with")) << refused.err.toStdString();
    EXPECT_FALSE(QFile::exists(machine("mac")));
}
#endif

} // namespace vitrine::test
