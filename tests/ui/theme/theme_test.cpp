// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

// WCAG 2.1: relative luminance and contrast ratio.
double luminance(const QColor& color) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a) + 0.05;
    const double second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

class EachScheme : public testing::TestWithParam<Scheme> {
protected:
    const Theme& theme = Theme::forScheme(GetParam());
    [[nodiscard]] double lowest(const QColor& color) const {
        return std::min({contrast(color, theme.window),
                         contrast(color, theme.surface),
                         contrast(color, theme.alternate)});
    }
};

QImage drawn(Glyph glyph) {
    QImage image(24, 24, QImage::Format_ARGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    paintGlyph(painter, QRectF(0, 0, 24, 24), glyph, Qt::black); // shape alone, without colour
    return image;
}

} // namespace

TEST_P(EachScheme, TextHasAContrastOfFourAndAHalf) {
    for (const QColor& color :
         {theme.text, theme.secondary, theme.accent, theme.error, theme.warning})
        EXPECT_GE(lowest(color), 4.5) << color.name().toStdString();
    EXPECT_GE(contrast(theme.onAccent, theme.accent), 4.5);
    EXPECT_GE(contrast(theme.onSelection, theme.selection), 4.5);
    for (const QColor& color :
         {theme.hintBackground, theme.errorBackground, theme.warningBackground})
        EXPECT_GE(contrast(theme.text, color), 4.5);
}

TEST_P(EachScheme, GlyphsOutlinesAndGreyedTextHaveAContrastOfThree) {
    for (const QColor& color : {theme.running,
                                theme.paused,
                                theme.suspended,
                                theme.stopped,
                                theme.border,
                                theme.disabled})
        EXPECT_GE(lowest(color), 3.0) << color.name().toStdString();
    for (const QColor& color :
         {theme.running, theme.paused, theme.suspended, theme.stopped, theme.error})
        EXPECT_GE(contrast(color, theme.selection), 3.0);
}

TEST_P(EachScheme, ThePaletteIsMadeOfItsColours) {
    const QPalette palette = theme.palette();
    EXPECT_EQ(palette.color(QPalette::Window), theme.window);
    EXPECT_EQ(palette.color(QPalette::Base), theme.surface);
    EXPECT_EQ(palette.color(QPalette::Highlight), theme.selection);
    EXPECT_EQ(palette.color(QPalette::HighlightedText), theme.onSelection);
    EXPECT_EQ(palette.color(QPalette::Disabled, QPalette::Text), theme.disabled);
    EXPECT_EQ(palette.color(QPalette::Disabled, QPalette::Base), theme.window);
    EXPECT_EQ(palette.color(QPalette::Inactive, QPalette::Highlight), theme.selection);
}

INSTANTIATE_TEST_SUITE_P(LightAndDark, EachScheme, testing::Values(Scheme::Light, Scheme::Dark));

TEST(Theme, FollowsTheChoice) {
    applyTheme(SchemeChoice::Dark);
    EXPECT_EQ(Theme::current().scheme, Scheme::Dark);
    EXPECT_EQ(QApplication::palette().color(QPalette::Window),
              Theme::forScheme(Scheme::Dark).window);
    applyTheme(SchemeChoice::Light);
    EXPECT_EQ(Theme::current().scheme, Scheme::Light);
}

TEST(Theme, TakesThreeWordsForTheChoice) {
    EXPECT_EQ(schemeChoiceFromText(u"light"), SchemeChoice::Light);
    EXPECT_EQ(schemeChoiceFromText(u"dark"), SchemeChoice::Dark);
    EXPECT_EQ(schemeChoiceFromText(u"auto"), SchemeChoice::Automatic);
    EXPECT_FALSE(schemeChoiceFromText(u"Dark").has_value());
    EXPECT_FALSE(schemeChoiceFromText(u"").has_value());
}

TEST(Icons, EveryOneIsDrawnAndChangesWithTheScheme) {
    const QStringList files = QDir(QStringLiteral(":/vitrine/icons")).entryList();
    EXPECT_GE(files.size(), 55);
    for (const QString& file : files) {
        const QString name = file.chopped(4);
        applyTheme(SchemeChoice::Light);
        const QImage light = themeIcon(name).pixmap(24, 24).toImage();
        applyTheme(SchemeChoice::Dark);
        const QImage dark = themeIcon(name).pixmap(24, 24).toImage();
        QImage empty(light.size(), light.format());
        empty.fill(Qt::transparent);
        EXPECT_NE(light, empty) << name.toStdString();
        EXPECT_NE(light, dark) << name.toStdString();
    }
    applyTheme(SchemeChoice::Light);
}

TEST(Icons, DisabledOnesAreGreyed) {
    const QIcon icon = themeIcon(u"start");
    EXPECT_NE(icon.pixmap(QSize(24, 24), QIcon::Normal).toImage(),
              icon.pixmap(QSize(24, 24), QIcon::Disabled).toImage());
}

TEST(Glyphs, AreToldApartByTheirShapeAlone) {
    QList<QImage> shapes;
    for (const Glyph glyph : {Glyph::Running,
                              Glyph::Paused,
                              Glyph::Suspended,
                              Glyph::Stopped,
                              Glyph::Elsewhere,
                              Glyph::Broken,
                              Glyph::Warning,
                              Glyph::Done,
                              Glyph::Blocked,
                              Glyph::Waiting,
                              Glyph::Fetching,
                              Glyph::Info}) {
        const QImage shape = drawn(glyph);
        EXPECT_FALSE(shapes.contains(shape));
        shapes.append(shape);
    }
}

TEST(Glyphs, EveryStateHasOne) {
    EXPECT_EQ(glyphOf(MachineState::Running), Glyph::Running);
    EXPECT_EQ(glyphOf(MachineState::Starting), Glyph::Waiting);
    EXPECT_EQ(glyphOf(MachineState::ShuttingDown), Glyph::Waiting);
    EXPECT_EQ(glyphOf(MachineState::RunningElsewhere), Glyph::Elsewhere);
    EXPECT_EQ(glyphOf(MachineState::Broken), Glyph::Broken);
}
