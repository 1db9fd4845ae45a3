// SPDX-License-Identifier: Apache-2.0
// Benchmarks in throw-away clones of the sample guest, and in the guest itself while it runs.
#include "core/bench/guest_source.h"
#include "running_guest.h"
#include "support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <gtest/gtest.h>

#include <csignal>

using namespace vitrine;
using namespace vitrine::test;

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

// Programs with this library's clones on their command lines.
QStringList emulators(const QString& home) {
    QStringList found;
    const QByteArray clones = QFile::encodeName(home) + "/tmp/";
    const QStringList processes = QDir(s("/proc")).entryList(QDir::Dirs);
    for (const QString& name : processes) {
        QFile line(s("/proc/%1/cmdline").arg(name));
        if (line.open(QIODevice::ReadOnly) && line.readAll().contains(clones))
            found.append(name);
    }
    return found;
}

class BenchGuest : public testing::Test {
protected:
    BenchGuest()
        : m_guest({.byKernel = true}) {}

    // A suite of the user's own.
    void putSuite(const QJsonArray& workloads) {
        const QString folder = home() + s("/benchmarks/suites");
        ASSERT_TRUE(QDir().mkpath(folder));
        QFile file(folder + s("/mine.json"));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(QJsonDocument(QJsonObject{{s("format"), s("vitrine-suite")},
                                             {s("version"), 1},
                                             {s("id"), s("mine")},
                                             {s("title"), s("Mine")},
                                             {s("workloads"), workloads}})
                       .toJson());
    }
    static QJsonObject workload(const char* name,
                                const char* command,
                                const char* kind = "time",
                                const char* setup = "") {
        return {{s("name"), s(name)},
                {s("kind"), s(kind)},
                {s("setup"), s(setup)},
                {s("command"), s(command)}};
    }
    RunningGuest::Ran bench(const QStringList& more) {
        return m_guest.vitrinectl(QStringList{s("bench"), s("run")} + more, 4 * 60'000);
    }
    std::unique_ptr<QProcess> startBench(const QStringList& more) {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(s("VITRINE_HOME"), home());
        environment.insert(s("HOME"), m_guest.folder());
        process->setProcessEnvironment(environment);
        process->setStandardInputFile(QProcess::nullDevice());
        process->start(s(VITRINE_BIN_DIR "/vitrinectl"),
                       QStringList{s("bench"), s("run"), s("--progress"), s("json")} + more);
        EXPECT_TRUE(process->waitForStarted());
        return process;
    }
    bool waitUntilSaid(QProcess& process, const char* text) {
        return waitUntil(
                   [&] {
                       m_said += process.readAllStandardOutput();
                       return m_said.contains(text) || process.state() == QProcess::NotRunning;
                   },
                   longWait) &&
               process.state() != QProcess::NotRunning;
    }
    [[nodiscard]] QJsonObject campaign() {
        const QDir folder(home() + s("/benchmarks"));
        const QStringList files = folder.entryList({s("*.json")}, QDir::Files);
        QFile file(folder.filePath(files.value(0)));
        EXPECT_EQ(files.size(), 1);
        return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                              : QJsonObject();
    }
    // Makes the machine an image of the cache.
    void makeImage(const QString& tag, QString& directory) {
        const QString digest = s("@sha256:") + QString(64, QLatin1Char('a'));
        const Library& library = m_guest.library();
        directory = library.imagePath(
            *ImageReference::fromText(tag.left(tag.lastIndexOf(QLatin1Char(':'))) + digest));
        ASSERT_TRUE(QDir().mkpath(QFileInfo(directory).path()));
        ASSERT_TRUE(QDir().rename(m_guest.machineDirectory(), directory));
        const QStringList files = QDir(directory).entryList(QDir::Files | QDir::Hidden);
        for (const QString& file : files) {
            const bool isOfImages =
                file == s("config.json") || file == s("disk.img") || file == s("nvram.bin");
            ASSERT_TRUE(isOfImages || QFile::remove(directory + QLatin1Char('/') + file));
        }
        ASSERT_TRUE(QFile::link(directory, library.imagePath(*ImageReference::fromText(tag))));
    }
    // Names, sizes and times of change.
    [[nodiscard]] static QStringList filesOf(const QString& directory) {
        QStringList found;
        const QFileInfoList files = QDir(directory).entryInfoList(QDir::Files | QDir::Hidden);
        for (const QFileInfo& file : files)
            found.append(s("%1 %2 %3")
                             .arg(file.fileName(),
                                  QString::number(file.size()),
                                  file.lastModified().toString(Qt::ISODateWithMs)));
        return found;
    }
    [[nodiscard]] QStringList left() {
        return QDir(home() + s("/tmp")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    }
    [[nodiscard]] QString home() { return m_guest.library().home(); }

    RunningGuest m_guest;
    QByteArray m_said;
};

} // namespace

TEST_F(BenchGuest, HostAndClonesAreMeasuredAndNothingIsLeft) {
    const RunningGuest::Ran ran = bench({s("--suite"),
                                         s("tart-fio"),
                                         s("--short"),
                                         s("--workload"),
                                         s("Random reads/writes (64k)"),
                                         s("--rounds"),
                                         s("2"),
                                         s("--machine"),
                                         s("guest"),
                                         s("--cpus"),
                                         s("1"),
                                         s("--memory"),
                                         s("600"),
                                         s("--executor"),
                                         s("host"),
                                         s("--executor"),
                                         s("default"),
                                         s("--executor"),
                                         s("caching=cached,sync=none")});
    ASSERT_EQ(ran.exitCode, 0) << qPrintable(ran.errors);
    const QJsonObject done = campaign();
    EXPECT_EQ(done[s("state")], s("complete"));
    const QJsonArray runs = done[s("runs")].toArray();
    ASSERT_EQ(runs.size(), 6);
    QStringList order;
    for (const QJsonValue& run : runs) {
        order.append(run[s("executor")].toString());
        EXPECT_TRUE(run[s("failure")].isUndefined());
        EXPECT_GT(run[s("write")][s("bytes_per_s")].toDouble(), 0);
        EXPECT_EQ(run[s("raw")][s("fio version")], s("fio-3.33"));
    }
    EXPECT_EQ(order,
              (QStringList{s("host"),
                           s("default"),
                           s("sync=none,caching=cached"),
                           s("sync=none,caching=cached"),
                           s("host"),
                           s("default")}));
    EXPECT_EQ(runs[1][s("options")], (QJsonObject{{s("kind"), s("vm")}}));
    EXPECT_EQ(
        runs[2][s("options")],
        (QJsonObject{{s("kind"), s("vm")}, {s("sync"), s("none")}, {s("caching"), s("cached")}}));
    const QJsonObject guest = done[s("guest")].toObject();
    EXPECT_TRUE(guest[s("os")].toString().contains(s("Debian")));
    EXPECT_TRUE(guest[s("kernel")].toString().startsWith(s("Linux ")));
    EXPECT_TRUE(guest[s("hypervisor")].toString().startsWith(s("QEMU ")));
    EXPECT_FALSE(guest[s("accelerator")].toString().isEmpty());
    EXPECT_EQ(guest[s("cpus")].toInt(), 1);
    EXPECT_NEAR(guest[s("memory_bytes")].toDouble(), 600.0 * (1 << 20), 80.0 * (1 << 20));
    EXPECT_EQ(left(), QStringList());
    EXPECT_EQ(emulators(home()), QStringList());
}

TEST_F(BenchGuest, KillingItLosesNothingAndLeavesNoCloneAndItGoesOn) {
    // The first one says whether the page cache was emptied before it.
    putSuite({workload("empty",
                       "pages=$(fincore -n -o PAGES file); echo \"$pages pages\" >&2; test "
                       "\"$pages\" -lt 100",
                       "time",
                       "dd if=/dev/zero of=file bs=1M count=8 2>/dev/null && "
                       "test \"$(fincore -n -o PAGES file)\" -eq 2048"),
              workload("long", "sleep 1000")});
    const QStringList line{s("--suite"),
                           s("mine"),
                           s("--rounds"),
                           s("1"),
                           s("--machine"),
                           s("guest"),
                           s("--executor"),
                           s("sync=none")};
    auto process = startBench(line);
    ASSERT_TRUE(waitUntilSaid(*process, "long on sync=none"))
        << m_said.constData() << process->readAllStandardError().constData();
    ASSERT_EQ(left().size(), 1);
    ASSERT_FALSE(emulators(home()).isEmpty());
    process->kill();
    ASSERT_TRUE(process->waitForFinished());
    EXPECT_TRUE(waitUntil([this] { return emulators(home()).isEmpty(); }, 20000));
    EXPECT_EQ(left().size(), 1) << "nobody was there to remove it";
    const RunningGuest::Ran next = m_guest.vitrinectl({s("list")});
    EXPECT_EQ(next.exitCode, 0);
    EXPECT_EQ(left(), QStringList()) << "the next start of anything has";
    QJsonArray runs = campaign()[s("runs")].toArray();
    ASSERT_EQ(runs.size(), 1);
    EXPECT_TRUE(runs[0][s("failure")].isUndefined())
        << qPrintable(runs[0][s("failure")].toString());
    // Once more from there, and the polite way.
    m_said.clear();
    process = startBench({s("--resume"), campaign()[s("id")].toString()});
    ASSERT_TRUE(waitUntilSaid(*process, "long on sync=none")) << m_said.constData();
    EXPECT_FALSE(m_said.contains("empty on")) << "it is measured";
    vitrine::test::sendSignal(static_cast<pid_t>(process->processId()), SIGINT);
    ASSERT_TRUE(waitUntil([&] { return process->state() == QProcess::NotRunning; }, 30000));
    EXPECT_NE(process->exitCode(), 0);
    EXPECT_EQ(left(), QStringList());
    EXPECT_EQ(emulators(home()), QStringList());
    EXPECT_EQ(campaign()[s("state")], s("cancelled"));
}

// The clone that grows is one of an image of the cache, which boots by firmware; then a workload
// fills its disk.
TEST_F(BenchGuest, FilesThatDoNotFitAreRefusedTheCloneGrowsAndAFullDiskIsToldAndEmptied) {
    // Root may use all blocks, so all but 16 MiB of them are taken.
    putSuite({workload("large",
                       "fio --name=benchmark --rw=write --bs=4k --size=3g --io_size=64k "
                       "--fallocate=none --output-format json --unlink 1",
                       "fio"),
              workload("full",
                       "fio --name=benchmark --ioengine=posixaio --rw=write --bs=64k --size=64m "
                       "--iodepth=4 --fallocate=none --end_fsync=1 --output-format json "
                       "--unlink 1",
                       "fio",
                       "set -- $(stat -f -c '%f %S' .) && "
                       "fallocate -l $(($1 * $2 - (16 << 20))) ballast"),
              workload("after", "dd if=/dev/zero of=after bs=1M count=32 conv=fsync")});
    const QStringList line{
        s("--suite"), s("mine"), s("--rounds"), s("1"), s("--executor"), s("default")};
    const RunningGuest::Ran refused = bench(line + QStringList{s("--machine"), s("guest")});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_TRUE(refused.errors.contains(s("--grow"))) << qPrintable(refused.errors);
    EXPECT_TRUE(QDir(home() + s("/benchmarks")).entryList({s("*.json")}, QDir::Files).isEmpty());
    EXPECT_EQ(left(), QStringList());
    const QString tag = s("127.0.0.1:5000/org/guest:latest");
    QString image;
    makeImage(tag, image);
    const QStringList before = filesOf(image);
    ASSERT_EQ(before.size(), 3);
    const RunningGuest::Ran grown = bench(line + QStringList{s("--image"), tag, s("--grow")});
    EXPECT_EQ(grown.exitCode, 1);
    EXPECT_TRUE(grown.errors.contains(s("1 of the measurements failed")))
        << qPrintable(grown.errors);
    const QJsonObject done = campaign();
    EXPECT_EQ(done[s("state")], s("complete"));
    EXPECT_EQ(done[s("guest")][s("name")], tag);
    const QJsonArray runs = done[s("runs")].toArray();
    ASSERT_EQ(runs.size(), 3);
    const QString reason = runs[1][s("failure")].toString();
    EXPECT_TRUE(reason.startsWith(s("Not measured. The disk of its guest filled up.")) &&
                reason.contains(s("--disk-size")) && reason.contains(s("No space left on device")))
        << qPrintable(reason);
    EXPECT_TRUE(runs[1][s("write")].isUndefined());
    for (const int other : {0, 2})
        EXPECT_TRUE(runs[other][s("failure")].isUndefined())
            << qPrintable(runs[other][s("failure")].toString());
    EXPECT_EQ(filesOf(image), before) << "the image itself has not grown";
    EXPECT_EQ(left(), QStringList());
    EXPECT_EQ(emulators(home()), QStringList());
}

TEST_F(BenchGuest, ClonesForWhichTheMemoryIsTooSmallTakeTurnsWithTheSameResults) {
    putSuite({workload("fio",
                       "fio --name=benchmark --rw=randwrite --bs=4k --size=1m "
                       "--output-format json --unlink 1",
                       "fio")});
    // Two of them are more than this computer has; a guest takes what it touches only.
    const quint64 each = bench::hostSize().memory / 20 * 11;
    auto process = startBench({s("--suite"),
                               s("mine"),
                               s("--rounds"),
                               s("1"),
                               s("--machine"),
                               s("guest"),
                               s("--memory"),
                               QString::number(each >> 20U),
                               s("--executor"),
                               s("default"),
                               s("--executor"),
                               s("sync=none")});
    qsizetype most = 0;
    EXPECT_TRUE(waitUntil(
        [&] {
            m_said += process->readAllStandardOutput();
            most = std::max(most, emulators(home()).size());
            return process->state() == QProcess::NotRunning;
        },
        2 * longWait));
    EXPECT_EQ(process->exitCode(), 0) << process->readAllStandardError().constData();
    EXPECT_EQ(most, 1) << "one at a time";
    const QJsonObject done = campaign();
    EXPECT_EQ(done[s("state")], s("complete"));
    EXPECT_TRUE(done[s("notes")]
                    .toVariant()
                    .toStringList()
                    .join(QLatin1Char(' '))
                    .contains(s("each is started for its measurement and shut down after it")));
    const QJsonArray runs = done[s("runs")].toArray();
    ASSERT_EQ(runs.size(), 2);
    for (const QJsonValue& run : runs) {
        EXPECT_TRUE(run[s("failure")].isUndefined()) << qPrintable(run[s("failure")].toString());
        EXPECT_GT(run[s("write")][s("iops")].toDouble(), 0);
        EXPECT_EQ(run[s("raw")][s("jobs")][0][s("write")][s("total_ios")].toInt(), 256);
    }
    EXPECT_EQ(runs[1][s("options")], (QJsonObject{{s("kind"), s("vm")}, {s("sync"), s("none")}}));
    EXPECT_EQ(left(), QStringList());
    EXPECT_EQ(emulators(home()), QStringList());
}

TEST_F(BenchGuest, TheRunningMachineIsMeasuredAndCleanedUp) {
    m_guest.start();
    ASSERT_TRUE(m_guest.waitUntilReady());
    putSuite({workload("fio",
                       "fio --name=benchmark --rw=randwrite --bs=4k --size=1m "
                       "--output-format json --unlink 1",
                       "fio"),
              workload("long", "touch /tmp/begun; exec sleep 4711")});
    auto process = startBench({s("--suite"),
                               s("mine"),
                               s("--rounds"),
                               s("1"),
                               s("--machine"),
                               s("guest"),
                               s("--executor"),
                               s("running")});
    ASSERT_TRUE(waitUntilSaid(*process, "long on running"))
        << m_said.constData() << process->readAllStandardError().constData();
    ASSERT_TRUE(m_guest.waitUntilShellPrints(s("ls /tmp/begun"), s("/tmp/begun")));
    const QString sleepers = s("ps -o args | grep -c '^[s]leep 4711'");
    ASSERT_TRUE(m_guest.waitUntilShellPrints(sleepers, s("1")));
    EXPECT_EQ(m_guest.shell(s("ls -d /home/admin/vitrine-benchmark-* | wc -l")), s("1"));
    vitrine::test::sendSignal(static_cast<pid_t>(process->processId()), SIGINT);
    ASSERT_TRUE(waitUntil([&] { return process->state() == QProcess::NotRunning; }, 60000));
    EXPECT_EQ(m_guest.shell(sleepers), s("0")) << "its work has ended";
    EXPECT_EQ(m_guest.shell(s("ls -d /home/admin/vitrine-benchmark-* 2>/dev/null")), QString());
    const QJsonObject done = campaign();
    ASSERT_EQ(done[s("runs")].toArray().size(), 1);
    EXPECT_EQ(done[s("runs")][0][s("executor")], s("running"));
    EXPECT_TRUE(done[s("guest")][s("os")].toString().contains(s("Debian")));
    EXPECT_EQ(left(), QStringList());
}
