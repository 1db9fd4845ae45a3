// SPDX-License-Identifier: Apache-2.0
#include "ui/network/rules_view.h"

#include "tests/ui/network/network_fixture.h"

namespace vitrine::test {
namespace {

class RulesViewTest : public NetworkTest {
protected:
    void runRules() {
        firewall.policy = {{QStringLiteral("10.4.0.0/16"), QStringLiteral("@host")},
                           {QStringLiteral("10.4.9.0/24")}};
        firewall.exposed = {QStringLiteral("2222:22")};
        run();
        page->showView(ui::NetworkPage::View::Rules);
        rules = page->rules();
        ASSERT_TRUE(waitUntil([this] { return rules->forwards()->values().size() == 1; }));
    }
    // Opens a row, types and ends with Return.
    static void enter(ui::ValueList* list, const QString& text) {
        list->add();
        QLineEdit* editor = nullptr;
        ASSERT_TRUE(waitUntil([&] {
            for (QLineEdit* field : list->table()->findChildren<QLineEdit*>())
                if (field->isVisible())
                    editor = field;
            return editor != nullptr;
        }));
        type(editor, text);
        pressKey(editor, Qt::Key_Return);
    }
    ui::RulesView* rules = nullptr;
};

TEST_F(RulesViewTest, ShowsWhatIsInForce) {
    firewall.problem = QStringLiteral("Port 2222 of this computer is taken.");
    runRules();
    EXPECT_EQ(rules->allow()->values(), firewall.policy.allow);
    EXPECT_EQ(rules->block()->values(), firewall.policy.block);
    EXPECT_EQ(rules->expose()->values(), firewall.exposed);
    EXPECT_EQ(rules->expose()->table()->item(0, 1)->text(), firewall.problem);
    EXPECT_EQ(rules->forwards()->values(), QStringList{QStringLiteral("22022:22")});
    EXPECT_EQ(controlsWithoutName(*page), QStringList());
    pictures(QStringLiteral("network-rules"));
}

TEST_F(RulesViewTest, AFinishedRowCountsAtOnce) {
    runRules();
    enter(rules->allow(), QStringLiteral("in 192.168.0.0/16"));
    const QStringList wanted{QStringLiteral("10.4.0.0/16"),
                             QStringLiteral("@host"),
                             QStringLiteral("in 192.168.0.0/16")};
    ASSERT_TRUE(waitUntil([&] { return firewall.policy.allow == wanted; }));
    ASSERT_TRUE(waitUntil([this] {
        return Sidecar::read(directory)->run.network.allow == QStringLiteral("in 192.168.0.0/16");
    }));
    EXPECT_EQ(page->findChild<ui::CommandRow*>()->command(),
              QStringLiteral("vitrinectl net web allow 'in 192.168.0.0/16'"));
    rules->block()->table()->setCurrentCell(0, 0);
    pressKey(rules->block()->table(), Qt::Key_Delete);
    ASSERT_TRUE(waitUntil([this] { return firewall.policy.block.isEmpty(); }));
}

TEST_F(RulesViewTest, AWrongRowStaysHereAndIsTold) {
    runRules();
    enter(rules->allow(), QStringLiteral("192.168.0.9"));
    ASSERT_TRUE(
        waitUntil([this] { return rules->allow()->message().contains(QStringLiteral("/32")); }));
    EXPECT_TRUE(firewall.askedFor("net.policy.set").isEmpty());
    savePicture(*window, QStringLiteral("network-rules-wrong"));
    QPushButton* fix = nullptr;
    ASSERT_TRUE(waitUntil([&] {
        for (QPushButton* button : rules->allow()->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == QStringLiteral("Use 192.168.0.9/32"))
                fix = button;
        return fix != nullptr;
    }));
    fix->click();
    ASSERT_TRUE(waitUntil(
        [this] { return firewall.policy.allow.contains(QStringLiteral("192.168.0.9/32")); }));
}

TEST_F(RulesViewTest, PortsAreExposedAndForwardedAndTakenOff) {
    runRules();
    page->keepBox()->setCurrentIndex(1);
    enter(rules->expose(), QStringLiteral("127.0.0.1:8080:80"));
    ASSERT_TRUE(waitUntil([this] { return firewall.exposed.size() == 2; }));
    EXPECT_EQ(firewall.askedFor("net.expose.add").first().parameters,
              (QJsonObject{{QStringLiteral("spec"), QStringLiteral("127.0.0.1:8080:80")},
                           {QStringLiteral("keep"), false}}));
    ASSERT_TRUE(waitUntil([this] { return page->link()->status().exposed.size() == 2; }));
    rules->expose()->table()->setCurrentCell(0, 0);
    rules->expose()->removeCurrent();
    ASSERT_TRUE(waitUntil(
        [this] { return firewall.exposed == QStringList{QStringLiteral("127.0.0.1:8080:80")}; }));
    enter(rules->forwards(), QStringLiteral("9090:90"));
    ASSERT_TRUE(waitUntil([this] { return page->link()->forwards().size() == 2; }));
    rules->forwards()->table()->setCurrentCell(0, 0);
    rules->forwards()->removeCurrent();
    EXPECT_EQ(rules->forwards()->values().size(), 2) << "the one for ssh stays";
}

TEST_F(RulesViewTest, APortThatCannotBeExposedIsToldAndTakenBack) {
    runRules();
    firewall.refusal = Error{Error::Kind::AlreadyExists, QStringLiteral("Port 80 is taken."), {}};
    enter(rules->expose(), QStringLiteral("80:80"));
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("Port 80 is taken.")));
    ASSERT_TRUE(waitUntil([this] { return rules->expose()->values().size() == 1; }));
}

TEST_F(RulesViewTest, WhatSomebodyElseChangesIsShown) {
    runRules();
    firewall.policy.block.append(QStringLiteral("203.0.113.0/24"));
    fake->server().notify(QStringLiteral("event"),
                          {{QStringLiteral("kind"), QStringLiteral("network-changed")}});
    ASSERT_TRUE(waitUntil([this] { return rules->block()->values().size() == 2; }));
}

} // namespace
} // namespace vitrine::test
