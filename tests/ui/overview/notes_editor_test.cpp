// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/notes_editor.h"

#include "core/machine/sidecar.h"
#include "tests/support/gui_support.h"
#include "tests/support/held_machine.h"

#include <QPlainTextEdit>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

TEST(NotesEditor, KeepsWhatIsTypedInTheSidecar) {
    SmallLibrary small;
    const QString directory = small.add(QStringLiteral("m"));
    NotesEditor editor;
    editor.setMachine(directory);
    editor.findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("For the nightly build."));
    EXPECT_FALSE(editor.isSaved());
    ASSERT_TRUE(waitUntil([&editor] { return editor.isSaved(); }));
    EXPECT_EQ(Sidecar::read(directory)->notes, QStringLiteral("For the nightly build."));
}

TEST(NotesEditor, SavesBeforeAnotherMachineIsShown) {
    SmallLibrary small;
    const QString first = small.add(QStringLiteral("a"));
    const QString second = small.add(QStringLiteral("b"));
    NotesEditor editor;
    editor.setMachine(first);
    editor.findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("first"));
    editor.setMachine(second);
    EXPECT_TRUE(editor.text().isEmpty());
    ASSERT_TRUE(waitUntil([&editor] { return editor.isSaved(); }));
    EXPECT_EQ(Sidecar::read(first)->notes, QStringLiteral("first"));
    EXPECT_TRUE(Sidecar::read(second)->notes.isEmpty());
}

TEST(NotesEditor, TypingIsNotLostToAReadingOfTheFile) {
    SmallLibrary small;
    const QString directory = small.add(QStringLiteral("m"));
    NotesEditor editor;
    editor.setMachine(directory);
    editor.findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("typed"));
    editor.setText(directory, QStringLiteral("from the file"));
    EXPECT_EQ(editor.text(), QStringLiteral("typed"));
}
