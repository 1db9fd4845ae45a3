// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/sidecar.h"
#include "tests/support/fake_firewall.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/network/destination_table.h"
#include "ui/network/firewall_link.h"
#include "ui/network/network_page.h"
#include "ui/network/pass_tester.h"
#include "ui/network/rules_view.h"
#include "ui/network/traffic_view.h"
#include "ui/shell/machine_page.h"
#include "ui/widgets/command_row.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/value_list.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPushButton>
#include <QTableWidget>

namespace vitrine::test {

// The window with a fake machine, "web", that has a fake firewall.
class NetworkTest : public WindowTest {
protected:
    void add(NetworkMode stored = NetworkMode::Softnet) {
        directory = small.add(QStringLiteral("web"));
        ASSERT_TRUE(Sidecar::update(
            directory, [stored](Sidecar& sidecar) { sidecar.run.network.mode = stored; }));
    }
    void showPage() {
        open();
        select(QStringLiteral("web"));
        window->showMachine(QStringLiteral("web"), ui::MachinePage::Tab::Network);
        page = window->machinePage()->network();
        page->link()->setInterval(20);
    }
    void startFake(const char* network = "softnet") {
        fake = std::make_unique<FakeMachine>(small.library, QStringLiteral("web"));
        ASSERT_TRUE(fake->start());
        if (network[0] == 's')
            firewall.answer(fake->server());
        MachineStatus status = fake->status();
        status.network = QLatin1String(network);
        fake->setStatus(status);
    }
    void run() {
        add();
        startFake();
        showPage();
        ASSERT_TRUE(
            waitUntil([this] { return page->link()->state() == ui::FirewallLink::State::Live; }));
        ASSERT_TRUE(waitForRows(int(firewall.sequence)));
    }
    void seeSome() {
        firewall.see(destinationOf("10.0.2.3", 53, true, "name lookup"));
        firewall.see(destinationOf("10.4.9.5", 443, false, "payroll.acme.dev", "10.4.9.0/24"));
        firewall.see(destinationOf("10.4.0.31", 22, true, "git.acme.dev", "10.4.0.0/16"));
        firewall.see(destinationOf("203.0.113.91", 443, true, "archive.ubuntu.com"));
        firewall.see(destinationOf("10.8.0.12", 5432, false, "db.acme.dev"));
    }
    bool waitForRows(int rows) {
        return waitUntil([this, rows] { return model()->rowCount() == rows; });
    }
    [[nodiscard]] ui::DestinationModel* model() const { return page->traffic()->model(); }
    [[nodiscard]] ui::DestinationTable* table() const { return page->traffic()->table(); }
    [[nodiscard]] QString cell(int row, int column) const {
        return model()->index(row, column).data().toString();
    }
    [[nodiscard]] int rowOf(const char* address) const {
        for (int row = 0; row < model()->rowCount(); ++row)
            if (model()->at(row)->address == QLatin1String(address))
                return row;
        return -1;
    }
    void chooseRow(const char* address) {
        ASSERT_GE(rowOf(address), 0);
        table()->setCurrentIndex(model()->index(rowOf(address), 0));
        table()->setFocus();
    }
    static void pressKey(QWidget* widget, int key) {
        QKeyEvent down(QEvent::KeyPress, key, Qt::NoModifier);
        QApplication::sendEvent(widget, &down);
        QKeyEvent up(QEvent::KeyRelease, key, Qt::NoModifier);
        QApplication::sendEvent(widget, &up);
    }
    static void type(QLineEdit* field, const QString& text) {
        field->clear();
        for (const QChar c : text) {
            QKeyEvent down(QEvent::KeyPress, 0, Qt::NoModifier, QString(c));
            QApplication::sendEvent(field, &down);
        }
    }
    // A layout shows a new button a moment after it was added.
    static void click(const ui::MessageBar* message, const char* text) {
        QPushButton* found = nullptr;
        EXPECT_TRUE(waitUntil([&] {
            found = nullptr;
            for (QPushButton* button : message->findChildren<QPushButton*>())
                if (button->text() == QString::fromUtf8(text) && button->isVisible())
                    found = button;
            return found != nullptr;
        })) << "no button "
            << text;
        if (found)
            found->click();
    }
    void pictures(const QString& name) {
        for (const bool dark : {false, true}) {
            ui::applyTheme(dark ? ui::SchemeChoice::Dark : ui::SchemeChoice::Light);
            for (const QSize size : {QSize(1280, 800), QSize(900, 600)}) {
                window->resize(size);
                savePicture(*window,
                            QStringLiteral("%1-%2-%3")
                                .arg(name)
                                .arg(size.width())
                                .arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
            }
        }
        ui::applyTheme(ui::SchemeChoice::Light);
        window->resize(1280, 800);
    }
    void TearDown() override {
        WindowTest::TearDown();
        fake.reset();
    }

    QString directory;
    std::unique_ptr<FakeMachine> fake;
    FakeFirewall firewall;
    ui::NetworkPage* page = nullptr;
};

} // namespace vitrine::test
