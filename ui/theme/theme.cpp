// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFontDatabase>

namespace vitrine::ui {

namespace {

const Theme* g_current = nullptr;

QColor rgb(QRgb value) {
    return QColor::fromRgb(value);
}

Theme makeLight() {
    Theme t;
    t.scheme = Scheme::Light;
    t.window = rgb(0xF1F2F4);
    t.surface = rgb(0xFFFFFF);
    t.alternate = rgb(0xF7F8FA);
    t.text = rgb(0x1A1D21);
    t.secondary = rgb(0x565D66);
    t.disabled = rgb(0x6B727B);
    t.accent = rgb(0x1B5FBF);
    t.onAccent = rgb(0xFFFFFF);
    t.selection = rgb(0xD3E3FA);
    t.onSelection = rgb(0x10233F);
    t.separator = rgb(0xD5D8DD);
    t.border = rgb(0x7F868F);
    t.running = rgb(0x187A38);
    t.paused = rgb(0x8A5A00);
    t.suspended = rgb(0x6A45B8);
    t.stopped = rgb(0x5F6670);
    t.error = rgb(0xB3261E);
    t.warning = rgb(0x8F5200);
    t.hintBackground = rgb(0xE8F0FC);
    t.errorBackground = rgb(0xFCEBEA);
    t.warningBackground = rgb(0xFCF1DF);
    t.series = {rgb(0x1E61DE),
                rgb(0x783B1F),
                rgb(0x118052),
                rgb(0xB834AA),
                rgb(0x8B7113),
                rgb(0x14506E),
                rgb(0x69737F),
                rgb(0xD72B50)};
    return t;
}

Theme makeDark() {
    Theme t;
    t.scheme = Scheme::Dark;
    t.window = rgb(0x24272B);
    t.surface = rgb(0x1B1D20);
    t.alternate = rgb(0x202326);
    t.text = rgb(0xE8EAED);
    t.secondary = rgb(0xA9B0B9);
    t.disabled = rgb(0x8A9099);
    t.accent = rgb(0x7FB2FF);
    t.onAccent = rgb(0x0B1B33);
    t.selection = rgb(0x25426E);
    t.onSelection = rgb(0xFFFFFF);
    t.separator = rgb(0x3A3E44);
    t.border = rgb(0x7A818A);
    t.running = rgb(0x57C878);
    t.paused = rgb(0xE0AE45);
    t.suspended = rgb(0xB79CF5);
    t.stopped = rgb(0xA0A7B0);
    t.error = rgb(0xFF8A80);
    t.warning = rgb(0xF0B252);
    t.hintBackground = rgb(0x1F2F47);
    t.errorBackground = rgb(0x3B2221);
    t.warningBackground = rgb(0x392C17);
    t.series = {rgb(0x9BCCF0),
                rgb(0xE6976A),
                rgb(0x57E2B0),
                rgb(0xD368EB),
                rgb(0xD1AF2F),
                rgb(0x569FC0),
                rgb(0xA6AAB2),
                rgb(0xE26A76)};
    return t;
}

QFont relative(double points, QFont::Weight weight) {
    QFont font = QApplication::font();
    font.setPointSizeF(font.pointSizeF() + points);
    font.setWeight(weight);
    return font;
}

} // namespace

const Theme& Theme::forScheme(Scheme scheme) {
    static const Theme light = makeLight();
    static const Theme dark = makeDark();
    return scheme == Scheme::Dark ? dark : light;
}

const Theme& Theme::current() {
    return g_current != nullptr ? *g_current : forScheme(Scheme::Light);
}

void Theme::setCurrent(Scheme scheme) {
    g_current = &forScheme(scheme);
}

QColor Theme::color(Glyph glyph) const {
    switch (glyph) {
    case Glyph::Running:
    case Glyph::Done:
        return running;
    case Glyph::Paused:
        return paused;
    case Glyph::Suspended:
        return suspended;
    case Glyph::Stopped:
    case Glyph::Waiting:
        return stopped;
    case Glyph::Elsewhere:
    case Glyph::Fetching:
    case Glyph::Info:
        return accent;
    case Glyph::Broken:
    case Glyph::Blocked:
        return error;
    case Glyph::Warning:
        return warning;
    }
    return text;
}

QPalette Theme::palette() const {
    QPalette p;
    for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        p.setColor(group, QPalette::Window, window);
        p.setColor(group, QPalette::Base, surface);
        p.setColor(group, QPalette::Button, surface);
        p.setColor(group, QPalette::AlternateBase, alternate);
        p.setColor(group, QPalette::WindowText, text);
        p.setColor(group, QPalette::Text, text);
        p.setColor(group, QPalette::ButtonText, text);
        p.setColor(group, QPalette::Highlight, selection);
        p.setColor(group, QPalette::HighlightedText, onSelection);
        p.setColor(group, QPalette::Link, accent);
        p.setColor(group, QPalette::LinkVisited, accent);
        p.setColor(group, QPalette::PlaceholderText, secondary);
        p.setColor(group, QPalette::Mid, separator);
        p.setColor(group, QPalette::Dark, border);
        p.setColor(group, QPalette::Light, surface);
        p.setColor(group, QPalette::Midlight, alternate);
        p.setColor(group, QPalette::Shadow, border);
        p.setColor(group, QPalette::ToolTipBase, window);
        p.setColor(group, QPalette::ToolTipText, text);
        p.setColor(group, QPalette::BrightText, error);
    }
    p.setColor(QPalette::Disabled, QPalette::Text, disabled);
    p.setColor(QPalette::Disabled, QPalette::WindowText, disabled);
    p.setColor(QPalette::Disabled, QPalette::ButtonText, disabled);
    p.setColor(QPalette::Disabled, QPalette::Base, window);
    p.setColor(QPalette::Disabled, QPalette::Button, window);
    return p;
}

QFont Theme::body() {
    return QApplication::font();
}
QFont Theme::bodyStrong() {
    return relative(0, QFont::DemiBold);
}
QFont Theme::small() {
    return relative(-1, QFont::Normal);
}
QFont Theme::smallStrong() {
    return relative(-1, QFont::DemiBold);
}
QFont Theme::heading() {
    return relative(1, QFont::DemiBold);
}
QFont Theme::pageTitle() {
    return relative(5, QFont::DemiBold);
}

QFont Theme::fixed() {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    font.setPointSizeF(QApplication::font().pointSizeF() - 0.5);
    return font;
}

std::optional<SchemeChoice> schemeChoiceFromText(QStringView text) {
    if (text == u"light")
        return SchemeChoice::Light;
    if (text == u"dark")
        return SchemeChoice::Dark;
    if (text == u"auto")
        return SchemeChoice::Automatic;
    return std::nullopt;
}

QString toText(SchemeChoice choice) {
    return choice == SchemeChoice::Light  ? QStringLiteral("light")
           : choice == SchemeChoice::Dark ? QStringLiteral("dark")
                                          : QStringLiteral("auto");
}

} // namespace vitrine::ui
