// SPDX-License-Identifier: Apache-2.0
// The shared-folder suite, short, on this computer and on folders of it in clones of the sample
// guest.
#include "running_guest.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

#include <gtest/gtest.h>

#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

class BenchShareGuest : public testing::Test {
protected:
    BenchShareGuest()
        : m_guest({.byKernel = true}) {}

    RunningGuest::Ran bench(const QStringList& executors) {
        QStringList line{s("bench"),
                         s("run"),
                         s("--suite"),
                         s("shared-folder"),
                         s("--short"),
                         s("--rounds"),
                         s("1"),
                         s("--machine"),
                         s("guest")};
        for (const QString& executor : executors)
            line << s("--executor") << executor;
        return m_guest.vitrinectl(line, 5 * 60'000);
    }
    [[nodiscard]] QString home() { return m_guest.library().home(); }
    [[nodiscard]] QJsonObject campaign() {
        const QDir folder(home() + s("/benchmarks"));
        const QStringList files = folder.entryList({s("*.json")}, QDir::Files);
        QFile file(folder.filePath(files.value(0)));
        EXPECT_EQ(files.size(), 1);
        return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                              : QJsonObject();
    }
    // Every workload has a figure on every executor, and nothing of it is left.
    void expectAllMeasured(const QStringList& executors) {
        const RunningGuest::Ran ran = bench(executors);
        ASSERT_EQ(ran.exitCode, 0) << qPrintable(ran.errors);
        QSet<QString> measured;
        for (const QJsonValue& run : campaign()[s("runs")].toArray()) {
            EXPECT_TRUE(run[s("failure")].isUndefined())
                << qPrintable(run[s("executor")].toString()) << ": "
                << qPrintable(run[s("failure")].toString());
            measured.insert(run[s("executor")].toString());
        }
        EXPECT_EQ(campaign()[s("runs")].toArray().size(), 5 * executors.size());
        EXPECT_EQ(measured, QSet<QString>(executors.begin(), executors.end()));
        EXPECT_EQ(QDir(home() + s("/tmp")).entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                  QStringList());
    }

    RunningGuest m_guest;
};

} // namespace

TEST_F(BenchShareGuest, VirtiofsIsMeasuredBesideThisComputer) {
    expectAllMeasured({s("host"), s("share:virtiofs,cache=none")});
    const QJsonArray runs = campaign()[s("runs")].toArray();
    EXPECT_EQ(runs[1][s("options")],
              (QJsonObject{{s("kind"), s("vm")},
                           {s("share"), s("virtiofs")},
                           {s("share_cache"), s("none")}}));
}

TEST_F(BenchShareGuest, Plan9IsMeasuredForAnOrdinaryUser) {
    if (::geteuid() == 0) {
        const RunningGuest::Ran refused = bench({s("share:9p")});
        EXPECT_EQ(refused.exitCode, 1);
        EXPECT_TRUE(refused.errors.contains(s("not for root"))) << qPrintable(refused.errors);
        EXPECT_FALSE(QDir(home() + s("/benchmarks")).exists());
        return;
    }
    expectAllMeasured({s("share:9p,security=mapped-xattr")});
}
