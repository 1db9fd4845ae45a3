// SPDX-License-Identifier: Apache-2.0
#include "ui/terminal/terminal_view.h"

#include "core/terminal/terminal_surface.h"
#include "tests/support/gui_support.h"
#include "ui/terminal/terminal_colours.h"

#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>

#include <gtest/gtest.h>

namespace vitrine::ui {

namespace {

struct TerminalViewTest : testing::Test {
    TerminalViewTest() {
        view.resize(700, 420);
        view.setSurface(&surface);
        view.show();
        view.setFocus();
        QObject::connect(&surface,
                         &TerminalSurface::output,
                         &surface,
                         [this](const QByteArray& bytes) { typed += bytes; });
    }
    void
    press(int key, Qt::KeyboardModifiers held = {}, const QString& text = {}, quint32 scan = 0) {
        QKeyEvent down(QEvent::KeyPress, key, held, scan, 0, 0, text);
        QApplication::sendEvent(&view, &down);
    }
    void release(int key, quint32 scan = 0) {
        QKeyEvent up(QEvent::KeyRelease, key, {}, scan, 0, 0);
        QApplication::sendEvent(&view, &up);
    }
    void mouse(QEvent::Type type, QPoint at, Qt::MouseButtons held = Qt::LeftButton) {
        QMouseEvent event(type,
                          at,
                          view.viewport()->mapToGlobal(at),
                          type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
                          held,
                          {});
        QApplication::sendEvent(view.viewport(), &event);
    }
    // Middle of a cell of what is shown.
    [[nodiscard]] QPoint cell(int row, int column) const {
        const TerminalSize size = view.gridSize();
        const QSize space = view.viewport()->size() - QSize(12, 12);
        return {6 + column * (space.width() / size.columns) + 3,
                6 + row * (space.height() / size.rows) + 6};
    }

    TerminalSurface surface;
    TerminalView view;
    QByteArray typed;
};

} // namespace

TEST_F(TerminalViewTest, TheSurfaceTakesTheSizeOfTheView) {
    EXPECT_EQ(surface.size(), view.gridSize());
    const TerminalSize before = surface.size();
    view.resize(900, 600);
    EXPECT_EQ(surface.size(), view.gridSize());
    EXPECT_GT(surface.size().columns, before.columns);
    EXPECT_GT(surface.size().rows, before.rows);
}

TEST_F(TerminalViewTest, AllKeysGoToTheGuest) {
    press(Qt::Key_A, {}, QStringLiteral("a"));
    press(Qt::Key_C, Qt::ControlModifier, QString(QChar(3)));
    press(Qt::Key_Tab, {}, QStringLiteral("\t"));
    press(Qt::Key_Return, {}, QStringLiteral("\r"));
    press(Qt::Key_F11);
    EXPECT_EQ(typed, "a\x03\t\r\x1b[23~");
    QKeyEvent shortcut(QEvent::ShortcutOverride, Qt::Key_Q, Qt::ControlModifier);
    shortcut.ignore();
    QApplication::sendEvent(&view, &shortcut);
    EXPECT_TRUE(shortcut.isAccepted()) << "the window's own shortcuts wait";
}

TEST_F(TerminalViewTest, RightControlAloneGivesTheKeyboardBack) {
    int given = 0;
    QObject::connect(&view, &TerminalView::keyboardGivenBack, &view, [&] { ++given; });
    press(Qt::Key_Control, Qt::ControlModifier, {}, 105);
    press(Qt::Key_C, Qt::ControlModifier, QString(QChar(3)));
    release(Qt::Key_C);
    release(Qt::Key_Control, 105);
    EXPECT_EQ(given, 0) << "it was part of a combination";
    press(Qt::Key_Control, Qt::ControlModifier, {}, 37);
    release(Qt::Key_Control, 37);
    EXPECT_EQ(given, 0) << "the left one is the guest's";
    press(Qt::Key_Control, Qt::ControlModifier, {}, 105);
    release(Qt::Key_Control, 105);
    EXPECT_EQ(given, 1);
}

TEST_F(TerminalViewTest, MarksCopiesAndPastes) {
    surface.feed("hello world /usr/share\r\nsecond line");
    mouse(QEvent::MouseButtonPress, cell(0, 6));
    mouse(QEvent::MouseMove, cell(0, 10));
    mouse(QEvent::MouseButtonRelease, cell(0, 10), {});
    EXPECT_EQ(view.selectedText(), QStringLiteral("world"));
    press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(QApplication::clipboard()->text(), QStringLiteral("world"));
    EXPECT_TRUE(typed.isEmpty());
    press(Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(typed, "world");
    mouse(QEvent::MouseButtonDblClick, cell(0, 14));
    EXPECT_EQ(view.selectedText(), QStringLiteral("/usr/share"));
    mouse(QEvent::MouseButtonRelease, cell(0, 14), {});
    mouse(QEvent::MouseButtonPress, cell(0, 14));
    EXPECT_EQ(view.selectedText(), QStringLiteral("hello world /usr/share")) << "a third click";
    mouse(QEvent::MouseButtonRelease, cell(0, 14), {});
    press(Qt::Key_A, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(
        view.selectedText().startsWith(QStringLiteral("hello world /usr/share\nsecond line")));
    mouse(QEvent::MouseButtonPress, cell(3, 1));
    mouse(QEvent::MouseButtonRelease, cell(3, 1), {});
}

TEST_F(TerminalViewTest, WhoReadsFurtherUpStaysThereAndTypingGoesBack) {
    for (int i = 0; i < 300; ++i) {
        surface.feed(QByteArray("line " + QByteArray::number(i) + "\r\n"));
    }
    QScrollBar* bar = view.verticalScrollBar();
    EXPECT_EQ(bar->value(), bar->maximum());
    press(Qt::Key_PageUp, Qt::ShiftModifier);
    const int place = bar->value();
    EXPECT_LT(place, bar->maximum());
    surface.feed("more\r\nand more\r\n");
    EXPECT_EQ(bar->value(), place);
    press(Qt::Key_X, {}, QStringLiteral("x"));
    EXPECT_EQ(bar->value(), bar->maximum());
}

TEST_F(TerminalViewTest, AMarkKeepsItsTextWhenLinesFallOff) {
    for (int i = 0; i < TerminalSurface::maximumScrollback + 10; ++i) {
        surface.feed(QByteArray("line " + QByteArray::number(i) + "\r\n"));
    }
    mouse(QEvent::MouseButtonDblClick, cell(2, 6));
    mouse(QEvent::MouseButtonRelease, cell(2, 6), {});
    const QString marked = view.selectedText();
    ASSERT_FALSE(marked.isEmpty());
    surface.feed("more\r\nand more\r\n");
    EXPECT_EQ(view.selectedText(), marked);
}

TEST_F(TerminalViewTest, TellsTheShellItsSizeOnlyWhenAsked) {
    EXPECT_TRUE(typed.isEmpty());
    const std::unique_ptr<QMenu> menu(view.makeMenu());
    for (QAction* action : menu->actions()) {
        if (action->text().contains(QStringLiteral("Size"))) {
            action->trigger();
        }
    }
    EXPECT_EQ(typed,
              QStringLiteral("stty rows %1 cols %2\r")
                  .arg(surface.size().rows)
                  .arg(surface.size().columns)
                  .toUtf8());
}

TEST_F(TerminalViewTest, DrawsTextInItsColours) {
    surface.feed(
        "\x1b[41m      \x1b[0m plain\r\n\x1b[1;32muser@guest\x1b[0m:\x1b[34m~\x1b[0m$ ls "
        "--color\r\n"
        "\x1b[4munder\x1b[0m \x1b[7mreverse\x1b[0m \x1b[9mstrike\x1b[0m \x1b[3mitalic\x1b[0m "
        "\xe4\xb8\xad\xe6\x96\x87 box: \xe2\x94\x8c\xe2\x94\x80\xe2\x94\x90\r\n");
    for (int colour = 0; colour < 16; ++colour) {
        surface.feed(QByteArray("\x1b[38;5;" + QByteArray::number(colour) + "mcolour\x1b[0m "));
    }
    const QImage image = view.grab().toImage();
    EXPECT_EQ(image.pixel(cell(0, 2)), terminalPaletteColour(1));
    EXPECT_EQ(image.pixel(QPoint(cell(10, 5))), terminal::background);
    test::savePicture(view, QStringLiteral("terminal-view"));
}

TEST(TerminalColours, FollowXtermAndCanBeRead) {
    EXPECT_EQ(terminalPaletteColour(16), qRgb(0, 0, 0));
    EXPECT_EQ(terminalPaletteColour(196), qRgb(255, 0, 0));
    EXPECT_EQ(terminalPaletteColour(231), qRgb(255, 255, 255));
    EXPECT_EQ(terminalPaletteColour(232), qRgb(8, 8, 8));
    EXPECT_EQ(terminalPaletteColour(255), qRgb(238, 238, 238));
    EXPECT_EQ(terminalPaletteColour(999), terminal::foreground);
    const auto luminance = [](QRgb colour) {
        const auto part = [](int value) {
            const double v = value / 255.0;
            return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
        };
        return 0.2126 * part(qRed(colour)) + 0.7152 * part(qGreen(colour)) +
               0.0722 * part(qBlue(colour));
    };
    for (int colour = 1; colour < 16; ++colour) {
        const double contrast = (luminance(terminalPaletteColour(colour)) + 0.05) /
                                (luminance(terminal::background) + 0.05);
        EXPECT_GE(contrast, 4.5) << colour;
    }
}

} // namespace vitrine::ui
