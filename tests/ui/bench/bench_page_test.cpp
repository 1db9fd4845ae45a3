// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign_run.h"
#include "core/machine/sidecar.h"
#include "tests/support/layout_misfits.h"
#include "tests/ui/bench/bench_fixture.h"
#include "ui/library/navigation_row.h"
#include "ui/widgets/elided_label.h"

#include <QApplication>
#include <QFile>
#include <QJsonDocument>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QWheelEvent>

using namespace vitrine;
using namespace vitrine::bench;
using namespace vitrine::test;
using namespace vitrine::ui;

TEST_F(BenchPageTest, WithoutACampaignThePageSaysWhatToDo) {
    addMachine();
    showPage();
    EXPECT_TRUE(results()->isEmptyShown());
    EXPECT_TRUE(page->runPanel()->runButton()->isEnabled());
    EXPECT_EQ(page->runPanel()->executorsButton()->text(),
              QStringLiteral("4 option sets and host"));
    EXPECT_FALSE(page->winner()->isVisible());
    pictures(QStringLiteral("empty"));
}

TEST_F(BenchPageTest, TheNewestCampaignOfTheMachineIsShownAsRatios) {
    addMachine();
    addCampaign(handMadeCampaign());
    showPage();
    EXPECT_FALSE(results()->isEmptyShown());
    EXPECT_TRUE(drawn().isRatio);
    EXPECT_EQ(drawn().markCount(), 24);
    EXPECT_EQ(results()->viewBox()->currentText(), QStringLiteral("Ratio to Host"));
    EXPECT_EQ(results()->table()->rowCount(), 24);
    EXPECT_EQ(cell(0, ResultTable::WorkloadColumn), QStringLiteral("4 KiB random write"));
    EXPECT_EQ(cell(0, ResultTable::ExecutorColumn), QStringLiteral("Default"));
    EXPECT_EQ(cell(0, ResultTable::BaseColumn), QStringLiteral("20 MB/s"));
    EXPECT_EQ(cell(0, ResultTable::MedianColumn), QStringLiteral("16 MB/s"));
    EXPECT_EQ(cell(0, ResultTable::RatioColumn), QStringLiteral("80\u00A0%"));
    EXPECT_FALSE(results()->table()->isColumnHidden(ResultTable::BaseColumn));
    pictures(QStringLiteral("ratio"));
    // The host has no rows of its own: its figures are never left out, and eight rows show.
    for (const QSize size : {tight, roomy}) {
        window->resize(size);
        settleLayout(*window);
        EXPECT_FALSE(results()->table()->isColumnHidden(ResultTable::BaseColumn)) << size.width();
        EXPECT_GE(results()->table()->viewport()->height(), 8 * results()->table()->rowHeight(0));
    }
}

TEST_F(BenchPageTest, EveryViewIsDrawn) {
    addMachine();
    const QString id = addCampaign(handMadeCampaign());
    Campaign before = handMadeCampaign();
    before.date = QStringLiteral("2026-09-01T08:00:00Z");
    addCampaign(before);
    showPage();
    choose(results()->viewBox(), ResultView::valuesView);
    EXPECT_FALSE(drawn().isRatio);
    EXPECT_EQ(drawn().markCount(), 30);
    choose(results()->viewBox(), ResultView::ratioView + QStringLiteral("sync=none"));
    EXPECT_EQ(drawn().baseline, QStringLiteral("sync=none"));
    choose(results()->viewBox(), ResultView::historyView);
    EXPECT_EQ(drawn().kind, ChartData::Kind::History);
    EXPECT_EQ(drawn().series.first().marks.size(), 2);
    EXPECT_TRUE(results()->workloadBox()->isVisible());
    pictures(QStringLiteral("history"));
    choose(results()->viewBox(), ResultView::percentilesView);
    EXPECT_EQ(drawn().kind, ChartData::Kind::Percentiles);
    EXPECT_TRUE(results()->chart()->isLogarithmic());
    pictures(QStringLiteral("percentiles"));
    choose(results()->viewBox(), ResultView::valuesView);
    EXPECT_EQ(drawn().quantity, Quantity::Bandwidth); // as before the percentiles
    results()->quantityButton(Quantity::Iops)->click();
    settled();
    EXPECT_EQ(drawn().quantity, Quantity::Iops);
    EXPECT_FALSE(results()->quantityButton(Quantity::Time)->isEnabled());
    results()->logarithmicBox()->click();
    EXPECT_TRUE(results()->chart()->isLogarithmic());
}

TEST_F(BenchPageTest, PublishedSetsAreShownWithTheirFlawsAndBesideOthers) {
    showLibraryPage();
    choose(results()->campaignBox(), QStringLiteral("tart-2024-12-02-m1pro"));
    EXPECT_TRUE(results()->notes()->isVisible());
    EXPECT_TRUE(results()->notes()->text().contains(QStringLiteral("2.4 % too low")));
    bool cached = false;
    for (int row = 0; row < results()->table()->rowCount(); ++row)
        if (cell(row, ResultTable::RemarkColumn)
                .startsWith(QStringLiteral("From the page cache"))) {
            cached = true;
            EXPECT_TRUE(cell(row, ResultTable::RatioColumn).startsWith(QLatin1Char('(')));
        }
    EXPECT_TRUE(cached);
    choose(results()->besideBox(), QStringLiteral("tart-2024-12-04-m1-ebs-sonoma"));
    int diamonds = 0;
    for (const ChartSeries& series : drawn().series)
        diamonds += series.isBeside ? static_cast<int>(series.marks.size()) : 0;
    EXPECT_GT(diamonds, 20);
    EXPECT_FALSE(cell(0, ResultTable::PublishedColumn).isEmpty());
    pictures(QStringLiteral("published"));
    EXPECT_FALSE(results()->told()->text().contains(QStringLiteral("Nothing is beside it")));
    EXPECT_TRUE(results()->besideFacts()->text().contains(QStringLiteral("mac2.metal")))
        << results()->besideFacts()->text().toStdString();
    choose(results()->besideBox(), QStringLiteral("tart-2025-03-23-xcode"));
    EXPECT_TRUE(results()->told()->text().startsWith(QStringLiteral("Nothing is beside it")))
        << results()->told()->text().toStdString();
    choose(results()->besideBox(), QString());
    EXPECT_FALSE(results()->told()->text().contains(QStringLiteral("Nothing is beside it")));
    choose(results()->campaignBox(), QStringLiteral("tart-2025-03-23-xcode"));
    EXPECT_EQ(drawn().quantity, Quantity::Time);
    pictures(QStringLiteral("xcode"));
}

TEST_F(BenchPageTest, OneBarAndAHundredBarsFit) {
    addMachine();
    HandMade many;
    many.workloads = 20;
    addCampaign(handMadeCampaign(many));
    HandMade one;
    one.workloads = 1;
    one.rounds = 1;
    one.executors.resize(1);
    Campaign single = handMadeCampaign(one);
    single.title = QStringLiteral("One");
    const QString id = addCampaign(single);
    showPage();
    choose(results()->campaignBox(), id);
    EXPECT_EQ(drawn().markCount(), 1);
    EXPECT_EQ(results()->table()->rowCount(), 1);
    pictures(QStringLiteral("one"));
    results()->campaignBox()->setCurrentIndex(1 - results()->campaignBox()->currentIndex());
    settled();
    choose(results()->viewBox(), ResultView::valuesView);
    EXPECT_EQ(drawn().markCount(), 100);
    pictures(QStringLiteral("hundred"));
}

TEST_F(BenchPageTest, ResultsShowAsTheyArrive) {
    addMachine();
    HandMade wish;
    wish.rounds = 1;
    const QString id = addCampaign(handMadeCampaign(wish));
    showPage();
    EXPECT_EQ(drawn().series.first().marks.first().count, 1);
    ASSERT_TRUE(CampaignStore(small.library.home()).update(id, [](Campaign& campaign) {
        campaign.runs = handMadeCampaign().runs;
    }));
    EXPECT_TRUE(waitUntil(
        [this] { return !drawn().isEmpty() && drawn().series.first().marks.first().count == 5; }));
}

TEST_F(BenchPageTest, ADamagedCampaignIsToldAndTheOthersAreShown) {
    addMachine();
    const QString id = addCampaign(handMadeCampaign());
    QFile file(CampaignStore(small.library.home()).folder() +
               QStringLiteral("/20200101-000000-aaaa.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write("{\"format\":") > 0);
    file.close();
    showPage();
    EXPECT_TRUE(page->message()->isShown());
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("20200101-000000-aaaa.json")));
    EXPECT_EQ(results()->source()->campaign().id, id);
}

TEST_F(BenchPageTest, ACampaignThatWasCutOffOffersToGoOn) {
    addMachine();
    Campaign campaign = handMadeCampaign();
    campaign.state = Campaign::State::Cancelled;
    Suite suite;
    suite.workloads = {
        {QStringLiteral("4 KiB random write"), Workload::Kind::Fio, {}, QStringLiteral("true"), {}},
        {QStringLiteral("never measured"), Workload::Kind::Fio, {}, QStringLiteral("true"), {}}};
    campaign.plan = planOf(suite, {QStringLiteral("host")}, 2, false, 0).toJson();
    addCampaign(campaign);
    showPage();
    QStringList texts;
    for (const MessageBar* bar : page->findChildren<MessageBar*>())
        if (bar->isShown())
            texts.append(bar->text());
    EXPECT_TRUE(
        texts.join(QLatin1Char('|')).contains(QStringLiteral("2 of 4 measurements are there.")))
        << texts.join(QLatin1Char('|')).toStdString();
}

TEST_F(BenchPageTest, TheWinningSettingIsStoredAfterItsCostWasTold) {
    addMachine();
    addCampaign(handMadeCampaign());
    showPage();
    ASSERT_TRUE(page->winner()->isVisible());
    ASSERT_TRUE(page->winner()->applyButton()->isEnabled());
    EXPECT_TRUE(
        page->winner()->text()->text().contains(QStringLiteral("sync=none, caching=cached")));
    page->winner()->applyButton()->click();
    MessageBar* const question = page->winner()->question();
    ASSERT_TRUE(question->isShown());
    settleLayout(*page);
    EXPECT_EQ(layoutMisfits(*page).join(QLatin1Char('\n')).toStdString(), std::string());
    savePicture(*page->findChild<QScrollArea*>()->widget(), QStringLiteral("bench-winner"));
    EXPECT_EQ(question->kind(), MessageBar::Kind::Warning);
    EXPECT_TRUE(question->text().contains(QStringLiteral("file system")));
    EXPECT_EQ(Sidecar::read(directory)->run.rootDisk, DiskOptions{});
    for (QPushButton* button : question->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Apply"))
            button->click();
    EXPECT_TRUE(waitUntil([this] {
        const auto sidecar = Sidecar::read(directory);
        return sidecar && sidecar->run.rootDisk.synchronisation == Synchronisation::None &&
               sidecar->run.rootDisk.caching == Caching::Cached;
    }));
    EXPECT_TRUE(waitUntil([question] { return question->kind() == MessageBar::Kind::Info; }));
}

TEST_F(BenchPageTest, WithoutAClearWinnerNothingCanBeApplied) {
    addMachine();
    HandMade wish;
    wish.spread = 0.2;
    addCampaign(handMadeCampaign(wish));
    const QString other = addCampaign(handMadeCampaign(), "db");
    showPage();
    EXPECT_TRUE(page->winner()->isVisible());
    EXPECT_FALSE(page->winner()->applyButton()->isEnabled());
    EXPECT_TRUE(page->winner()->text()->text().contains(QStringLiteral("overlap")));
    choose(results()->campaignBox(), other); // of another machine
    EXPECT_FALSE(page->winner()->isVisible());
}

TEST_F(BenchPageTest, EveryExportIsAFileThatHoldsAllData) {
    addMachine();
    addCampaign(handMadeCampaign());
    showPage();
    QTemporaryDir folder;
    using Format = ResultExport::Format;
    const QList<std::pair<Format, QByteArray>> formats{{Format::Png, "\x89PNG"},
                                                       {Format::Svg, "<svg"},
                                                       {Format::Json, "\"vitrine-benchmark\""},
                                                       {Format::Csv, "write.bandwidth"},
                                                       {Format::Markdown, "| "},
                                                       {Format::Tart, "16 MB/s"}};
    EXPECT_GE(results()->exporter()->menu()->actions().size(), formats.size());
    int number = 0;
    for (const auto& [format, content] : formats) {
        const QString path = folder.filePath(QString::number(number++));
        results()->exporter()->write(format, path);
        ASSERT_TRUE(waitUntil([&path] { return QFile::exists(path); }));
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        EXPECT_TRUE(file.readAll().contains(content)) << number;
    }
    results()->exporter()->write(Format::Csv, folder.filePath(QStringLiteral("no/such")));
    EXPECT_TRUE(waitUntil([this] {
        return page->message()->isShown() && page->message()->kind() == MessageBar::Kind::Error;
    }));
}

TEST_F(BenchPageTest, ImportedFilesAreShownAndWrongOnesRefused) {
    showLibraryPage();
    const QString bad = small.library.home() + QStringLiteral("/bad.json");
    QFile file(bad);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write("nonsense") > 0);
    file.close();
    page->importFiles({bad});
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("bad.json")));
    EXPECT_TRUE(page->book()->own().isEmpty());
    const QString good = small.library.home() + QStringLiteral("/good.json");
    QFile other(good);
    ASSERT_TRUE(other.open(QIODevice::WriteOnly));
    other.write(QJsonDocument(handMadeCampaign().toJson()).toJson());
    other.close();
    page->importFiles({good});
    ASSERT_TRUE(waitUntil([this] { return results()->source() != nullptr; }));
    EXPECT_EQ(results()->source()->campaign().title, QStringLiteral("Made by hand"));
}

TEST_F(BenchPageTest, TheSideListLeadsToThePageOfNoMachine) {
    addMachine();
    addCampaign(handMadeCampaign());
    open();
    select(QStringLiteral("web"));
    NavigationRow* row = nullptr;
    for (NavigationRow* candidate : window->findChildren<NavigationRow*>())
        if (candidate->text() == QStringLiteral("Benchmarks"))
            row = candidate;
    ASSERT_TRUE(row);
    row->click();
    page = window->benchmarksPage();
    ASSERT_TRUE(page);
    ready();
    EXPECT_EQ(window->currentPage(), page);
    EXPECT_TRUE(row->isChecked());
    EXPECT_TRUE(results()->isEmptyShown()); // what there is belongs to the machine
    EXPECT_FALSE(page->runPanel()->executorsButton()->isVisible());
    EXPECT_EQ(page->runPanel()->executors(), QStringList{QStringLiteral("host")});
    QComboBox* const suites = page->runPanel()->suiteBox();
    choose(suites, QStringLiteral("boot-to-command")); // needs no machine
    EXPECT_TRUE(page->runPanel()->executorsButton()->isVisible());
    EXPECT_EQ(page->runPanel()->executors(),
              (QStringList{QStringLiteral("kernel:9p"), QStringLiteral("kernel:virtiofs")}));
    model->refresh();
    settle();
    EXPECT_EQ(window->currentPage(), page); // a new list of machines leaves it there
    select(QStringLiteral("web"));
    EXPECT_FALSE(row->isChecked());
}

TEST_F(BenchPageTest, TextOfOthersIsShownAsItStands) {
    addMachine();
    HandMade wish;
    wish.workloads = 1;
    Campaign campaign = handMadeCampaign(wish);
    const QString evil = QStringLiteral("<b>bold</b> & <img src='x'>");
    campaign.title = evil;
    for (BenchRun& run : campaign.runs) {
        run.workload = evil;
        run.command = evil;
    }
    addCampaign(campaign);
    showPage();
    EXPECT_EQ(cell(0, ResultTable::WorkloadColumn), evil);
    EXPECT_FALSE(results()
                     ->table()
                     ->item(0, ResultTable::WorkloadColumn)
                     ->toolTip()
                     .contains(QLatin1Char('<')));
    EXPECT_TRUE(results()->campaignBox()->currentText().contains(evil));
    results()->chart()->setFocus(Qt::TabFocusReason);
    ASSERT_TRUE(waitUntil([this] { return !results()->chart()->told().isEmpty(); }));
    EXPECT_TRUE(results()->chart()->told().last().contains(evil));
    pictures(QStringLiteral("markup"));
}

// scripts/docs-pictures.sh takes them from here.
TEST_F(BenchPageTest, PicturesOfTheDocumentation) {
    addMachine();
    const QString last = addCampaign(handMadeCampaign());
    for (int month = 6; month <= 11; ++month) {
        HandMade wish;
        wish.spread = 0.01 * (month - 4);
        Campaign campaign = handMadeCampaign(wish);
        campaign.date = QStringLiteral("2026-%1-05T10:00:00Z").arg(month, 2, 10, QLatin1Char('0'));
        addCampaign(campaign);
    }
    showPage();
    const auto take = [this](const char* name, int height) {
        page->resize(1000, height);
        settleLayout(*page);
        savePicture(*page, QStringLiteral("docs-benchmarks-") + QLatin1String(name));
        EXPECT_TRUE(QFile::exists(
            QStringLiteral(SOURCE_DIR "/docs/images/benchmarks-%1.png").arg(QLatin1String(name))))
            << name;
    };
    choose(results()->campaignBox(), QStringLiteral("tart-2024-12-02-m1pro"));
    choose(results()->besideBox(), QStringLiteral("tart-2024-12-04-m1-ebs-sonoma"));
    take("published", 840);
    choose(results()->campaignBox(), last);
    choose(results()->besideBox(), QString());
    choose(results()->viewBox(), ResultView::ratioView + QStringLiteral("host"));
    take("ratio", 780);
    choose(results()->viewBox(), ResultView::historyView);
    take("history", 740);
}

TEST_F(BenchPageTest, TheWheelScrollsThePageAndChangesNoChoice) {
    addMachine();
    addCampaign(handMadeCampaign());
    showPage();
    window->resize(tight);
    settleLayout(*window);
    QComboBox* const box = results()->viewBox();
    page->runPanel()->runButton()->setFocus();
    const int before = box->currentIndex();
    QScrollBar* const bar = page->findChild<QScrollArea*>()->verticalScrollBar();
    ASSERT_GT(bar->maximum(), 0);
    const auto turn = [box] {
        const QPointF at = box->rect().center();
        QWheelEvent down(at,
                         box->mapToGlobal(at),
                         {},
                         {0, -120},
                         Qt::NoButton,
                         Qt::NoModifier,
                         Qt::NoScrollPhase,
                         false);
        QApplication::sendEvent(box, &down);
    };
    turn();
    EXPECT_EQ(box->currentIndex(), before);
    EXPECT_GT(bar->value(), 0);
    box->setFocus();
    ASSERT_TRUE(waitUntil([box] { return box->hasFocus(); }));
    turn();
    EXPECT_NE(box->currentIndex(), before);
    settled();
}

TEST_F(BenchPageTest, EveryControlHasANameAndIsReachedByKeyboard) {
    addMachine();
    addCampaign(handMadeCampaign());
    showPage();
    EXPECT_EQ(controlsWithoutName(*page).join(QLatin1Char(',')).toStdString(), std::string());
    for (const QWidget* widget :
         std::initializer_list<const QWidget*>{results()->chart(),
                                               results()->table(),
                                               results()->viewBox(),
                                               page->runPanel()->runButton()})
        EXPECT_TRUE((widget->focusPolicy() & Qt::TabFocus) != 0);
    results()->chart()->setFocus(Qt::TabFocusReason);
    ASSERT_TRUE(waitUntil([this] { return results()->chart()->hasFocus(); }));
    EXPECT_FALSE(results()->chart()->told().isEmpty());
    EXPECT_TRUE(
        results()->chart()->accessibleDescription().contains(QStringLiteral("95 % interval")));
}
