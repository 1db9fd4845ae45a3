// SPDX-License-Identifier: Apache-2.0
// The console page with a real guest, booted once: its screen follows the window, its serial line
// is a terminal, its clipboard is shared, text is typed into it.
#include "qemu/rfb/rfb_display.h"
#include "running_guest.h"
#include "support/event_wait.h"
#include "ui/console/clipboard_bridge.h"
#include "ui/console/console_page.h"
#include "ui/console/console_status_line.h"
#include "ui/console/framebuffer_view.h"
#include "ui/console/serial_panel.h"
#include "ui/console/text_typer.h"
#include "ui/terminal/terminal_view.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QToolButton>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

std::unique_ptr<RunningGuest> guest;
std::unique_ptr<ConsolePage> page;

// With VITRINE_TEST_PICTURES=DIR, to be looked at.
void savePicture(QWidget& widget, const char* name) {
    const QString folder = qEnvironmentVariable("VITRINE_TEST_PICTURES");
    if (!folder.isEmpty()) {
        QApplication::processEvents();
        widget.grab().save(QStringLiteral("%1/%2.png").arg(folder, QLatin1String(name)));
    }
}

QString s(const char* text) {
    return QString::fromUtf8(text);
}

// Any file can be a disk whose size is a number of sectors.
QString makeProgramDisk(const QString& folder) {
    const QString path = folder + s("/program.img");
    EXPECT_TRUE(QFile::copy(s(VITRINE_CLIPBOARD_GUEST), path));
    QFile file(path);
    EXPECT_TRUE(file.resize((file.size() + 4095) / 4096 * 4096));
    return path;
}

class ConsoleGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        applyTheme(SchemeChoice::Light);
        RunningGuest::Setup setup;
        setup.byKernel = true;
        setup.change = [](RunOptions& options, const QString& folder) {
            ExtraDisk program;
            program.path = makeProgramDisk(folder);
            program.options.readOnly = true;
            options.disks = {program};
            // On a busy computer the emulated timer comes too late for the kernel's own check.
            options.kernel->commandLine += s(" no_timer_check");
        };
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        m_ready = guest->waitUntilReady();
        if (!m_ready) {
            return;
        }
        page = std::make_unique<ConsolePage>(ConsolePage::OpenDisplay(
            [](const QString& socket) { return qemu::makeRfbDisplay(socket); }));
        page->resize(1500, 1100);
        page->show();
        const auto info = guest->library().find(s("guest"));
        ASSERT_TRUE(info);
        page->showMachine(*info, &guest->client());
    }
    static void TearDownTestSuite() {
        page.reset();
        guest.reset();
    }
    void SetUp() override {
        ASSERT_TRUE(m_ready) << "the guest did not become ready";
        ASSERT_TRUE(
            waitUntil([] { return page->isScreenShown() || page->isSerialShown(); }, 30000));
    }
    [[nodiscard]] static QSize room() {
        const int border = 2 * FramebufferView::room;
        const QSize space = page->surface()->widget()->size() - QSize(border, border);
        return {space.width() & ~7, space.height()};
    }
    [[nodiscard]] static bool hasSize(QSize size) { return page->surface()->guestSize() == size; }
    [[nodiscard]] static bool follows() {
        return page->surface()->scaling() == ConsoleSurface::Scaling::Follow;
    }
    [[nodiscard]] static std::string facts() {
        const QSize size = page->surface()->guestSize();
        return QStringLiteral("the guest has %1 × %2, there is room for %3 × %4; %5")
            .arg(size.width())
            .arg(size.height())
            .arg(room().width())
            .arg(room().height())
            .arg(page->surface()->followReason())
            .toStdString();
    }
    [[nodiscard]] static QString serialText() {
        const TerminalSurface& surface = page->serialPanel()->surface();
        return surface.text(0, 0, surface.lineCount() - 1, surface.size().columns);
    }
    static void type(const QString& line) {
        const_cast<TerminalSurface&>(page->serialPanel()->surface()).type(line);
    }

    static inline bool m_ready = false;
};

} // namespace

// Its kernel takes a size that fits into the first one, or else the nearest that it has.
TEST_F(ConsoleGuest, AGuestThatTakesAnotherSizeIsScaledAndNotAskedAgain) {
    page->toolRow()->button(ConsoleSurface::Scaling::Follow)->click();
    const auto tookAnother = [] {
        const QSize size = page->surface()->guestSize();
        return size != QSize(1280, 800) && size != room() && follows();
    };
    ASSERT_TRUE(waitUntil(tookAnother, 30000)) << facts();
    EXPECT_GT(page->surface()->scale(), 1.0);
    // The guest may take one size and then another.
    const auto remarks = [] {
        const QSize size = page->surface()->guestSize();
        return page->toolRow()->remarkText() ==
               QStringLiteral("Refit: the guest has %1 × %2").arg(size.width()).arg(size.height());
    };
    EXPECT_TRUE(waitUntil(remarks, 30000)) << facts() << qPrintable(page->toolRow()->remarkText());
    savePicture(*page, "console-another-size");
}

TEST_F(ConsoleGuest, TheGuestsModeFollowsEverySizeOfTheWindow) {
    guest->shell(s("screen-demo -s 900 -p card > /tmp/modes 2>&1 & echo"));
    ASSERT_TRUE(guest->waitUntilShellPrints(s("head -n1 /tmp/modes | cut -c1-4"), s("mode")));
    for (const QSize size : {QSize(1020, 640), QSize(1253, 777)}) {
        page->resize(size);
        // The picture takes the new size with the next turn of the event loop.
        const auto fits = [] {
            return follows() && hasSize(room()) && page->surface()->scale() == 1;
        };
        ASSERT_TRUE(waitUntil(fits, 30000)) << facts();
        EXPECT_TRUE(page->surface()->followReason().isEmpty());
        const QString mode = QStringLiteral("mode %1x%2").arg(room().width()).arg(room().height());
        EXPECT_TRUE(guest->waitUntilShellPrints(s("tail -n1 /tmp/modes"), mode))
            << qPrintable(mode);
    }
    savePicture(*page, "console-follows");
}

TEST_F(ConsoleGuest, SizesBeyondWhatTheScreenCanAreClampedAndNoLoopComesOfIt) {
    page->resize(page->minimumSizeHint().width(), 400);
    ASSERT_TRUE(waitUntil(
        [] {
            return hasSize(room().expandedTo({640, 480})) && room().height() < 480;
        },
        30000))
        << facts();
    page->resize(2900, 2300);
    const QSize largest(2560, 2048);
    ASSERT_TRUE(waitUntil([&] { return follows() && hasSize(largest); }, 30000)) << facts();
    // Nothing more is asked for: the guest's modes do not change while the window keeps its size.
    const QString modes = guest->shell(s("wc -l < /tmp/modes"));
    EXPECT_FALSE(waitUntil([&] { return !hasSize(largest); }, 3500));
    EXPECT_EQ(guest->shell(s("wc -l < /tmp/modes")), modes);
    EXPECT_TRUE(follows());
    page->resize(1100, 800);
    ASSERT_TRUE(waitUntil([] { return follows() && hasSize(room()); }, 30000)) << facts();
    guest->shell(s("killall screen-demo; echo"));
}

TEST_F(ConsoleGuest, TheSerialLineIsATerminal) {
    page->toolRow()->contentButton(ConsoleToolRow::Content::Serial)->click();
    ASSERT_TRUE(page->isSerialShown());
    ASSERT_TRUE(waitUntil([] { return page->serialPanel()->isConnected(); }, 15000));
    EXPECT_TRUE(waitUntil([] { return serialText().contains(s("VITRINE-GUEST-READY")); }, 15000))
        << qPrintable(serialText());
    type(s("\r"));
    ASSERT_TRUE(waitUntil([] { return serialText().trimmed().endsWith(s("login:")); }, 15000))
        << qPrintable(serialText());
    type(s("admin\r"));
    ASSERT_TRUE(waitUntil([] { return serialText().trimmed().endsWith(s("Password:")); }, 15000));
    type(s("admin\r"));
    ASSERT_TRUE(waitUntil([] { return serialText().trimmed().endsWith(s("$")); }, 15000))
        << qPrintable(serialText());
    type(s("echo colour-$((6*7)); printf '\\033[1;32mgreen\\033[0m\\n'; ls --color=always /\r"));
    ASSERT_TRUE(waitUntil([] { return serialText().contains(s("colour-42")); }, 15000));
    ASSERT_TRUE(waitUntil([] { return serialText().trimmed().endsWith(s("$")); }, 15000));
    page->serialPanel()->view()->setFocus();
    savePicture(*page, "console-serial");
    // A second viewer sees the same from its beginning on, and types into the same shell.
    SerialClient second;
    QByteArray seen;
    QObject::connect(
        &second, &SerialClient::history, &second, [&](const QByteArray& b) { seen = b; });
    QObject::connect(
        &second, &SerialClient::received, &second, [&](const QByteArray& b) { seen += b; });
    second.open(guest->client().consoleSocket());
    ASSERT_TRUE(waitUntil([&] { return seen.contains("colour-42"); }, 15000));
    second.send("echo second-$((40+2))\r");
    ASSERT_TRUE(waitUntil([&] { return seen.contains("second-42"); }, 15000));
    EXPECT_TRUE(waitUntil([] { return serialText().contains(s("second-42")); }, 15000));
    // Leaving and coming back shows the same again.
    page->toolRow()->contentButton(ConsoleToolRow::Content::Screen)->click();
    EXPECT_TRUE(page->isScreenShown());
    EXPECT_FALSE(page->serialPanel()->isConnected());
    page->toolRow()->contentButton(ConsoleToolRow::Content::Serial)->click();
    EXPECT_TRUE(waitUntil([] { return page->serialPanel()->isConnected(); }, 15000));
    EXPECT_TRUE(waitUntil([] { return serialText().contains(s("second-42")); }, 15000));
    type(s("exit\r"));
    page->toolRow()->contentButton(ConsoleToolRow::Content::Screen)->click();
}

TEST_F(ConsoleGuest, TextCopiedOnOneSideIsOnTheOther) {
    EXPECT_FALSE(page->clipboard()->isShared());
    guest->shell(s("mkdir -p /run/cb; dd if=/dev/vdb of=/run/cb/agent bs=64k 2>/dev/null; chmod +x "
                   "/run/cb/agent; /run/cb/agent /run/cb > /run/cb/log 2>&1 & echo"));
    ASSERT_TRUE(waitUntil([] { return page->clipboard()->isShared(); }, 20000))
        << qPrintable(guest->shell(s("cat /run/cb/log")));
    EXPECT_EQ(page->statusLine()->clipboardText(), s("Clipboard shared, text only"));
    // Copied while the screen does not have the keyboard: it stays here.
    QApplication::clipboard()->setText(s("kept here"));
    page->clipboard()->setActive(true);
    ASSERT_TRUE(guest->waitUntilShellPrints(s("cat /run/cb/clipboard.in"), s("kept here")));
    const QString text = s("grüße, 世界 😀\nzweite Zeile");
    QApplication::clipboard()->setText(text);
    ASSERT_TRUE(guest->waitUntilShellPrints(s("cat /run/cb/clipboard.in"), text));
    const QString mebibyte = QString(1 << 20, QLatin1Char('x'));
    QApplication::clipboard()->setText(mebibyte);
    ASSERT_TRUE(guest->waitUntilShellPrints(s("wc -c < /run/cb/clipboard.in"), s("1048576")));

    guest->shell(s("printf 'vom Gast: ä€' > /run/cb/o; mv /run/cb/o /run/cb/clipboard.out; echo"));
    EXPECT_TRUE(
        waitUntil([] { return QApplication::clipboard()->text() == s("vom Gast: ä€"); }, 20000))
        << qPrintable(QApplication::clipboard()->text().left(100));
    guest->shell(s("head -c 1048576 /dev/zero | tr '\\0' y > /run/cb/o; mv /run/cb/o "
                   "/run/cb/clipboard.out; echo"));
    EXPECT_TRUE(waitUntil(
        [] { return QApplication::clipboard()->text() == QString(1 << 20, QLatin1Char('y')); },
        30000));

    // Without the keyboard nothing of the guest comes here.
    page->clipboard()->setActive(false);
    guest->shell(s("printf unseen > /run/cb/o; mv /run/cb/o /run/cb/clipboard.out; echo"));
    EXPECT_FALSE(waitUntil([] { return QApplication::clipboard()->text() == s("unseen"); }, 1500));
}

TEST_F(ConsoleGuest, TheClipboardIsSwitchedWhileTheGuestRuns) {
    ASSERT_TRUE(waitUntil([] { return page->clipboard()->isShared(); }, 20000));
    page->toolRow()->clipboardButton()->click();
    ASSERT_TRUE(waitUntil([] { return !page->clipboard()->isEnabled(); }, 10000));
    EXPECT_EQ(page->statusLine()->clipboardText(), s("Clipboard not shared"));
    QApplication::clipboard()->setText(s("secret"));
    page->clipboard()->setActive(true);
    EXPECT_FALSE(waitUntil(
        [] { return guest->shell(s("cat /run/cb/clipboard.in")).contains(s("secret")); }, 1500));
    page->toolRow()->clipboardButton()->click();
    ASSERT_TRUE(waitUntil([] { return page->clipboard()->isShared(); }, 20000))
        << "the guest's agent speaks to the new end";
    EXPECT_TRUE(guest->waitUntilShellPrints(s("cat /run/cb/clipboard.in"), s("secret")));
    page->clipboard()->setActive(false);
}

TEST_F(ConsoleGuest, AfterSuspendAndResumeTheClipboardIsSharedAsBefore) {
    ASSERT_TRUE(waitUntil([] { return page->clipboard()->isShared(); }, 20000));
    const auto suspendAndResume = [] {
        ASSERT_TRUE(guest->call("suspend", {}, longWait));
        ASSERT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
        guest->start();
        const auto info = guest->library().find(s("guest"));
        ASSERT_TRUE(info);
        page->showMachine(*info, &guest->client());
        ASSERT_TRUE(
            waitUntil([] { return guest->client().isConnected() && guest->status().agentAnswers; },
                      longWait));
    };
    ASSERT_NO_FATAL_FAILURE(suspendAndResume());
    ASSERT_TRUE(waitUntil([] { return page->clipboard()->isShared(); }, longWait))
        << "the agent in the guest has gone on";
    page->clipboard()->setActive(true);
    QApplication::clipboard()->setText(s("to the resumed"));
    EXPECT_TRUE(guest->waitUntilShellPrints(s("cat /run/cb/clipboard.in"), s("to the resumed")));
    guest->shell(s("printf resumed > /run/cb/o; mv /run/cb/o /run/cb/clipboard.out; echo"));
    EXPECT_TRUE(waitUntil([] { return QApplication::clipboard()->text() == s("resumed"); }, 20000));
    page->clipboard()->setActive(false);
    // Switched off it stays off.
    page->toolRow()->clipboardButton()->click();
    ASSERT_TRUE(waitUntil([] { return !page->clipboard()->isEnabled(); }, 10000));
    ASSERT_NO_FATAL_FAILURE(suspendAndResume());
    EXPECT_EQ(guest->status().clipboard, s("off"));
    EXPECT_TRUE(waitUntil([] { return !page->clipboard()->isEnabled(); }, 10000));
    page->toolRow()->clipboardButton()->click();
    EXPECT_TRUE(waitUntil([] { return page->clipboard()->isShared(); }, longWait));
}

TEST_F(ConsoleGuest, TypesTextOnTheGuestsKeyboard) {
    // Whatever the first text console shows: its characters are in /dev/vcs1.
    guest->shell(s("chvt 1; echo"));
    ASSERT_TRUE(
        guest->waitUntilShellPrints(s("tr '\\0' ' ' < /dev/vcs1 | grep -c login:"), s("1")));
    page->typer()->start(
        strokesFor(KeyboardLayout::UnitedStates, s("Vitrine_{~|}@2\"'\\")).strokes);
    EXPECT_TRUE(page->typer()->isRunning());
    EXPECT_TRUE(guest->waitUntilShellPrints(
        s("tr '\\0' ' ' < /dev/vcs1 | grep -o 'Vitrine_.*' | tr -d ' '"),
        s("Vitrine_{~|}@2\"'\\")));
    EXPECT_FALSE(page->typer()->isRunning());
}

TEST_F(ConsoleGuest, ThePictureGoesToTheClipboard) {
    page->copyPictureAction()->trigger();
    EXPECT_EQ(QApplication::clipboard()->image().size(), page->surface()->guestSize());
}

TEST_F(ConsoleGuest, TheLastWordsOfTheGuestStay) {
    page->showContent(ConsoleToolRow::Content::Serial);
    ASSERT_TRUE(waitUntil([] { return page->serialPanel()->isConnected(); }, 15000));
    guest->shell(s("echo LAST-WORDS > /dev/ttyS0"));
    ASSERT_TRUE(waitUntil([] { return serialText().contains(s("LAST-WORDS")); }, 15000));
    ASSERT_TRUE(guest->call("forceOff"));
    ASSERT_TRUE(waitUntil([] { return !page->serialPanel()->isConnected(); }, 30000));
    EXPECT_TRUE(page->isSerialShown());
    EXPECT_TRUE(serialText().contains(s("LAST-WORDS")));
    savePicture(*page, "console-serial-ended");
}
