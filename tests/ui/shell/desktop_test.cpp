// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/desktop.h"

#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

// Programs of the test alone are found.
class DesktopTest : public testing::Test {
protected:
    DesktopTest() {
        qputenv("PATH", QFile::encodeName(programs.path()));
        addProgram("vitrinectl", "exit 0\n");
    }
    ~DesktopTest() override { qputenv("PATH", path); }

    void addProgram(const char* name, const QByteArray& script) {
        QFile file(programs.filePath(QLatin1String(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + script);
        file.close();
        ASSERT_TRUE(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }
    // What the terminal was told to run.
    QStringList openAndRecord() {
        const QString record = programs.filePath(QStringLiteral("record"));
        addProgram("x-terminal-emulator",
                   "{ printf '%s\\n' \"$VITRINE_HOME\"; printf '%s\\n' \"$MY_TOKEN\"; for word; do "
                   "printf '%s\\n' \"$word\"; "
                   "done; echo end; } > " +
                       QFile::encodeName(record) + "\n");
        const auto opened = ui::openTerminal(small.library, QStringLiteral("web"));
        EXPECT_TRUE(opened) << (opened ? "" : qPrintable(opened.error().message));
        QStringList lines;
        EXPECT_TRUE(waitUntil([&] {
            QFile file(record);
            if (file.open(QIODevice::ReadOnly))
                lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
            return lines.contains(QStringLiteral("end"));
        }));
        return lines.mid(0, lines.indexOf(QStringLiteral("end")));
    }

    const QByteArray path = qgetenv("PATH");
    QTemporaryDir programs;
    SmallLibrary small;
};

} // namespace

TEST_F(DesktopTest, ATerminalGetsTheCommandTheLibraryAndNoSecrets) {
    qputenv("MY_TOKEN", "secret");
    const QStringList recorded = openAndRecord();
    qunsetenv("MY_TOKEN");
    ASSERT_GT(recorded.size(), 5);
    EXPECT_EQ(recorded.at(0), small.library.home());
    EXPECT_EQ(recorded.at(1), QString());
    EXPECT_EQ(recorded.at(2), QStringLiteral("-e"));
    EXPECT_EQ(recorded.mid(recorded.size() - 2),
              (QStringList{QStringLiteral("ssh"), QStringLiteral("web")}));
    EXPECT_TRUE(recorded.at(recorded.size() - 3).endsWith(QStringLiteral("vitrinectl")));
}

TEST_F(DesktopTest, AFailureStaysToBeReadUntilEnter) {
    QStringList command = openAndRecord().mid(3);
    ASSERT_GT(command.size(), 3);
    addProgram("failing", "echo \"cannot reach $2\" >&2; exit 255\n");
    command[command.size() - 3] = programs.filePath(QStringLiteral("failing"));
    QProcess terminal;
    terminal.setProcessChannelMode(QProcess::MergedChannels);
    terminal.start(command.constFirst(), command.mid(1));
    QByteArray shown;
    ASSERT_TRUE(waitUntil([&] {
        shown += terminal.readAll();
        return shown.contains("Enter");
    })) << shown.constData();
    EXPECT_TRUE(shown.contains("cannot reach web"));
    EXPECT_EQ(terminal.state(), QProcess::Running);
    terminal.write("\n");
    ASSERT_TRUE(waitUntil([&] { return terminal.state() == QProcess::NotRunning; }));
    EXPECT_EQ(terminal.exitCode(), 255);
}

TEST_F(DesktopTest, AConnectionThatEndsWellClosesTheTerminal) {
    QStringList command = openAndRecord().mid(3);
    ASSERT_GT(command.size(), 3);
    addProgram("working", "exit 0\n");
    command[command.size() - 3] = programs.filePath(QStringLiteral("working"));
    QProcess terminal;
    terminal.start(command.constFirst(), command.mid(1));
    ASSERT_TRUE(waitUntil([&] { return terminal.state() == QProcess::NotRunning; }));
    EXPECT_EQ(terminal.exitCode(), 0);
}

TEST_F(DesktopTest, WithoutATerminalTheLineToPasteIsNamed) {
    const auto opened = ui::openTerminal(small.library, QStringLiteral("web"));
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(opened.error().message.contains(QStringLiteral("vitrinectl ssh web")));
}
