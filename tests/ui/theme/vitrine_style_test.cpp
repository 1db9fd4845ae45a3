// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/vitrine_style.h"

#include "ui/theme/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>

#include <gtest/gtest.h>

using namespace vitrine::ui;

namespace {

class Style : public testing::Test {
protected:
    void SetUp() override { applyTheme(SchemeChoice::Light); }
    static bool shows(const QImage& image, const QColor& color) {
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (image.pixelColor(x, y) == color)
                    return true;
            }
        }
        return false;
    }
};

} // namespace

TEST_F(Style, ControlsAreThirtyTwoPixelsHigh) {
    EXPECT_GE(QPushButton(QStringLiteral("A")).sizeHint().height(), 32);
    EXPECT_GE(QPushButton(QStringLiteral("A")).sizeHint().width(), 80);
    EXPECT_GE(QLineEdit().sizeHint().height(), 32);
    EXPECT_GE(QComboBox().sizeHint().height(), 32);
    EXPECT_GE(QSpinBox().sizeHint().height(), 32);
    EXPECT_GE(QCheckBox(QStringLiteral("A")).sizeHint().height(), 24);
}

TEST_F(Style, SmallButtonsAreTwentyEight) {
    QPushButton button(QStringLiteral("A"));
    button.setProperty(property::small, true);
    EXPECT_LT(button.sizeHint().height(), 32);
    EXPECT_GE(button.sizeHint().height(), 28);
}

TEST_F(Style, TheDefaultButtonIsFilledWithTheAccent) {
    QPushButton plain(QStringLiteral("A"));
    QPushButton primary(QStringLiteral("A"));
    primary.setDefault(true);
    EXPECT_FALSE(shows(plain.grab().toImage(), Theme::current().accent));
    EXPECT_TRUE(shows(primary.grab().toImage(), Theme::current().accent));
}

TEST_F(Style, AnInvalidFieldHasTheErrorColour) {
    QLineEdit field;
    EXPECT_FALSE(shows(field.grab().toImage(), Theme::current().error));
    field.setProperty(property::invalid, true);
    EXPECT_TRUE(shows(field.grab().toImage(), Theme::current().error));
}

TEST_F(Style, AProgressBarFillsItsTrack) {
    QProgressBar bar;
    bar.setRange(0, 100);
    bar.setTextVisible(false);
    bar.resize(200, 6);
    bar.setValue(0);
    EXPECT_FALSE(shows(bar.grab().toImage(), Theme::current().accent));
    bar.setValue(50);
    const QImage half = bar.grab().toImage();
    EXPECT_EQ(half.pixelColor(50, 3), Theme::current().accent);
    EXPECT_EQ(half.pixelColor(150, 3), Theme::current().separator);
}

TEST_F(Style, TheSelectedTabIsUnderlined) {
    QTabBar tabs;
    tabs.setDrawBase(false);
    tabs.addTab(QStringLiteral("One"));
    tabs.addTab(QStringLiteral("Two"));
    tabs.resize(tabs.sizeHint());
    EXPECT_GE(tabs.height(), 36);
    EXPECT_TRUE(shows(tabs.grab(tabs.tabRect(0)).toImage(), Theme::current().accent));
    EXPECT_FALSE(shows(tabs.grab(tabs.tabRect(1)).toImage(), Theme::current().accent));
}

TEST_F(Style, AScrollBarsHandleStaysInsideItsRange) {
    QScrollBar bar(Qt::Vertical);
    bar.resize(12, 200);
    bar.setRange(0, 100000);
    bar.setPageStep(10);
    bar.setValue(100000);
    EXPECT_TRUE(shows(bar.grab(QRect(0, 160, 12, 40)).toImage(), Theme::current().border));
    bar.setValue(0);
    EXPECT_FALSE(shows(bar.grab(QRect(0, 160, 12, 40)).toImage(), Theme::current().border));
}
