// SPDX-License-Identifier: Apache-2.0
#include "ui/console/serial_panel.h"

#include "tests/support/gui_support.h"
#include "ui/terminal/terminal_view.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QLocalServer>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine::ui {

using test::savePicture;
using test::waitUntil;

namespace {

struct SerialPanelTest : testing::Test {
    SerialPanelTest() {
        EXPECT_TRUE(server.listen(path));
        QObject::connect(&server, &QLocalServer::newConnection, &server, [this] {
            viewer = server.nextPendingConnection();
            ++connections;
            QObject::connect(
                viewer, &QLocalSocket::readyRead, viewer, [this] { typed += viewer->readAll(); });
            QObject::connect(
                viewer, &QLocalSocket::disconnected, viewer, [this] { viewer = nullptr; });
            viewer->write(QByteArray("\0\0\0\x0d", 4) + "history\x1b[6n\r\n");
        });
        panel.resize(800, 500);
        panel.setMachineName(QStringLiteral("box"));
    }
    [[nodiscard]] QString text() const {
        const TerminalSurface& surface = panel.surface();
        return surface.text(0, 0, surface.lineCount() - 1, surface.size().columns).trimmed();
    }

    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("console.sock"));
    QLocalServer server;
    QLocalSocket* viewer = nullptr;
    int connections = 0;
    QByteArray typed;
    SerialPanel panel;
};

} // namespace

TEST_F(SerialPanelTest, FetchesOnlyWhileItIsSeen) {
    panel.setSocket(path);
    EXPECT_FALSE(waitUntil([this] { return connections > 0; }, 300));
    panel.show();
    ASSERT_TRUE(waitUntil([this] { return panel.hasContent(); }));
    EXPECT_EQ(text(), QStringLiteral("history"));
    panel.hide();
    EXPECT_TRUE(waitUntil([this] { return viewer == nullptr; }));
    panel.show();
    ASSERT_TRUE(waitUntil([this] { return connections == 2 && panel.isConnected(); }));
    EXPECT_EQ(text(), QStringLiteral("history")) << "once, not twice";
}

TEST_F(SerialPanelTest, ShowsWhatComesAndSendsWhatIsTypedButAnswersNoHistory) {
    panel.setSocket(path);
    panel.show();
    ASSERT_TRUE(waitUntil([this] { return panel.hasContent(); }));
    viewer->write("login: ");
    ASSERT_TRUE(waitUntil([this] { return text().endsWith(QStringLiteral("login:")); }));
    QKeyEvent key(QEvent::KeyPress, Qt::Key_A, {}, QStringLiteral("a"));
    QApplication::sendEvent(panel.view(), &key);
    ASSERT_TRUE(waitUntil([this] { return typed == "a"; })) << typed.toHex().constData();
    viewer->write("\x1b[6n");
    EXPECT_TRUE(waitUntil([this] { return typed.startsWith("a\x1b["); }))
        << "the live question is answered";
    viewer->write("\r\n\x1b[31mred \x1b[32mgreen \x1b[1;34mblue\x1b[0m plain");
    ASSERT_TRUE(waitUntil([this] { return text().endsWith(QStringLiteral("plain")); }));
    for (const bool dark : {false, true}) {
        applyTheme(dark ? SchemeChoice::Dark : SchemeChoice::Light);
        savePicture(panel, dark ? QStringLiteral("serial-dark") : QStringLiteral("serial-light"));
    }
    applyTheme(SchemeChoice::Light);
}

TEST_F(SerialPanelTest, KeepsTheLastWordsUntilAnotherMachine) {
    panel.setSocket(path);
    panel.show();
    ASSERT_TRUE(waitUntil([this] { return panel.hasContent(); }));
    server.close();
    viewer->abort();
    panel.setSocket({});
    ASSERT_TRUE(waitUntil([this] { return !panel.isConnected(); }));
    EXPECT_EQ(text(), QStringLiteral("history"));
    EXPECT_TRUE(panel.hasContent());
    panel.forget();
    EXPECT_EQ(text(), QString());
    EXPECT_FALSE(panel.hasContent());
}

} // namespace vitrine::ui
