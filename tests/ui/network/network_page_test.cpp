// SPDX-License-Identifier: Apache-2.0
#include "ui/network/network_page.h"

#include "core/value/byte_count.h"
#include "tests/ui/network/network_fixture.h"
#include "ui/network/learn_dialog.h"
#include "ui/settings/settings_page.h"

#include <QFile>
#include <QFontMetrics>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTreeWidget>

namespace vitrine::test {
namespace {

using Column = ui::DestinationModel::Column;
using Verdicts = ui::DestinationModel::Verdicts;
using State = ui::FirewallLink::State;

QJsonObject policySet(const QStringList& allow, const QStringList& block) {
    QJsonObject parameters = SoftnetPolicy{allow, block}.toJson();
    parameters.insert(QStringLiteral("keep"), false);
    return parameters;
}

TEST_F(NetworkTest, ShowsToWhomTheGuestTalkedTheLatestFirst) {
    firewall.policy = {{QStringLiteral("10.4.0.0/16")}, {QStringLiteral("10.4.9.0/24")}};
    seeSome();
    run();
    EXPECT_EQ(cell(0, Column::Verdict), QStringLiteral("Blocked"));
    EXPECT_EQ(cell(0, Column::Name), QStringLiteral("db.acme.dev"));
    EXPECT_EQ(cell(0, Column::Address), QStringLiteral("10.8.0.12"));
    EXPECT_EQ(cell(0, Column::Port), QStringLiteral("5432 TCP"));
    EXPECT_EQ(cell(0, Column::Because), QStringLiteral("Private address, no rule"));
    EXPECT_EQ(cell(0, Column::Action), QStringLiteral("Allow"));
    EXPECT_EQ(cell(1, Column::Bytes), ByteCount::fromBytes(212'000'000).toText());
    EXPECT_EQ(cell(1, Column::Action), QStringLiteral("Block"));
    EXPECT_EQ(cell(3, Column::Because), QStringLiteral("Rule 10.4.9.0/24"));
    EXPECT_TRUE(waitUntil([this] { return !cell(0, Column::Seen).isEmpty(); }));
    EXPECT_FALSE(model()->index(0, Column::Verdict).data(Qt::DecorationRole).isNull());
    EXPECT_EQ(model()->index(0, 0).data(Qt::AccessibleTextRole).toString(),
              QStringLiteral("Blocked, db.acme.dev, 5432 TCP, Private address, no rule"));
    EXPECT_TRUE(model()
                    ->headerData(Column::Name, Qt::Horizontal, Qt::DisplayRole)
                    .toString()
                    .contains(QStringLiteral("hint")));
    EXPECT_EQ(page->traffic()->verdictButton(Verdicts::Blocked)->text(),
              QStringLiteral("Blocked 2"));
    EXPECT_EQ(controlsWithoutName(*page), QStringList());
    table()->setCurrentIndex(model()->index(0, 0));
    pictures(QStringLiteral("network"));
}

TEST_F(NetworkTest, ANarrowListSaysWhyAndLeavesOutNamesThatAreNone) {
    firewall.see(destinationOf("10.4.9.5", 443, false, "", "10.4.9.0/24"));
    firewall.see(destinationOf("10.8.0.12", 5432, false));
    run();
    window->resize(900, 600);
    ASSERT_TRUE(waitUntil([this] { return table()->isColumnHidden(Column::Name); }));
    EXPECT_FALSE(table()->isColumnHidden(Column::Because));
    EXPECT_GE(table()->columnWidth(Column::Because), 150);
    const int right =
        table()->columnViewportPosition(Column::Action) + table()->columnWidth(Column::Action);
    EXPECT_LE(right, table()->viewport()->width()) << "all is to be seen";
    EXPECT_EQ(model()->index(rowOf("10.4.9.5"), Column::Because).data(Qt::ToolTipRole).toString(),
              QStringLiteral("Rule 10.4.9.0/24"));
    pictures(QStringLiteral("network-nameless"));
    firewall.see(destinationOf("203.0.113.91", 443, true, "archive.ubuntu.com"));
    ASSERT_TRUE(waitForRows(3));
    ASSERT_TRUE(waitUntil([this] { return !table()->isColumnHidden(Column::Name); }));
    EXPECT_FALSE(table()->isColumnHidden(Column::Because));
    window->resize(900, 600);
    ASSERT_TRUE(waitUntil([this] { return table()->isColumnHidden(Column::Name); }));
    EXPECT_FALSE(table()->isColumnHidden(Column::Because));
    EXPECT_TRUE(model()
                    ->index(rowOf("203.0.113.91"), Column::Address)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("archive.ubuntu.com")));
}

TEST_F(NetworkTest, WhatHappenedStaysAndTheButtonIsAboutNow) {
    SoftnetDestination one = destinationOf("10.4.0.31", 22, true, "git.acme.dev", "10.4.0.0/16");
    one.now = SoftnetAnswer{false, QStringLiteral("10.0.0.0/8"), QStringLiteral("rule-block")};
    firewall.see(one);
    run();
    EXPECT_EQ(cell(0, Column::Verdict), QStringLiteral("Allowed"));
    EXPECT_EQ(cell(0, Column::Because), QStringLiteral("Rule 10.4.0.0/16 (now blocked)"));
    EXPECT_EQ(cell(0, Column::Action), QStringLiteral("Allow"));
}

TEST_F(NetworkTest, ChangesRowsAsNewsComesAndResetsNothing) {
    seeSome();
    run();
    QSignalSpy resets(model(), &QAbstractItemModel::modelReset);
    chooseRow("10.8.0.12");
    SoftnetDestination more = destinationOf("10.4.0.31", 22, true, "git.acme.dev", "10.4.0.0/16");
    more.bytesIn = 400'000'000;
    firewall.see(more);
    firewall.see(destinationOf("192.0.2.1", 80, true));
    ASSERT_TRUE(waitForRows(6));
    ASSERT_TRUE(waitUntil([this] {
        return cell(rowOf("10.4.0.31"), Column::Bytes) ==
               ByteCount::fromBytes(402'000'000).toText();
    }));
    EXPECT_EQ(rowOf("10.4.0.31"), 1);
    EXPECT_EQ(table()->current()->address, QStringLiteral("10.8.0.12"))
        << "the chosen row moves with its place";
    EXPECT_EQ(resets.size(), 0);
}

TEST_F(NetworkTest, IsFilteredAsOneTypesAndByVerdict) {
    seeSome();
    run();
    type(page->traffic()->filter(), QStringLiteral("acme 443"));
    ASSERT_EQ(model()->rowCount(), 1);
    EXPECT_EQ(cell(0, Column::Name), QStringLiteral("payroll.acme.dev"));
    type(page->traffic()->filter(), QStringLiteral("nobody"));
    EXPECT_EQ(model()->rowCount(), 0);
    page->traffic()->filter()->clear();
    page->traffic()->verdictButton(Verdicts::Blocked)->click();
    EXPECT_EQ(model()->rowCount(), 2);
    page->traffic()->verdictButton(Verdicts::Allowed)->click();
    EXPECT_EQ(model()->rowCount(), 3);
    page->traffic()->verdictButton(Verdicts::All)->click();
    EXPECT_EQ(model()->rowCount(), 5);
}

TEST_F(NetworkTest, OneClickAllowsAndUndoTakesItBack) {
    firewall.policy = {{QStringLiteral("10.4.0.0/16")}, {QStringLiteral("10.8.0.12/32:5432")}};
    firewall.verdict.passes = true;
    seeSome();
    run();
    chooseRow("10.8.0.12");
    EXPECT_EQ(page->findChild<ui::CommandRow*>()->command(),
              QStringLiteral("vitrinectl net web allow 10.8.0.12/32:5432"));
    const QRect button = table()->visualRect(model()->index(rowOf("10.8.0.12"), Column::Action));
    for (const QEvent::Type kind : {QEvent::MouseButtonPress, QEvent::MouseButtonRelease}) {
        QMouseEvent event(kind,
                          button.center(),
                          table()->viewport()->mapToGlobal(button.center()),
                          Qt::LeftButton,
                          Qt::LeftButton,
                          Qt::NoModifier);
        QApplication::sendEvent(table()->viewport(), &event);
    }
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }));
    ASSERT_EQ(firewall.askedFor("net.policy.set").size(), 1);
    EXPECT_EQ(firewall.askedFor("net.policy.set").first().parameters,
              policySet({QStringLiteral("10.4.0.0/16"), QStringLiteral("10.8.0.12/32:5432")}, {}));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("db.acme.dev is allowed.")));
    ASSERT_TRUE(waitUntil([this] {
        const auto sidecar = Sidecar::read(directory);
        return sidecar && sidecar->run.network.allow == QStringLiteral("10.8.0.12/32:5432");
    })) << "from now on";
    savePicture(*window, QStringLiteral("network-allowed"));
    click(page->message(), "Undo");
    ASSERT_TRUE(waitUntil([this] { return firewall.askedFor("net.policy.set").size() == 2; }));
    EXPECT_EQ(
        firewall.policy,
        (SoftnetPolicy{{QStringLiteral("10.4.0.0/16")}, {QStringLiteral("10.8.0.12/32:5432")}}));
    ASSERT_TRUE(waitUntil([this] {
        const auto sidecar = Sidecar::read(directory);
        return sidecar && sidecar->run.network.allow.isEmpty() &&
               sidecar->run.network.block.isEmpty();
    })) << "what holds until the machine stops is not stored with others";
}

TEST_F(NetworkTest, ReturnPressesTheButtonAndUntilItStopsIsNotStored) {
    firewall.verdict.passes = false;
    seeSome();
    run();
    page->keepBox()->setCurrentIndex(1);
    chooseRow("203.0.113.91");
    EXPECT_EQ(page->findChild<ui::CommandRow*>()->command(),
              QStringLiteral("vitrinectl net web block 203.0.113.91/32:443 --once"));
    pressKey(table(), Qt::Key_Return);
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }));
    EXPECT_EQ(firewall.policy.block, QStringList{QStringLiteral("203.0.113.91/32:443")});
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("until the machine stops")));
    EXPECT_EQ(Sidecar::read(directory)->run.network.block, QString());
}

TEST_F(NetworkTest, ARefusedRuleIsToldInWords) {
    firewall.refusal = Error{Error::Kind::Busy, QStringLiteral("Others set rules just now."), {}};
    seeSome();
    run();
    chooseRow("10.8.0.12");
    pressKey(table(), Qt::Key_Return);
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }));
    EXPECT_EQ(page->message()->kind(), ui::MessageBar::Kind::Error);
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("db.acme.dev was not allowed.")));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("Others set rules just now.")));
    EXPECT_EQ(Sidecar::read(directory)->run.network.allow, QString());
}

TEST_F(NetworkTest, ARuleThatDoesNotDecideIsTold) {
    firewall.verdict = {false, QStringLiteral("10.8.0.12/32:5000-6000"), QString()};
    seeSome();
    run();
    chooseRow("10.8.0.12");
    pressKey(table(), Qt::Key_Space);
    ASSERT_TRUE(waitUntil([this] {
        return page->message()->isShown() &&
               page->message()->kind() == ui::MessageBar::Kind::Warning;
    }));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("10.8.0.12/32:5000-6000")));
}

TEST_F(NetworkTest, SaysWhetherItWouldPassAndWhichRuleDecides) {
    firewall.verdict = {false, QStringLiteral("10.4.9.0/24"), QStringLiteral("rule-block")};
    run();
    ui::PassTester* tester = page->traffic()->tester();
    type(tester->field(), QStringLiteral("10.4.9.5:443"));
    ASSERT_TRUE(waitUntil([tester] { return tester->answer().startsWith(QStringLiteral("No,")); }));
    EXPECT_TRUE(tester->answer().contains(QStringLiteral("10.4.9.0/24")));
    EXPECT_EQ(firewall.askedFor("net.test").last().parameters,
              (QJsonObject{{QStringLiteral("direction"), QStringLiteral("out")},
                           {QStringLiteral("address"), QStringLiteral("10.4.9.5")},
                           {QStringLiteral("port"), 443},
                           {QStringLiteral("protocol"), QStringLiteral("tcp")}}));
    EXPECT_EQ(page->findChild<ui::CommandRow*>()->command(),
              QStringLiteral("vitrinectl net web test 10.4.9.5:443"));
    savePicture(*window, QStringLiteral("network-tester"));
    // Other rules, another answer.
    firewall.verdict = {true, {}, QStringLiteral("global")};
    firewall.policy.allow = {QStringLiteral("10.4.9.0/24")};
    fake->server().notify(QStringLiteral("event"),
                          {{QStringLiteral("kind"), QStringLiteral("network-changed")}});
    ASSERT_TRUE(
        waitUntil([tester] { return tester->answer().startsWith(QStringLiteral("Yes,")); }));
    type(tester->field(), QStringLiteral("example.org"));
    ASSERT_TRUE(
        waitUntil([tester] { return tester->answer().contains(QStringLiteral("ADDRESS")); }));
}

TEST_F(NetworkTest, LearnsAndProposesTheTightestRules) {
    firewall.policy = {{QStringLiteral("10.0.0.0/8")}, {}};
    seeSome();
    run();
    page->learnButton()->click();
    click(page->message(), "Start Learning");
    ASSERT_TRUE(waitUntil([this] { return page->learning()->isShown(); }));
    EXPECT_FALSE(page->learnButton()->isEnabled());
    EXPECT_TRUE(firewall.learning);
    savePicture(*window, QStringLiteral("network-learning"));
    chooseRow("10.8.0.12");
    pressKey(table(), Qt::Key_Return);
    EXPECT_TRUE(page->message()->isShown());
    EXPECT_TRUE(firewall.askedFor("net.policy.set").isEmpty()) << "rules wait";
    firewall.see(destinationOf("10.8.0.12", 5432, true, "db.acme.dev", "0.0.0.0/0"));
    firewall.see(destinationOf("203.0.113.91", 443, true, "archive.ubuntu.com", "0.0.0.0/0"));
    click(page->learning(), "Stop and Propose Rules…");
    auto* proposal = dialog<ui::LearnDialog>();
    ASSERT_TRUE(proposal);
    EXPECT_FALSE(firewall.learning);
    ASSERT_EQ(proposal->list()->topLevelItemCount(), 2);
    EXPECT_EQ(proposal->list()->topLevelItem(0)->text(0), QStringLiteral("out 10.8.0.12/32:5432"));
    EXPECT_EQ(proposal->list()->topLevelItem(0)->text(1), QStringLiteral("db.acme.dev"));
    EXPECT_GT(
        proposal->list()->columnWidth(0),
        QFontMetrics(ui::Theme::fixed()).horizontalAdvance(QStringLiteral("out 10.8.0.12/32:5432")))
        << "the rule is read whole";
    EXPECT_TRUE(proposal->replaces().contains(QStringLiteral("allow: 10.0.0.0/8")));
    EXPECT_EQ(controlsWithoutName(*proposal), QStringList());
    savePicture(*proposal, QStringLiteral("network-learned"));
    proposal->list()->topLevelItem(1)->setCheckState(0, Qt::Unchecked);
    for (QPushButton* button : proposal->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Apply"))
            button->click();
    const SoftnetPolicy wanted{{QStringLiteral("out 10.8.0.12/32:5432")},
                               {QStringLiteral("out 0.0.0.0/0")}};
    ASSERT_TRUE(waitUntil([&] { return firewall.policy == wanted; }));
    click(page->message(), "Undo");
    ASSERT_TRUE(waitUntil([&] {
        return firewall.policy == SoftnetPolicy{{QStringLiteral("10.0.0.0/8")}, {}};
    }));
}

TEST_F(NetworkTest, TheListIsExportedWithAllItsData) {
    seeSome();
    firewall.see(destinationOf("198.51.100.7", 80, true, "=evil(\"x\"),y"));
    run();
    QTemporaryDir folder;
    QSignalSpy written(page, &ui::NetworkPage::exported);
    const QString csv = folder.filePath(QStringLiteral("a.csv"));
    const QString json = folder.filePath(QStringLiteral("a.json"));
    page->exportTo(csv, ui::NetworkPage::Format::Csv);
    page->exportTo(json, ui::NetworkPage::Format::Json);
    ASSERT_TRUE(waitUntil([&written] { return written.size() == 2; }));
    QFile table(csv);
    ASSERT_TRUE(table.open(QIODevice::ReadOnly));
    const QList<QByteArray> lines = table.readAll().split('\n');
    EXPECT_EQ(lines.size(), 8); // the headings, six, and the end
    EXPECT_TRUE(lines.at(1).contains("\"'=evil(\"\"x\"\"),y\"")) << lines.at(1).toStdString();
    QFile object(json);
    ASSERT_TRUE(object.open(QIODevice::ReadOnly));
    const QJsonObject all = QJsonDocument::fromJson(object.readAll()).object();
    EXPECT_EQ(all.value(QLatin1String("machine")), QJsonValue(QStringLiteral("web")));
    EXPECT_EQ(all.value(QLatin1String("destinations")).toArray().size(), 6);
    page->exportTo(QStringLiteral("/nowhere/a.csv"), ui::NetworkPage::Format::Csv);
    ASSERT_TRUE(
        waitUntil([this] { return page->message()->kind() == ui::MessageBar::Kind::Error; }));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("/nowhere/a.csv")));
}

TEST_F(NetworkTest, AStoppedMachineIsOfferedToBeStarted) {
    add();
    showPage();
    ASSERT_TRUE(
        waitUntil([this] { return page->stateText().contains(QStringLiteral("stopped")); }));
    EXPECT_EQ(page->link()->state(), State::Off);
    pictures(QStringLiteral("network-stopped"));
    QSignalSpy starts(page, &ui::NetworkPage::startRequested);
    page->disconnect(window->machinePage());
    for (QPushButton* button : page->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Start") && button->isVisible())
            button->click();
    EXPECT_EQ(starts.size(), 1);
}

TEST_F(NetworkTest, AnotherAttachmentIsNamedAndLeadsToSettings) {
    add(NetworkMode::Nat);
    startFake("nat");
    showPage();
    ASSERT_TRUE(waitUntil([this] { return page->stateText().contains(QStringLiteral("NAT")); }));
    savePicture(*window, QStringLiteral("network-nat"));
    for (QPushButton* button : page->findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Network Settings") && button->isVisible())
            button->click();
    EXPECT_EQ(window->machinePage()->tab(), ui::MachinePage::Tab::Settings);
}

TEST_F(NetworkTest, AStoppedMachineWithoutAFirewallSaysSo) {
    add(NetworkMode::Nat);
    showPage();
    ASSERT_TRUE(waitUntil([this] { return page->stateText().contains(QStringLiteral("by NAT")); }));
}

TEST_F(NetworkTest, AHelperThatWasStartedAgainBeginsTheListAnew) {
    seeSome();
    run();
    firewall.forget();
    firewall.see(destinationOf("192.0.2.1", 80, true));
    fake->tellEvent("network-restarted", QStringLiteral("The network of the machine goes on."));
    ASSERT_TRUE(waitForRows(1));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("started again")));
}

TEST_F(NetworkTest, AHelperThatIsGoneIsToldAndComesBack) {
    seeSome();
    run();
    firewall.silence =
        Error{Error::Kind::NotRunning,
              QStringLiteral("The network of the machine is not running. It is being "
                             "started again."),
              {}};
    ASSERT_TRUE(waitUntil([this] { return page->trouble()->isShown(); }));
    EXPECT_TRUE(page->trouble()->text().contains(QStringLiteral("started again")));
    EXPECT_EQ(model()->rowCount(), 5) << "what was seen stays";
    savePicture(*window, QStringLiteral("network-trouble"));
    firewall.silence.reset();
    ASSERT_TRUE(waitUntil([this] { return !page->trouble()->isShown(); }));
}

TEST_F(NetworkTest, AsksOnlyWhileItIsShown) {
    seeSome();
    run();
    window->machinePage()->showTab(ui::MachinePage::Tab::Overview);
    ASSERT_TRUE(waitUntil([this] { return !page->isVisible(); }));
    settle();
    // What was asked before has been answered when something asked later is.
    std::optional<int> looks;
    clients->call(QStringLiteral("web"), QStringLiteral("net.stats"), {}, [&](const auto&) {
        looks = firewall.looks;
    });
    ASSERT_TRUE(waitUntil([&looks] { return looks.has_value(); }));
    bool passed = false;
    QTimer::singleShot(400, window.get(), [&passed] { passed = true; }); // 20 times the interval
    ASSERT_TRUE(waitUntil([&passed] { return passed; }));
    EXPECT_EQ(firewall.looks, *looks);
    window->machinePage()->showTab(ui::MachinePage::Tab::Network);
    ASSERT_TRUE(waitUntil([this, &looks] { return firewall.looks > *looks + 2; }));
}

TEST_F(NetworkTest, AFirewallThatCannotBeAskedSaysWhy) {
    add();
    fake = std::make_unique<FakeMachine>(small.library, QStringLiteral("web"));
    fake->unavailable = {
        {QStringLiteral("net.status"), QStringLiteral("Its rules are those of the start.")}};
    ASSERT_TRUE(fake->start());
    MachineStatus status = fake->status();
    status.network = QStringLiteral("softnet");
    fake->setStatus(status);
    showPage();
    ASSERT_TRUE(
        waitUntil([this] { return page->link()->state() == ui::FirewallLink::State::Refused; }));
    EXPECT_TRUE(page->stateText().contains(QStringLiteral("those of the start")));
}

TEST_F(NetworkTest, AnEmptyListSaysWhatWillStandThere) {
    run();
    EXPECT_FALSE(table()->isVisible());
    savePicture(*window, QStringLiteral("network-empty"));
}

TEST_F(NetworkTest, AFullListComesInSmallPieces) {
    add();
    startFake();
    for (int i = 0; i < 4096; ++i)
        firewall.see(destinationOf(
            qPrintable(QStringLiteral("203.%1.%2.9").arg(i / 256).arg(i % 256)), 443, i % 3 != 0));
    showPage();
    ASSERT_TRUE(waitForRows(4096));
    EXPECT_LE(firewall.mostInOneAnswer, 256);
}

} // namespace
} // namespace vitrine::test
