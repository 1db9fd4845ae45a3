// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"

#include <QColor>
#include <QFont>
#include <QIcon>
#include <QPalette>
#include <QPixmap>
#include <QStringView>

#include <array>
#include <optional>

class QPainter;
class QRectF;

namespace vitrine::ui {

enum class Scheme { Light, Dark };
enum class SchemeChoice { Automatic, Light, Dark };

// Distances of the window in device-independent pixels.
namespace spacing {
inline constexpr int grid = 8;
inline constexpr int tight = 4; // inside a group of controls
inline constexpr int pageHorizontal = 24;
inline constexpr int pageVertical = 16;
inline constexpr int block = 16;
inline constexpr int column = 32;
inline constexpr int menuBarHeight = 28;
inline constexpr int toolBarHeight = 44;
inline constexpr int sideListWidth = 264;
inline constexpr int sideListMinimum = 208;
inline constexpr int headerHeight = 52;
inline constexpr int tabHeight = 36;
inline constexpr int stripHeight = 36;
inline constexpr int buttonBarHeight = 56;
inline constexpr int machineRow = 64;
inline constexpr int imageRow = 28;
inline constexpr int tableRow = 32;
inline constexpr int denseRow = 26;
inline constexpr int transferRow = 52;
inline constexpr int paneRow = 32;
inline constexpr int control = 32;
inline constexpr int smallControl = 28;
inline constexpr int minimumButtonWidth = 80;
inline constexpr int radius = 4;
inline constexpr int progressTrack = 6;
} // namespace spacing

// Shapes that tell a state together with its word; see paintGlyph().
enum class Glyph {
    Running,   // filled disc, triangle cut out
    Paused,    // two bars
    Suspended, // crescent
    Stopped,   // hollow square
    Elsewhere, // hollow disc, triangle
    Broken,    // filled octagon, exclamation mark
    Warning,   // filled triangle, exclamation mark
    Done,      // tick
    Blocked,   // circle with a bar
    Waiting,   // clock
    Fetching,  // arrow into a tray
    Info       // hollow disc with an i, in the accent
};

// Every colour and font of the window, one value for each scheme. Delegates and charts read
// Theme::current(); it changes with the system's scheme, told by QEvent::ApplicationPaletteChange.
// Window thread only.
class Theme final {
public:
    [[nodiscard]] static const Theme& current();
    [[nodiscard]] static const Theme& forScheme(Scheme scheme);

    Scheme scheme = Scheme::Light;

    QColor window;    // tool bar, side list, status strip
    QColor surface;   // pages, dialogues, fields
    QColor alternate; // alternate rows, empty thumbnails
    QColor text;
    QColor secondary;   // labels of facts, help, captions, reasons
    QColor disabled;    // greyed controls
    QColor accent;      // primary button, links, focus ring, progress
    QColor onAccent;    // text on the accent
    QColor selection;   // selected row, pressed segment
    QColor onSelection; // all text on a selection
    QColor separator;   // hairlines, empty track of a bar
    QColor border;      // outline of fields and buttons
    QColor running;     // running, done, allowed
    QColor paused;
    QColor suspended;
    QColor stopped; // stopped, waiting
    QColor error;   // broken, failed, blocked
    QColor warning;
    QColor hintBackground;
    QColor errorBackground;
    QColor warningBackground;
    std::array<QColor, 8> series; // of charts, in their order

    [[nodiscard]] QColor color(Glyph glyph) const;
    [[nodiscard]] QPalette palette() const;

    // Fonts follow the system's font and size.
    [[nodiscard]] static QFont body();
    [[nodiscard]] static QFont bodyStrong();
    [[nodiscard]] static QFont small();
    [[nodiscard]] static QFont smallStrong();
    [[nodiscard]] static QFont heading();   // semi-bold, one point larger
    [[nodiscard]] static QFont pageTitle(); // semi-bold, five points larger
    [[nodiscard]] static QFont fixed();     // fixed width

private:
    friend class ThemeController;
    static void setCurrent(Scheme scheme);
};

// Installs style, palette, fonts and application icon on the QApplication. With
// SchemeChoice::Automatic the system's scheme is followed while the program runs. Call once, before
// the first widget; calling again changes the scheme.
void applyTheme(SchemeChoice choice = SchemeChoice::Automatic);
// What was asked for last.
[[nodiscard]] SchemeChoice schemeChoice();
// "light", "dark" or "auto"; nullopt for anything else.
[[nodiscard]] std::optional<SchemeChoice> schemeChoiceFromText(QStringView text);
[[nodiscard]] QString toText(SchemeChoice choice);
// Where the user's settings keep it, as that text.
inline constexpr const char* schemeChoiceKey = "window/theme";

// An icon of resources/icons by its name, e.g. u"shut-down". Painted lazily in palette colours
// (text, disabled, text on a selection) and sharp on every screen. Follows a change of scheme.
[[nodiscard]] QIcon themeIcon(QStringView name);
// The same in one given colour, e.g. the accent.
[[nodiscard]] QPixmap themePixmap(QStringView name, int size, const QColor& color);
void paintThemeIcon(QPainter& painter, const QRectF& rect, QStringView name, const QColor& color);

[[nodiscard]] Glyph glyphOf(MachineState state);
void paintGlyph(QPainter& painter, const QRectF& rect, Glyph glyph);
void paintGlyph(QPainter& painter, const QRectF& rect, Glyph glyph, const QColor& color);
// 12 px in rows, 14 in headers. The word always stands beside it.
[[nodiscard]] QPixmap glyphPixmap(Glyph glyph, int size = 12);
[[nodiscard]] QPixmap stateGlyph(MachineState state, int size = 12);

} // namespace vitrine::ui
