// SPDX-License-Identifier: Apache-2.0
// The page where it measures, and what becomes of campaigns.
#include "core/bench/campaign_run.h"
#include "core/bench/executor_spec.h"
#include "tests/ui/bench/bench_fixture.h"
#include "ui/transfers/transfer_text.h"
#include "ui/widgets/elided_label.h"

#include <QFile>
#include <QMenu>
#include <QToolButton>

#include <unistd.h>

using namespace vitrine;
using namespace vitrine::bench;
using namespace vitrine::test;
using namespace vitrine::ui;

TEST_F(BenchPageTest, WhatIsChosenIsWhatVitrinectlIsAsked) {
    addMachine();
    showPage();
    RunPanel* const panel = page->runPanel();
    panel->suiteBox()->setCurrentIndex(panel->suiteBox()->findData(QStringLiteral("tart-fio")));
    panel->roundsBox()->setValue(5);
    EXPECT_EQ(panel->arguments().join(QLatin1Char(' ')),
              QStringLiteral("bench run --progress json --suite tart-fio --rounds 5 --machine=web "
                             "--executor=host --executor=default --executor=sync=none "
                             "--executor=caching=cached --executor=sync=none,caching=cached"));
    EXPECT_FALSE(panel->executorBox(QStringLiteral("running"))->isEnabled()); // it does not run
    const QString estimate = panel->estimate()->text();
    EXPECT_TRUE(estimate.startsWith(QString(QChar(0x2248)) + QStringLiteral(" 2 h")))
        << estimate.toStdString();
    panel->shortBox()->setChecked(true);
    EXPECT_NE(panel->estimate()->text(), estimate);
    for (const char* word :
         {"host", "default", "sync=none", "caching=cached", "sync=none,caching=cached"})
        panel->executorBox(QLatin1String(word))->setChecked(false);
    EXPECT_FALSE(panel->runButton()->isEnabled());
    EXPECT_TRUE(panel->runButton()->accessibleDescription().contains(QStringLiteral("Choose")));
}

TEST_F(BenchPageTest, EachSuiteOffersWhereItCanBeMeasured) {
    addMachine();
    showPage();
    RunPanel* const panel = page->runPanel();
    const auto isShown = [panel](const char* word) {
        const QCheckBox* const box = panel->executorBox(QLatin1String(word));
        return box != nullptr && box->isVisibleTo(box->parentWidget());
    };
    choose(panel->suiteBox(), QStringLiteral("shared-folder"));
    EXPECT_FALSE(isShown("sync=none"));
    EXPECT_FALSE(isShown("kernel:9p"));
    const bool isRoot = ::geteuid() == 0;
    QStringList wanted{QStringLiteral("host"),
                       QStringLiteral("default"),
                       QStringLiteral("share:virtiofs,cache=auto"),
                       QStringLiteral("share:virtiofs,cache=always"),
                       QStringLiteral("share:virtiofs,cache=none")};
    if (!isRoot)
        wanted.append(QStringLiteral("share:9p,security=none"));
    EXPECT_EQ(panel->executors(), wanted);
    const QCheckBox* const plan9 = panel->executorBox(QStringLiteral("share:9p,security=none"));
    ASSERT_TRUE(isShown("share:9p,security=none"));
    EXPECT_EQ(plan9->isEnabled(), !isRoot);
    EXPECT_EQ(plan9->toolTip().contains(QStringLiteral("Not for root")), isRoot);
    EXPECT_TRUE(panel->arguments().contains(QStringLiteral("--machine=web")));
    panel->executorsButton()->menu()->popup({});
    savePicture(*panel->executorsButton()->menu(), QStringLiteral("bench-where-menu"));
    panel->executorsButton()->menu()->close();

    choose(panel->suiteBox(), QStringLiteral("page-cache"));
    for (const char* const word : {"host", "default", "sync=none", "share:virtiofs,cache=none"})
        EXPECT_TRUE(isShown(word)) << word;
    choose(panel->suiteBox(), QStringLiteral("boot-to-command"));
    EXPECT_FALSE(isShown("default"));
    EXPECT_TRUE(isShown("host"));
    EXPECT_EQ(panel->executorsButton()->text(), QStringLiteral("2 kernel runs"));
    EXPECT_EQ(panel->arguments().mid(6),
              (QStringList{QStringLiteral("--rounds"),
                           QStringLiteral("3"),
                           QStringLiteral("--executor=kernel:9p"),
                           QStringLiteral("--executor=kernel:virtiofs")}));
    // What arguments() gives is what a campaign can be planned of.
    for (const char* const id : {"shared-folder", "page-cache", "boot-to-command", "tart-fio"}) {
        choose(panel->suiteBox(), QLatin1String(id));
        const bool hasMachine = panel->arguments().contains(QStringLiteral("--machine=web"));
        const auto specs = ExecutorSpec::listFrom(panel->executors(), hasMachine);
        ASSERT_TRUE(specs) << id;
        EXPECT_EQ(textsOf(*specs), panel->executors()) << id;
    }
}

TEST_F(BenchPageTest, ARunningMachineIsMeasuredInPlaceOnly) {
    addMachine();
    FakeMachine machine(small.library, QStringLiteral("web"));
    ASSERT_TRUE(machine.start());
    showPage();
    ASSERT_TRUE(waitUntil(
        [this] { return page->runPanel()->executorBox(QStringLiteral("running"))->isEnabled(); }));
    EXPECT_FALSE(page->runPanel()->executorBox(QStringLiteral("default"))->isEnabled());
    EXPECT_EQ(page->runPanel()->executors(),
              (QStringList{QStringLiteral("host"), QStringLiteral("running")}));
}

TEST_F(BenchPageTest, ARealRunShowsItsCampaignAndCanBeCancelled) {
    const QString suites = CampaignStore(small.library.home()).folder() + QStringLiteral("/suites");
    ASSERT_TRUE(QDir().mkpath(suites));
    QFile file(suites + QStringLiteral("/quick.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(R"({"format": "vitrine-suite", "version": 1, "id": "quick", "title": "Quick",
                   "workloads": [{"name": "nothing", "kind": "time", "command": "true"},
                                 {"name": "long", "kind": "time", "command": "sleep 120"}]})");
    file.close();
    showLibraryPage();
    RunPanel* const panel = page->runPanel();
    panel->suiteBox()->setCurrentIndex(panel->suiteBox()->findData(QStringLiteral("quick")));
    panel->roundsBox()->setValue(1);
    EXPECT_EQ(panel->arguments().join(QLatin1Char(' ')),
              QStringLiteral("bench run --progress json --suite quick --rounds 1"));
    panel->runButton()->click();
    ASSERT_TRUE(panel->runningJob());
    EXPECT_FALSE(panel->runButton()->isVisible());
    ASSERT_TRUE(waitUntil([this] { return !drawn().isEmpty(); }, 30000)); // "nothing" is there
    EXPECT_EQ(drawn().quantity, Quantity::Time);
    EXPECT_TRUE(waitUntil(
        [panel] { return panel->progressText()->text().contains(QStringLiteral("long")); }));
    pictures(QStringLiteral("running"));
    Job* const job = panel->runningJob();
    const QString campaign = panel->runningCampaign();
    // Before the job has told of its campaign, it is nobody else's either.
    job->setProperty("vitrineCampaign", QString());
    Q_EMIT results()->campaignChanged();
    for (const MessageBar* bar : page->findChildren<MessageBar*>())
        EXPECT_FALSE(bar->isShown()) << bar->text().toStdString();
    job->setProperty("vitrineCampaign", campaign);
    EXPECT_EQ(statusText(*job).left(21), QStringLiteral("1 of 2 measurements ·"));
    panel->cancelButton()->click();
    EXPECT_TRUE(panel->progressText()->text().startsWith(QStringLiteral("Stopping")));
    EXPECT_FALSE(panel->cancelButton()->isEnabled());
    ASSERT_TRUE(waitUntil([panel] { return panel->runningJob() == nullptr; }, 30000));
    // Tried again, it goes on with the same campaign.
    const CampaignStore store(small.library.home());
    const auto stateIs = [&store, &campaign](Campaign::State state) {
        return waitUntil([&] { return store.read(campaign)->state == state; }, 30000);
    };
    ASSERT_TRUE(stateIs(Campaign::State::Cancelled));
    job->retry();
    ASSERT_TRUE(stateIs(Campaign::State::Running));
    EXPECT_EQ(store.list()->size(), 1);
    EXPECT_EQ(panel->runningCampaign(), campaign);
    EXPECT_TRUE(panel->cancelButton()->isEnabled());
    panel->cancelButton()->click();
    ASSERT_TRUE(waitUntil([panel] { return panel->runningJob() == nullptr; }, 30000));
    EXPECT_TRUE(waitUntil([panel] { return panel->runButton()->isVisible(); }));
    EXPECT_TRUE(waitUntil([this] {
        for (const MessageBar* bar : page->findChildren<MessageBar*>())
            if (bar->isShown() && bar->text().contains(QStringLiteral("1 of 2 measurements")))
                return true;
        return false;
    }));
    // Going on with it replaces what Transfers tells of it.
    ASSERT_EQ(jobs->rowCount(), 1);
    panel->resume(campaign, QStringLiteral("Quick"));
    EXPECT_EQ(jobs->rowCount(), 1);
    EXPECT_FALSE(jobs->jobAt(0)->isFinished());
    ASSERT_TRUE(stateIs(Campaign::State::Running));
    panel->cancelButton()->click();
    ASSERT_TRUE(waitUntil([panel] { return panel->runningJob() == nullptr; }, 30000));
}

TEST_F(BenchPageTest, WhatAnotherProgramMeasuresIsShownAsThat) {
    Campaign campaign = handMadeCampaign();
    campaign.state = Campaign::State::Running;
    Suite suite;
    suite.workloads = {
        {QStringLiteral("never measured"), Workload::Kind::Time, {}, QStringLiteral("true"), {}}};
    campaign.plan = planOf(suite, {QStringLiteral("host")}, 2, false, 0).toJson();
    const QString id = addCampaign(campaign, "");
    showLibraryPage();
    choose(results()->campaignBox(), id);
    const auto said = [this](const char* text) {
        for (const MessageBar* bar : page->findChildren<MessageBar*>())
            if (bar->isShown() && bar->text().contains(QLatin1String(text)))
                return true;
        return false;
    };
    EXPECT_TRUE(said("did not come to its end"));
    EXPECT_TRUE(page->runPanel()->runButton()->isEnabled());
    {
        const auto claim = CampaignStore(small.library.home()).claim(id);
        ASSERT_TRUE(claim);
        ASSERT_TRUE(waitUntil([&] { return said("Another program measures this campaign"); }));
        EXPECT_FALSE(page->runPanel()->runButton()->isEnabled());
        EXPECT_TRUE(page->runPanel()->runButton()->accessibleDescription().contains(
            QStringLiteral("Another program measures \"")));
        pictures(QStringLiteral("foreign"));
    }
    // Also where it was killed and has left no trace.
    EXPECT_TRUE(waitUntil([&] { return said("did not come to its end"); }));
    EXPECT_TRUE(page->runPanel()->runButton()->isEnabled());
}

TEST_F(BenchPageTest, ACampaignIsDeletedAfterAQuestion) {
    addMachine();
    addCampaign(handMadeCampaign());
    Campaign second = handMadeCampaign();
    second.title = QStringLiteral("Second");
    const QString id = addCampaign(second);
    showPage();
    choose(results()->campaignBox(), id);
    const auto answer = [this](const char* text) {
        for (QPushButton* button : page->message()->findChildren<QPushButton*>())
            if (button->text() == QLatin1String(text))
                button->click();
    };
    results()->deleteButton()->click();
    ASSERT_TRUE(page->message()->isShown());
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("cannot be undone")));
    pictures(QStringLiteral("delete"));
    answer("Keep");
    EXPECT_FALSE(page->message()->isShown());
    EXPECT_EQ(page->book()->own().size(), 2);
    results()->deleteButton()->click();
    answer("Delete");
    ASSERT_TRUE(waitUntil([this] { return page->book()->own().size() == 1; }));
    EXPECT_FALSE(CampaignStore(small.library.home()).read(id));
    settled();
    EXPECT_NE(results()->source()->campaign().id, id);
    choose(results()->campaignBox(), QStringLiteral("tart-2024-12-02-m1pro"));
    EXPECT_FALSE(results()->deleteButton()->isEnabled()) << "comes with the program";
}
