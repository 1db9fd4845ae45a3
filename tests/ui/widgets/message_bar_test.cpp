// SPDX-License-Identifier: Apache-2.0
#include "ui/widgets/message_bar.h"

#include "ui/theme/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

TEST(MessageBar, StaysUntilItIsDismissed) {
    applyTheme(SchemeChoice::Light);
    QWidget page;
    MessageBar bar(&page);
    EXPECT_FALSE(bar.isShown());
    bar.showError({Error::Kind::Network, QStringLiteral("It broke. Try again."), {}});
    EXPECT_TRUE(bar.isShown());
    EXPECT_EQ(bar.kind(), MessageBar::Kind::Error);
    int dismissed = 0;
    QObject::connect(&bar, &MessageBar::dismissed, &bar, [&dismissed] { ++dismissed; });
    bar.findChild<QToolButton*>()->click();
    EXPECT_FALSE(bar.isShown());
    EXPECT_EQ(dismissed, 1);
}

TEST(MessageBar, CancellingIsNotShown) {
    QWidget page;
    MessageBar bar(&page);
    bar.showError(Error::cancelled());
    EXPECT_FALSE(bar.isShown());
}

TEST(MessageBar, TextFromOutsideIsNeverMarkup) {
    QWidget page;
    MessageBar bar(&page);
    bar.showMessage(MessageBar::Kind::Warning, QStringLiteral("<b>x</b>"), QStringLiteral("<img>"));
    for (const QLabel* label : bar.findChildren<QLabel*>())
        EXPECT_EQ(label->textFormat(), Qt::PlainText);
    EXPECT_EQ(bar.text(), QStringLiteral("<b>x</b> <img>"));
}

TEST(MessageBar, ButtonsDoWhatTheySayAndGoWithTheMessage) {
    QWidget page;
    MessageBar bar(&page);
    bar.showMessage(MessageBar::Kind::Info, {}, QStringLiteral("Done."));
    int pressed = 0;
    QPushButton* button = bar.addAction(QStringLiteral("Undo"), [&] {
        ++pressed;
        bar.showMessage(MessageBar::Kind::Info, {}, QStringLiteral("Undone."));
    });
    button->click();
    EXPECT_EQ(pressed, 1);
    EXPECT_EQ(bar.text(), QStringLiteral("Undone."));
    EXPECT_TRUE(button->isHidden());
}

TEST(MessageBar, AFieldHasANameAndGoesWithTheMessage) {
    QWidget page;
    MessageBar bar(&page);
    bar.showMessage(MessageBar::Kind::Info, {}, QStringLiteral("Who?"));
    QLineEdit* field = bar.addField(QStringLiteral("User:"), QStringLiteral("admin"));
    QPushButton* button = bar.addAction(QStringLiteral("Log In"), {});
    EXPECT_EQ(field->text(), QStringLiteral("admin"));
    EXPECT_EQ(field->accessibleName(), QStringLiteral("User:"));
    EXPECT_EQ(field->nextInFocusChain(), button);
    bar.showMessage(MessageBar::Kind::Info, {}, QStringLiteral("Done."));
    EXPECT_TRUE(field->isHidden());
}

TEST(MessageBar, AssistiveTechnologyReadsTheWhole) {
    QWidget page;
    MessageBar bar(&page);
    bar.showMessage(MessageBar::Kind::Error, QStringLiteral("A."), QStringLiteral("B."));
    EXPECT_EQ(bar.accessibleName(), QStringLiteral("A. B."));
}
