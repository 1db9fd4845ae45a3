// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/name_dialog.h"

#include "ui/theme/theme.h"

#include <QLineEdit>
#include <QPushButton>

#include <gtest/gtest.h>

using namespace vitrine::ui;

namespace {

bool isTaken(const QString& name) {
    return name == QStringLiteral("taken") || name == QStringLiteral("taken-2");
}

} // namespace

TEST(NameDialog, RefusesNamesThatAreTakenOrNotValid) {
    applyTheme(SchemeChoice::Light);
    QWidget window;
    auto* dialog =
        new NameDialog({QStringLiteral("Clone"), QStringLiteral("Text"), QStringLiteral("Clone")},
                       QStringLiteral("free"),
                       isTaken,
                       &window);
    EXPECT_TRUE(dialog->acceptButton()->isEnabled());
    for (const char* wrong : {"taken", "", "a/b", "-x", ".", "host.example/name:tag"}) {
        dialog->field()->setText(QString::fromLatin1(wrong));
        EXPECT_FALSE(dialog->acceptButton()->isEnabled()) << wrong;
        EXPECT_FALSE(dialog->problem().isEmpty()) << wrong;
    }
    QString chosen;
    QObject::connect(
        dialog, &NameDialog::chosen, dialog, [&chosen](const QString& name) { chosen = name; });
    dialog->field()->setText(QStringLiteral("  good  "));
    dialog->acceptButton()->click();
    EXPECT_EQ(chosen, QStringLiteral("good"));
}

TEST(FreeName, CountsUp) {
    EXPECT_EQ(freeName(QStringLiteral("new"), isTaken), QStringLiteral("new"));
    EXPECT_EQ(freeName(QStringLiteral("taken"), isTaken), QStringLiteral("taken-3"));
    EXPECT_EQ(freeName(QStringLiteral("taken-2"), isTaken), QStringLiteral("taken-3"));
}
