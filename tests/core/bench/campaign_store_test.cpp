// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign_store.h"

#include "tests/core/bench/bench_support.h"
#include "tests/support/send_signal.h"

#include <QDir>
#include <QTemporaryDir>

#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace vitrine::bench {

namespace {

class CampaignStoreTest : public testing::Test {
protected:
    Campaign add(const char* title) {
        Campaign campaign;
        campaign.title = s(title);
        const auto added = store.add(campaign, now);
        EXPECT_TRUE(added) << added.error().message.toStdString();
        return added.value_or(Campaign{});
    }
    static BenchRun run(int round) {
        BenchRun run;
        run.workload = s("w");
        run.executor = s("e");
        run.round = round;
        run.figures.elapsed = Elapsed{1, 1, {}, {}, {}};
        return run;
    }
    void put(const QString& name, const QByteArray& bytes) const {
        EXPECT_TRUE(QDir().mkpath(store.folder()));
        QFile file(store.folder() + QLatin1Char('/') + name);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }

    QTemporaryDir home;
    CampaignStore store{home.path()};
    QDateTime now = QDateTime::fromString(s("2026-12-01T09:08:07Z"), Qt::ISODate);
};

} // namespace

TEST_F(CampaignStoreTest, ACampaignIsAFileAndResultsAreKeptAsTheyArrive) {
    const Campaign campaign = add("first");
    EXPECT_TRUE(campaign.id.startsWith(s("20261201-090807-")));
    for (int round = 1; round <= 3; ++round) {
        ASSERT_TRUE(store.update(campaign.id, [&](Campaign& c) { c.runs.append(run(round)); }));
        const auto read = store.read(campaign.id);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->runs.size(), round);
    }
    EXPECT_EQ(QDir(store.folder()).entryList(QDir::Files), QStringList{campaign.id + s(".json")});
}

TEST_F(CampaignStoreTest, NoFolderIsNoCampaignAndNewestComeFirst) {
    ASSERT_TRUE(store.list());
    EXPECT_TRUE(store.list()->isEmpty());
    EXPECT_FALSE(QDir(store.folder()).exists());
    (void)add("older");
    now = now.addDays(1);
    (void)add("newer");
    const auto entries = store.list();
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 2);
    EXPECT_EQ(entries->at(0).campaign->title, s("newer"));
}

TEST_F(CampaignStoreTest, ACampaignIsFoundByTheBeginningOfItsIdentifier) {
    const Campaign campaign = add("one");
    EXPECT_EQ(store.find(campaign.id)->title, s("one"));
    EXPECT_EQ(store.find(s("20261201"))->id, campaign.id);
    EXPECT_EQ(store.find(s("2027")).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(store.find({}).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(store.find(s("../x")).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(store.read(s("../x")).error().kind, Error::Kind::NotFound);
    (void)add("two");
    EXPECT_EQ(store.find(s("20261201")).error().kind, Error::Kind::InvalidInput);
}

TEST_F(CampaignStoreTest, ADamagedFileIsToldAndNeverWrittenTo) {
    const Campaign campaign = add("whole");
    const QByteArray whole = contentOf(store.pathOf(campaign.id));
    const QList<QByteArray> contents{{},
                                     whole.left(whole.size() / 2),
                                     "garbage",
                                     "[]",
                                     R"({"format": "vitrine-benchmark", "version": 99})",
                                     R"({"format": "vitrine-benchmark", "version": 1, "runs": 3})"};
    for (const QByteArray& bytes : contents) {
        put(campaign.id + s(".json"), bytes);
        const auto read = store.read(campaign.id);
        ASSERT_FALSE(read);
        EXPECT_TRUE(read.error().message.contains(store.pathOf(campaign.id)));
        EXPECT_FALSE(store.update(campaign.id, [](Campaign& c) { c.runs.clear(); }));
        EXPECT_EQ(contentOf(store.pathOf(campaign.id)), bytes);
        const auto entries = store.list();
        ASSERT_TRUE(entries);
        ASSERT_EQ(entries->size(), 1);
        EXPECT_FALSE(entries->first().campaign);
    }
}

TEST_F(CampaignStoreTest, WhatAKillLeftInTheMiddleOfAWriteIsNoCampaign) {
    const Campaign campaign = add("kept");
    put(campaign.id + s(".json.new"), "{\"format\": \"vitr");
    EXPECT_EQ(store.list()->size(), 1);
    EXPECT_EQ(store.read(campaign.id)->title, s("kept"));
    ASSERT_TRUE(store.update(campaign.id, [](Campaign& c) { c.title = s("written"); }));
    EXPECT_EQ(store.read(campaign.id)->title, s("written"));
}

TEST_F(CampaignStoreTest, AKilledWriterLosesNothingThatWasMeasured) {
    const Campaign campaign = add("killed");
    int fds[2];
    ASSERT_EQ(::pipe(fds), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        for (int round = 1;; ++round) {
            if (!store.update(campaign.id, [&](Campaign& c) { c.runs.append(run(round)); }))
                ::_exit(1);
            (void)!::write(fds[1], "x", 1);
        }
    }
    char byte = 0;
    for (int i = 0; i < 5; ++i)
        ASSERT_EQ(::read(fds[0], &byte, 1), 1);
    vitrine::test::sendSignal(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const auto read = store.read(campaign.id);
    ASSERT_TRUE(read) << read.error().message.toStdString();
    EXPECT_GE(read->runs.size(), 5);
    ASSERT_TRUE(
        store.update(campaign.id, [](Campaign& c) { c.state = Campaign::State::Complete; }));
    ::close(fds[0]);
    ::close(fds[1]);
}

TEST_F(CampaignStoreTest, WritersWaitForEachOther) {
    const Campaign campaign = add("shared");
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([this, &campaign] {
            for (int i = 1; i <= 5; ++i)
                EXPECT_TRUE(store.update(campaign.id, [&](Campaign& c) { c.runs.append(run(i)); }));
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(store.read(campaign.id)->runs.size(), 15);
}

TEST_F(CampaignStoreTest, WhatIsMeasuredIsKnownAndNotDeleted) {
    const Campaign one = add("one");
    const Campaign other = add("other");
    EXPECT_EQ(store.claimed(), std::nullopt);
    {
        const auto claim = store.claim(one.id);
        ASSERT_TRUE(claim) << claim.error().message.toStdString();
        EXPECT_EQ(store.claimed(), one.id);
        EXPECT_EQ(store.claim(other.id).error().kind, Error::Kind::Busy);
        EXPECT_EQ(store.claimed(), one.id) << "who was refused has changed nothing";
        EXPECT_EQ(store.discard(one.id).error().kind, Error::Kind::Busy);
        EXPECT_TRUE(store.discard(other.id));
        ASSERT_TRUE(QFile(store.claimFolder() + s("/campaign")).open(QIODevice::WriteOnly));
        EXPECT_EQ(store.claimed(), QString()) << "somebody measures";
    }
    EXPECT_EQ(store.claimed(), std::nullopt);
    EXPECT_TRUE(store.discard(one.id));
    EXPECT_EQ(store.discard(one.id).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(store.discard(s("../x")).error().kind, Error::Kind::NotFound);
    EXPECT_TRUE(store.list()->isEmpty());
}

TEST_F(CampaignStoreTest, ADamagedOneAndALinkAreDeletedAndNotWhatTheLinkLeadsTo) {
    put(s("20260101-000000-aaaa.json"), "{");
    EXPECT_EQ(store.identifierOf(s("20260101")), s("20260101-000000-aaaa"));
    EXPECT_TRUE(store.discard(s("20260101-000000-aaaa")));
    const QString other = home.filePath(s("other"));
    ASSERT_TRUE(QFile(other).open(QIODevice::WriteOnly));
    ASSERT_TRUE(QFile::link(other, store.pathOf(s("link"))));
    EXPECT_TRUE(store.discard(s("link")));
    EXPECT_TRUE(QFile::exists(other));
    EXPECT_FALSE(QFileInfo::exists(store.pathOf(s("link"))));
}

} // namespace vitrine::bench
