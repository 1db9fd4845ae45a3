// SPDX-License-Identifier: Apache-2.0
#include "app/single_window.h"

#include "tests/support/gui_support.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <thread>

using vitrine::app::SingleWindow;
using vitrine::test::waitUntil;

TEST(SingleWindow, TheSecondHandsItsWishToTheFirst) {
    QTemporaryDir library;
    SingleWindow first(library.path());
    ASSERT_EQ(first.enter({}), SingleWindow::Role::First);
    QStringList wishes;
    QObject::connect(&first, &SingleWindow::asked, &first, [&wishes](const QString& console) {
        wishes.append(console);
    });
    auto role = SingleWindow::Role::Alone;
    std::thread second([&role, &library] {
        SingleWindow other(library.path());
        role = other.enter(QStringLiteral("büild 1"));
    });
    EXPECT_TRUE(waitUntil([&wishes] { return !wishes.isEmpty(); }));
    second.join();
    EXPECT_EQ(role, SingleWindow::Role::HandedOver);
    EXPECT_EQ(wishes, QStringList{QStringLiteral("büild 1")});
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
