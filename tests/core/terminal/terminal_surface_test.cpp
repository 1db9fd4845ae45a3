// SPDX-License-Identifier: Apache-2.0
#include "core/terminal/terminal_surface.h"

#include <QStringList>

#include <gtest/gtest.h>

#include <functional>

using namespace vitrine;

namespace {

QString rowText(const TerminalSurface& surface, int row) {
    const int index = surface.scrollbackLines() + row;
    return surface.text(index, 0, index, surface.size().columns);
}

QByteArray sent(TerminalSurface& surface, const std::function<void()>& act) {
    QByteArray bytes;
    const auto connection =
        QObject::connect(&surface, &TerminalSurface::output, &surface, [&](const QByteArray& more) {
            bytes += more;
        });
    act();
    QObject::disconnect(connection);
    return bytes;
}

// Everything that can be seen, to compare two surfaces.
QString picture(const TerminalSurface& surface) {
    QString all;
    for (int index = 0; index < surface.lineCount(); ++index) {
        for (const TerminalCell& cell : surface.line(index)) {
            all += cell.isBlank() ? QStringLiteral(" ") : cell.text();
            all += QStringLiteral("<%1,%2,%3,%4>")
                       .arg(cell.styles)
                       .arg(static_cast<int>(cell.foreground.kind) * 1000 + cell.foreground.red)
                       .arg(static_cast<int>(cell.background.kind) * 1000 + cell.background.red)
                       .arg(cell.width);
        }
        all += QLatin1Char('\n');
    }
    const TerminalCursor cursor = surface.cursor();
    return all + QStringLiteral("%1,%2").arg(cursor.row).arg(cursor.column);
}

} // namespace

TEST(TerminalSurface, ShowsTextColoursAndStyles) {
    TerminalSurface surface({4, 20});
    surface.feed("plain \x1b[1;31mred\x1b[0m \x1b[48;2;1;2;3mback\x1b[0m\r\n\xe4\xb8\xad\xc3\xa9");
    EXPECT_EQ(rowText(surface, 0), QStringLiteral("plain red back"));
    const TerminalLine line = surface.line(0);
    EXPECT_EQ(line.at(6).styles, TerminalCell::Bold);
    EXPECT_EQ(line.at(6).foreground.kind, TerminalColour::Kind::Palette);
    EXPECT_EQ(line.at(6).foreground.red, 1);
    EXPECT_EQ(line.at(10).background, (TerminalColour{TerminalColour::Kind::Rgb, 1, 2, 3}));
    EXPECT_EQ(line.at(0).foreground, TerminalColour());
    EXPECT_EQ(surface.line(1).at(0).width, 2);
    EXPECT_EQ(surface.line(1).at(1).width, 0);
    EXPECT_EQ(rowText(surface, 1), QString::fromUtf8("\xe4\xb8\xad\xc3\xa9"));
    EXPECT_EQ(surface.cursor().row, 1);
    EXPECT_EQ(surface.cursor().column, 3);
}

TEST(TerminalSurface, TheSameComesOfBytesCutAnywhere) {
    const QByteArray bytes =
        "one\r\n\x1b[1;32mtwo \xe2\x82\xac\x1b[0m\x1b[2;10Hthere\x1b[3;1H\xf0\x9f\x98\x80"
        "\x1b]0;title\x07\x1b[?25l\x1b[38;5;200mx\x1b[m\r\nfour\r\nfive\r\nsix\x1b[2A\x1b[K";
    TerminalSurface whole({4, 24});
    whole.feed(bytes);
    const QString expected = picture(whole);
    for (qsizetype cut = 0; cut <= bytes.size(); ++cut) {
        TerminalSurface surface({4, 24});
        surface.feed(QByteArrayView(bytes).first(cut));
        surface.feed(QByteArrayView(bytes).sliced(cut));
        ASSERT_EQ(picture(surface), expected) << "cut at " << cut;
    }
    TerminalSurface single({4, 24});
    for (const char byte : bytes) {
        single.feed(QByteArrayView(&byte, 1));
    }
    EXPECT_EQ(picture(single), expected);
}

TEST(TerminalSurface, KeepsWhatScrollsAwayUpToALimit) {
    TerminalSurface surface({4, 20});
    int pushed = 0;
    int dropped = 0;
    QObject::connect(&surface, &TerminalSurface::scrolled, &surface, [&](int lines, int gone) {
        pushed += lines;
        dropped += gone;
    });
    const int lines = TerminalSurface::maximumScrollback + 100;
    for (int i = 0; i < lines; ++i) {
        surface.feed(QByteArray("line " + QByteArray::number(i) + "\r\n"));
    }
    EXPECT_EQ(surface.scrollbackLines(), TerminalSurface::maximumScrollback);
    EXPECT_EQ(pushed, lines - 3);
    EXPECT_EQ(dropped, lines - 3 - TerminalSurface::maximumScrollback);
    EXPECT_EQ(surface.text(0, 0, 0, 20), QStringLiteral("line %1").arg(dropped));
    EXPECT_EQ(rowText(surface, 2), QStringLiteral("line %1").arg(lines - 1));
    surface.clear();
    EXPECT_EQ(surface.scrollbackLines(), 0);
    EXPECT_EQ(rowText(surface, 0), QString());
}

TEST(TerminalSurface, AFullScreenProgramLeavesTheScrollbackAlone) {
    TerminalSurface surface({4, 20});
    surface.feed("one\r\ntwo\r\n");
    surface.feed("\x1b[?1049h\x1b[2J");
    for (int i = 0; i < 50; ++i) {
        surface.feed("editor\r\n");
    }
    surface.feed("\x1b[?1049l");
    EXPECT_EQ(surface.scrollbackLines(), 0);
    EXPECT_EQ(rowText(surface, 0), QStringLiteral("one"));
}

TEST(TerminalSurface, GrowingBringsLinesBackAndNeverLosesThem) {
    TerminalSurface surface({4, 20});
    for (int i = 0; i < 10; ++i) {
        surface.feed(QByteArray("line " + QByteArray::number(i) + "\r\n"));
    }
    surface.resize({8, 30});
    EXPECT_EQ(surface.size(), (TerminalSize{8, 30}));
    const QString all = surface.text(0, 0, surface.lineCount() - 1, 30);
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(all.contains(QStringLiteral("line %1").arg(i))) << i;
    }
    surface.resize({3, 30});
    EXPECT_TRUE(surface.text(0, 0, surface.lineCount() - 1, 30).contains(QStringLiteral("line 0")));
    surface.resize({100000, -5});
    EXPECT_EQ(surface.size(),
              (TerminalSize{TerminalSurface::largest.rows, TerminalSurface::smallest.columns}));
}

TEST(TerminalSurface, KeysGiveTheBytesOfATerminal) {
    TerminalSurface surface;
    EXPECT_EQ(sent(surface, [&] { surface.pressKey(TerminalKey::Enter); }), "\r");
    EXPECT_EQ(sent(surface,
                   [&] {
                       surface.pressKey(TerminalKey::Enter, {true, false, true});
                   }),
              "\r");
    EXPECT_EQ(sent(surface, [&] { surface.pressKey(TerminalKey::Tab, {true}); }), "\x1b[Z");
    EXPECT_EQ(sent(surface, [&] { surface.pressKey(TerminalKey::Backspace); }), "\x7f");
    EXPECT_EQ(sent(surface, [&] { surface.pressKey(TerminalKey::Up); }), "\x1b[A");
    EXPECT_EQ(sent(surface,
                   [&] {
                       surface.pressKey(TerminalKey::Left, {false, false, true});
                   }),
              "\x1b[1;5D");
    EXPECT_EQ(sent(surface, [&] { surface.pressKey(TerminalKey::Function, {}, 5); }), "\x1b[15~");
    EXPECT_EQ(sent(surface, [&] { surface.pressKey(TerminalKey::PageUp); }), "\x1b[5~");
    surface.feed("\x1b[?1h"); // the guest wants application keys
    EXPECT_EQ(sent(surface, [&] { surface.pressKey(TerminalKey::Up); }), "\x1bOA");
    EXPECT_EQ(sent(surface, [&] { surface.type(QString(QChar(3))); }), "\x03");
    EXPECT_EQ(sent(surface, [&] { surface.type(QStringLiteral("é")); }), "\xc3\xa9");
    EXPECT_EQ(sent(surface, [&] { surface.type(QStringLiteral("x"), true); }), "\x1bx");
}

TEST(TerminalSurface, PastedTextPressesNoKeysAndCannotEndItsBrackets) {
    TerminalSurface surface;
    const QString nasty = QStringLiteral("a\x1b[201~rm\x03\r\nb\tc\x07");
    EXPECT_EQ(sent(surface, [&] { surface.paste(nasty); }), "a[201~rm\rb\tc");
    surface.feed("\x1b[?2004h");
    EXPECT_EQ(sent(surface, [&] { surface.paste(nasty); }), "\x1b[200~a[201~rm\rb\tc\x1b[201~");
}

TEST(TerminalSurface, AnswersToTheGuestArePrintableBoundedAndNeverToTheReplay) {
    TerminalSurface surface({24, 80});
    EXPECT_EQ(sent(surface, [&] { surface.feed("ab\x1b[6n"); }), "\x1b[1;3R");
    EXPECT_FALSE(sent(surface, [&] { surface.feed("\x1b[c"); }).isEmpty());
    EXPECT_EQ(
        sent(surface, [&] { surface.feed("\x1b[6n\x1b[c", TerminalSurface::Origin::Replay); }), "");
    // What a hostile program prints to have the shell run it.
    const QByteArray attacks =
        "\x1b]0;rm -rf /\r\x07\x1b[21t\x1b[20t\x1bP$qrm -rf /\r\n\x1b\\\x1b]52;c;?\x07"
        "\x1b]4;1;?\x07\x05\x1b]10;?\x1b\\\x1bP+q544e\x1b\\";
    const QByteArray answer = sent(surface, [&] { surface.feed(attacks); });
    EXPECT_FALSE(answer.contains("rm"));
    for (const char byte : answer) {
        EXPECT_TRUE(byte == '\x1b' || (byte >= 0x20 && byte < 0x7f));
    }
    const QByteArray flood = QByteArray("\x1b[6n").repeated(100000);
    EXPECT_LE(sent(surface, [&] { surface.feed(flood); }).size(), 512);
}

TEST(TerminalSurface, ACursorSavedInALargerTerminalIsNotRestoredBeyondASmallerOne) {
    TerminalSurface surface({50, 120});
    surface.feed("\x1b[50;120H\x1b"
                 "7");
    surface.resize({10, 20});
    surface.feed("\x1b"
                 "8\x1b#4text");
    EXPECT_LT(surface.cursor().row, 10);
    EXPECT_LT(surface.cursor().column, 20);
    EXPECT_TRUE(surface.text(0, 0, surface.lineCount() - 1, 20).contains(QStringLiteral("text")));
}

TEST(TerminalSurface, AnythingAGuestPrintsLeavesItSound) {
    quint32 seed = 12345;
    TerminalSurface surface({24, 80});
    QByteArray bytes;
    for (int i = 0; i < 400000; ++i) {
        seed = seed * 1664525U + 1013904223U;
        const quint32 pick = seed >> 24;
        static const QByteArray likely =
            "\x1b[]()0123456789;?:hlmHJKABCDrPqX\x07\x08\r\n\t\x9b\x90\xc3\xe2";
        bytes += pick < 160 ? likely.at(static_cast<int>(pick) % likely.size())
                            : static_cast<char>(seed >> 16);
        if (bytes.size() == 1000) {
            surface.feed(bytes);
            surface.resize(
                {static_cast<int>(2 + (seed >> 10) % 50), static_cast<int>(8 + (seed >> 5) % 150)});
            bytes.clear();
        }
    }
    for (int index = 0; index < surface.lineCount(); ++index) {
        for (const TerminalCell& cell : surface.line(index)) {
            for (const char32_t code : cell.characters) {
                EXPECT_TRUE(code == 0 ||
                            (code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0)));
            }
        }
    }
    EXPECT_LT(surface.cursor().row, surface.size().rows);
}

TEST(TerminalSurface, SequencesThatBreakTheLibraryAreHarmless) {
    static const QList<QByteArray> words{"\x1b[?1049h",
                                         "\x1b[?1049l",
                                         "\x1b[?1047h",
                                         "\x1b[?47l",
                                         "\x1b[?1048h",
                                         "\x1b[?1048l",
                                         "\x1b[?69h",
                                         "\x1b[5;20s",
                                         "\x1b[3;10r",
                                         "\x1b[20;40r",
                                         "\x1b#6",
                                         "\x1b#3",
                                         "\x1b[?6h",
                                         "\x1b[1;1H",
                                         "\x1b[9999S",
                                         "\x1b[9999T",
                                         "\x1b[9999L",
                                         "\x1b[9999M",
                                         "\x1b[9999P",
                                         "\x1b[9999@",
                                         "\x1b[9999X",
                                         "\x1bM",
                                         "\x1b[!p",
                                         "text text",
                                         "\r\n",
                                         "\xe4\xb8\xad",
                                         "\x1b[2J",
                                         "\x1b[J",
                                         "\x1b[1J",
                                         "\x1b[K",
                                         "\x1b[999C",
                                         "\x1b[999A",
                                         "\x1b[999b",
                                         "\x1b[9\n9b",
                                         "\x1b[3g",
                                         "\t",
                                         "\x1bH",
                                         "\x1b[?3h",
                                         "\x1b[999'}",
                                         "\x1b[999'~",
                                         "\x1b[4h",
                                         "\x1b[?5h",
                                         "\x1bP$qr",
                                         "\x1b[999Z",
                                         "\x1b[999I",
                                         "\x1b[2147483647;2147483647r",
                                         "\x1b[99999;99999H",
                                         QByteArray("\x1b", 1) + "7",
                                         QByteArray("\x1b", 1) + "8",
                                         QByteArray("\x1b", 1) + "D",
                                         QByteArray("\x1b", 1) + "c"};
    for (quint32 seed = 1; seed <= 8; ++seed) {
        TerminalSurface surface({24, 80});
        quint32 state = seed;
        const auto next = [&state](int limit) {
            state = state * 1664525U + 1013904223U;
            return static_cast<int>((state >> 8) % static_cast<quint32>(limit));
        };
        for (int round = 0; round < 300; ++round) {
            QByteArray bytes;
            for (int i = 0; i < 60; ++i) {
                bytes += words.at(next(static_cast<int>(words.size())));
            }
            surface.feed(bytes);
            surface.resize({2 + next(50), 8 + next(150)});
        }
        EXPECT_LT(surface.cursor().row, surface.size().rows);
    }
}

TEST(TerminalSurface, TextIsTakenFromPlaceToPlace) {
    TerminalSurface surface({4, 20});
    surface.feed("hello   \r\nworld");
    EXPECT_EQ(surface.text(0, 2, 1, 2), QStringLiteral("llo\nwor"));
    EXPECT_EQ(surface.text(0, 0, 0, 100), QStringLiteral("hello"));
    EXPECT_EQ(surface.text(-5, 0, 100, 3), QStringLiteral("hello\nworld\n\n"));
}
