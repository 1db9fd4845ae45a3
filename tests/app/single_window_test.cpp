// SPDX-License-Identifier: Apache-2.0
#include "app/single_window.h"

#include "tests/support/gui_support.h"

#include <QDir>
#include <QFile>
#include <QLocalServer>
#include <QLocalSocket>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

using vitrine::app::SingleWindow;
using vitrine::test::waitUntil;

namespace {

const QString id = QStringLiteral("0123456789abcdef0123456789abcdef");

} // namespace

TEST(SingleWindow, TheSecondHandsItsWishToTheFirst) {
    QTemporaryDir library;
    SingleWindow first(library.path());
    ASSERT_EQ(first.enter({}), SingleWindow::Role::First);
    QStringList wishes;
    QObject::connect(&first,
                     &SingleWindow::asked,
                     &first,
                     [&wishes](const QString& console, const QString& start) {
                         wishes.append(console + QLatin1Char('|') + start);
                     });
    auto role = SingleWindow::Role::Alone;
    std::thread second([&role, &library] {
        SingleWindow other(library.path());
        role = other.enter(QStringLiteral("büild 1"));
    });
    EXPECT_TRUE(waitUntil([&wishes] { return !wishes.isEmpty(); }));
    second.join();
    EXPECT_EQ(role, SingleWindow::Role::HandedOver);
    EXPECT_EQ(wishes, QStringList{QStringLiteral("büild 1|")});
    // The same with a machine to start.
    std::thread third([&role, &library] {
        SingleWindow other(library.path());
        role = other.enter(QStringLiteral("büild 1"), id);
    });
    EXPECT_TRUE(waitUntil([&wishes] { return wishes.size() == 2; }));
    third.join();
    EXPECT_EQ(role, SingleWindow::Role::HandedOver);
    EXPECT_EQ(wishes.last(), QStringLiteral("büild 1|") + id);
}

TEST(SingleWindow, WhatIsNotUnderstoodIsHungUpOn) {
    QTemporaryDir library;
    SingleWindow first(library.path());
    ASSERT_EQ(first.enter({}), SingleWindow::Role::First);
    int wishes = 0;
    QObject::connect(&first, &SingleWindow::asked, &first, [&wishes] { ++wishes; });
    const QByteArray good = "start " + id.toUtf8() + " web\n";
    for (const QByteArray& line : {QByteArray("begin web\n"),
                                   QByteArray("show web"),
                                   QByteArray("start\n"),
                                   "start " + id.toUtf8() + '\n',
                                   "start " + id.toUtf8() + " \n",
                                   QByteArray("start ../../../../../../../../../../etc web\n"),
                                   "start " + id.toUtf8().toUpper() + " web\n",
                                   "start " + id.toUtf8() + "0 web\n",
                                   "start " + id.toUtf8() + ' ' + QByteArray(100000, 'a') + '\n',
                                   good.chopped(1)}) {
        QLocalSocket peer;
        peer.connectToServer(library.filePath(QStringLiteral("run/window.sock")));
        ASSERT_TRUE(peer.waitForConnected());
        peer.write(line);
        EXPECT_TRUE(waitUntil([&peer] { return peer.state() == QLocalSocket::UnconnectedState; }))
            << line.left(60).toStdString();
        EXPECT_TRUE(peer.readAll().isEmpty());
    }
    EXPECT_EQ(wishes, 0);
    QLocalSocket peer;
    peer.connectToServer(library.filePath(QStringLiteral("run/window.sock")));
    peer.write(good);
    EXPECT_TRUE(waitUntil([&peer] { return peer.bytesAvailable() > 0; }));
    EXPECT_EQ(peer.readAll(), "ok\n");
    EXPECT_EQ(wishes, 1);
}

TEST(SingleWindow, AnOlderWindowIsLeftAloneWithAStart) {
    QTemporaryDir library;
    SingleWindow first(library.path());
    ASSERT_EQ(first.enter({}), SingleWindow::Role::First);
    // In its place one that knows "show" only and closes on everything else.
    const QString path = library.filePath(QStringLiteral("run/window.sock"));
    ASSERT_TRUE(QFile::remove(path));
    QLocalServer older;
    ASSERT_TRUE(older.listen(path));
    QByteArray heard;
    QObject::connect(&older, &QLocalServer::newConnection, &older, [&older, &heard] {
        QLocalSocket* const peer = older.nextPendingConnection();
        QObject::connect(peer, &QLocalSocket::readyRead, peer, [peer, &heard] {
            heard = peer->readAll();
            if (heard.startsWith("show "))
                peer->write("ok\n");
            else
                peer->abort();
        });
    });
    auto role = SingleWindow::Role::First;
    std::atomic<bool> done{false};
    const auto enter = [&](const QString& start) {
        done = false;
        std::thread second([&] {
            SingleWindow other(library.path());
            role = other.enter(QStringLiteral("web"), start);
            done = true;
        });
        EXPECT_TRUE(waitUntil([&done] { return done.load(); }));
        second.join();
        return role;
    };
    EXPECT_EQ(enter(id), SingleWindow::Role::Alone);
    EXPECT_TRUE(heard.startsWith("start "));
    EXPECT_EQ(enter({}), SingleWindow::Role::HandedOver);
}

TEST(SingleWindow, AFirstThatHangsIsLeftAlone) {
    QTemporaryDir library;
    SingleWindow first(library.path());
    ASSERT_EQ(first.enter({}), SingleWindow::Role::First);
    SingleWindow second(library.path()); // the event loop of the first does not run meanwhile
    EXPECT_EQ(second.enter({}), SingleWindow::Role::Alone);
}

TEST(SingleWindow, WhatAKilledWindowLeftIsReplaced) {
    QTemporaryDir library;
    QDir(library.path()).mkdir(QStringLiteral("run"));
    QFile::setPermissions(library.filePath(QStringLiteral("run")),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    for (const char* name : {"run/window.sock", "run/window.lock"}) {
        QFile file(library.filePath(QLatin1String(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    SingleWindow first(library.path());
    EXPECT_EQ(first.enter({}), SingleWindow::Role::First);
}

TEST(SingleWindow, AFolderThatOthersMayWriteToIsNotUsed) {
    QTemporaryDir library;
    QDir(library.path()).mkdir(QStringLiteral("run"));
    QFile::setPermissions(library.filePath(QStringLiteral("run")),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner |
                              QFile::WriteOther);
    SingleWindow window(library.path());
    EXPECT_EQ(window.enter({}), SingleWindow::Role::Alone);
}
