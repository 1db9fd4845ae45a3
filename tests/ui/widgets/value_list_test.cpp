// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/value_list.h"

#include "tests/support/gui_support.h"
#include "ui/theme/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>

#include <gtest/gtest.h>

namespace vitrine::ui {
namespace {

using test::waitUntil;

// Numbers are right; "1.0" is mended to "1".
class ValueListTest : public testing::Test {
protected:
    void SetUp() override {
        applyTheme(SchemeChoice::Light);
        ValueList::Setup setup;
        setup.title = QStringLiteral("Allow");
        setup.none = QStringLiteral("No rule");
        setup.check = [](const QString& text) -> Result<> {
            bool number = false;
            text.toInt(&number);
            if (number || text.startsWith(QLatin1String("in ")))
                return {};
            return fail(Error::Kind::InvalidInput,
                        QStringLiteral("\"%1\" is no number.").arg(text));
        };
        setup.fix = [](const QString& text) {
            return text.endsWith(QLatin1String(".0")) ? text.chopped(2) : QString();
        };
        setup.normal = [](const QString& text) {
            return text.startsWith(QLatin1Char('0')) ? text.mid(1) : text;
        };
        list = std::make_unique<ValueList>(setup);
        list->resize(400, 300);
        list->show();
        list->activateWindow();
    }
    void
    press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier, const QString& text = {}) {
        QWidget* target = editor() ? static_cast<QWidget*>(editor()) : list->table();
        QKeyEvent down(QEvent::KeyPress, key, modifiers, text);
        QApplication::sendEvent(target, &down);
    }
    void type(const QString& text) {
        for (const QChar c : text)
            press(0, Qt::NoModifier, QString(c));
    }
    // One that was closed is deleted some time later.
    QLineEdit* editor() const {
        for (QLineEdit* field : list->table()->findChildren<QLineEdit*>())
            if (field->isVisible())
                return field;
        return nullptr;
    }
    bool waitForEditor(bool open) {
        return waitUntil([this, open] { return (editor() != nullptr) == open; });
    }
    std::unique_ptr<ValueList> list;
};

TEST_F(ValueListTest, ARowIsCheckedWhileItIsTyped) {
    list->add();
    ASSERT_TRUE(waitForEditor(true));
    QSignalSpy edits(list.get(), &ValueList::edited);
    type(QStringLiteral("7x"));
    EXPECT_EQ(list->values(), QStringList{QStringLiteral("7x")});
    EXPECT_EQ(list->message(), QStringLiteral("\"7x\" is no number."));
    EXPECT_EQ(editor()->accessibleDescription(), list->message());
    EXPECT_FALSE(list->isValid());
    EXPECT_EQ(edits.size(), 2);
    press(Qt::Key_Backspace);
    EXPECT_TRUE(list->isValid());
    EXPECT_EQ(list->message(), QString());
    QSignalSpy commits(list.get(), &ValueList::committed);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForEditor(false));
    EXPECT_EQ(commits.size(), 1);
    EXPECT_EQ(list->values(), QStringList{QStringLiteral("7")});
}

TEST_F(ValueListTest, BlanksInsideCanBeTyped) {
    list->add();
    ASSERT_TRUE(waitForEditor(true));
    type(QStringLiteral("in "));
    list->setValues(list->values()); // as a page does that shows its draft
    type(QStringLiteral("4"));
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForEditor(false));
    EXPECT_EQ(list->values(), QStringList{QStringLiteral("in 4")});
}

TEST_F(ValueListTest, APastedListBecomesRows) {
    list->add();
    ASSERT_TRUE(waitForEditor(true));
    QGuiApplication::clipboard()->setText(QStringLiteral("1, 2,\n3"));
    editor()->paste();
    ASSERT_TRUE(waitForEditor(false));
    EXPECT_EQ(list->values().join(u' '), QStringLiteral("1 2 3"));
    QGuiApplication::clipboard()->setText(QStringLiteral("4,5"));
    list->table()->setFocus();
    press(Qt::Key_V, Qt::ControlModifier);
    EXPECT_EQ(list->values().join(u' '), QStringLiteral("1 2 3 4 5"));
}

TEST_F(ValueListTest, ACommaGoesOnInTheNextRow) {
    list->add();
    ASSERT_TRUE(waitForEditor(true));
    const QLineEdit* first = editor();
    type(QStringLiteral("8,"));
    ASSERT_TRUE(waitUntil([&] { return editor() != nullptr && editor() != first; }));
    type(QStringLiteral("9"));
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForEditor(false));
    EXPECT_EQ(list->values().join(u' '), QStringLiteral("8 9"));
}

TEST_F(ValueListTest, DuplicatesAreTold) {
    list->setValues({QStringLiteral("5"), QStringLiteral("05")});
    EXPECT_TRUE(list->message().contains(QStringLiteral("twice")));
    EXPECT_TRUE(list->isValid());
}

TEST_F(ValueListTest, WhatIsWrongIsMendedByOneClick) {
    list->setValues({QStringLiteral("1"), QStringLiteral("3.0")});
    QPushButton* fix = list->findChild<QPushButton*>();
    ASSERT_TRUE(fix->isVisible());
    EXPECT_EQ(fix->text(), QStringLiteral("Use 3"));
    fix->click();
    EXPECT_EQ(list->values().join(u' '), QStringLiteral("1 3"));
    EXPECT_FALSE(fix->isVisible());
}

TEST_F(ValueListTest, IsWorkedByKeys) {
    list->setValues({QStringLiteral("1"), QStringLiteral("2")});
    list->table()->setFocus();
    list->table()->setCurrentCell(0, 0);
    press(Qt::Key_Delete);
    EXPECT_EQ(list->values(), QStringList{QStringLiteral("2")});
    press(Qt::Key_Insert);
    ASSERT_TRUE(waitForEditor(true));
    press(Qt::Key_Escape);
    ASSERT_TRUE(waitForEditor(false));
    ASSERT_TRUE(waitUntil([this] { return list->table()->rowCount() == 1; }))
        << "an empty row goes";
    list->table()->setCurrentCell(0, 0);
    press(Qt::Key_Return);
    ASSERT_TRUE(waitForEditor(true));
    press(Qt::Key_Escape);
    ASSERT_TRUE(waitForEditor(false));
    EXPECT_EQ(list->values(), QStringList{QStringLiteral("2")});
    EXPECT_EQ(test::controlsWithoutName(*list), QStringList());
}

TEST_F(ValueListTest, WhatIsSetDuringAnEditWaitsForItsEnd) {
    list->setValues({QStringLiteral("1")});
    list->table()->setCurrentCell(0, 0);
    list->table()->setFocus();
    press(Qt::Key_F2);
    ASSERT_TRUE(waitForEditor(true));
    type(QStringLiteral("2"));
    list->setValues({QStringLiteral("6"), QStringLiteral("7")});
    EXPECT_EQ(list->values().size(), 1);
    press(Qt::Key_Escape);
    ASSERT_TRUE(waitUntil([this] { return list->values().size() == 2; }));
}

} // namespace
} // namespace vitrine::ui
