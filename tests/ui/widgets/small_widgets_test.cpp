// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/form.h"
#include "ui/widgets/reason_label.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QLineEdit>

#include <gtest/gtest.h>

using namespace vitrine::ui;

TEST(ElidedLabel, ShowsTheWholeInTheToolTipWhenItDoesNotFit) {
    applyTheme(SchemeChoice::Light);
    ElidedLabel label(QStringLiteral("a very long name <with> signs"));
    label.resize(400, 20);
    EXPECT_TRUE(label.toolTip().isEmpty());
    label.resize(40, 20);
    label.grab();
    EXPECT_EQ(label.toolTip(), QStringLiteral("a very long name &lt;with&gt; signs"));
    EXPECT_EQ(label.accessibleName(), label.text());
}

TEST(CopyButton, PutsTheTextOnTheClipboard) {
    CopyButton button(QStringLiteral("Copy the address"));
    button.setTextToCopy(QStringLiteral("127.0.0.1:2222"));
    button.click();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), QStringLiteral("127.0.0.1:2222"));
    EXPECT_EQ(button.accessibleName(), QStringLiteral("Copy the address"));
}

TEST(ReasonLabel, SaysWhyAControlIsGreyed) {
    QWidget page;
    QLineEdit field(&page);
    ReasonLabel label(&page);
    setAvailable(&field, &label, false, QStringLiteral("This CPU offers no KVM."));
    EXPECT_FALSE(field.isEnabled());
    EXPECT_EQ(label.reason(), QStringLiteral("This CPU offers no KVM."));
    EXPECT_EQ(field.accessibleDescription(), label.reason());
    EXPECT_FALSE(label.isHidden());
    setAvailable(&field, &label, true, QStringLiteral("unused"));
    EXPECT_TRUE(field.isEnabled());
    EXPECT_TRUE(label.isHidden());
}

TEST(Form, ALabelNamesItsControl) {
    Form form;
    auto* field = new QLineEdit;
    const Form::Row row = form.addRow(QStringLiteral("Memory"), field, QStringLiteral("Help."));
    EXPECT_EQ(field->accessibleName(), QStringLiteral("Memory"));
    EXPECT_EQ(row.label->buddy(), field);
    EXPECT_EQ(row.help->text(), QStringLiteral("Help."));
    EXPECT_TRUE(row.label->alignment().testFlag(Qt::AlignRight));
}

TEST(TextLabel, FollowsAChangeOfScheme) {
    applyTheme(SchemeChoice::Light);
    TextLabel label(QStringLiteral("x"), TextSize::Small, TextTone::Secondary);
    label.show();
    EXPECT_EQ(label.palette().color(QPalette::WindowText),
              Theme::forScheme(Scheme::Light).secondary);
    applyTheme(SchemeChoice::Dark);
    QCoreApplication::sendPostedEvents();
    EXPECT_EQ(label.palette().color(QPalette::WindowText),
              Theme::forScheme(Scheme::Dark).secondary);
    applyTheme(SchemeChoice::Light);
}

TEST(Buttons, OnlyThePrimaryOneIsDefault) {
    const std::unique_ptr<QPushButton> primary(primaryButton(QStringLiteral("Start")));
    const std::unique_ptr<QPushButton> normal(normalButton(QStringLiteral("Cancel")));
    EXPECT_TRUE(primary->isDefault());
    EXPECT_FALSE(normal->isDefault());
    EXPECT_FALSE(normal->autoDefault());
}
