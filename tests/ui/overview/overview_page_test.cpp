// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/overview_page.h"

#include "tests/ui/shell/window_fixture.h"
#include "ui/overview/event_list.h"
#include "ui/overview/host_checks.h"
#include "ui/overview/machine_facts.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/text_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenuBar>
#include <QPushButton>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");
const QString longNote = QStringLiteral(
    "This computer offers /dev/kvm but a test guest did not run (ended by signal 6: error: failed "
    "to set MSR 0x10a to 0x69). Machines are emulated, which is slow.");

class OverviewPageTest : public WindowTest {
protected:
    void openRunning() {
        directory = small.add(build);
        machine = std::make_unique<FakeMachine>(small.library, build);
        ASSERT_TRUE(machine->start());
        MachineStatus status = machine->status();
        status.accelerator = QStringLiteral("TCG");
        status.acceleratorNote = longNote;
        status.sshPort = 36617;
        machine->setStatus(status);
        open();
        select(build);
        ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
        settle();
    }
    [[nodiscard]] OverviewPage* page() const { return window->machinePage()->overview(); }
    [[nodiscard]] TextLabel* label(const QString& part) const {
        for (TextLabel* text : window->findChildren<TextLabel*>()) {
            if (text->text().contains(part) && text->isVisible())
                return text;
        }
        return nullptr;
    }
    [[nodiscard]] bool lists(const QString& event) const {
        for (const ElidedLabel* text :
             page()->findChild<EventList*>()->findChildren<ElidedLabel*>()) {
            if (text->text() == event)
                return true;
        }
        return false;
    }
    QString directory;
    std::unique_ptr<FakeMachine> machine;
};

} // namespace

TEST_F(OverviewPageTest, NothingIsCutInASmallWindow) {
    openRunning();
    for (const QSize size : {QSize(900, 600), QSize(760, 480), QSize(1280, 800)}) {
        window->resize(size);
        settle();
        settle();
        for (const TextLabel* text :
             page()->findChild<MachineFacts*>()->findChildren<TextLabel*>()) {
            if (!text->isVisible() || !text->wordWrap())
                continue;
            EXPECT_GE(text->height(), text->heightForWidth(text->width()))
                << text->text().toStdString() << " at " << size.width();
        }
        EXPECT_LE(page()->widget()->width(), page()->viewport()->width()) << size.width();
        const TextLabel* line = label(QStringLiteral("ssh -p 36617"));
        ASSERT_NE(line, nullptr);
        EXPECT_EQ(line->text(), QStringLiteral("ssh -p 36617 admin@127.0.0.1"));
        savePicture(*window, QStringLiteral("overview-%1").arg(size.width()));
    }
    applyTheme(SchemeChoice::Dark);
    window->resize(900, 600);
    settle();
    savePicture(*window, QStringLiteral("overview-900-dark"));
}

TEST_F(OverviewPageTest, TheLineForSshNamesTheMachinesUserUnlessAShellWouldReadMore) {
    MachineStatus status;
    status.sshPort = 2201;
    EXPECT_EQ(sshLine(&status), QStringLiteral("ssh -p 2201 admin@127.0.0.1"));
    status.sshUser = QStringLiteral("jo.doe-1");
    EXPECT_EQ(sshLine(&status), QStringLiteral("ssh -p 2201 jo.doe-1@127.0.0.1"));
    for (const char* hostile : {"-oProxyCommand=x", "a;reboot", "a b", "$(x)", "a\nb"}) {
        status.sshUser = QString::fromLatin1(hostile);
        EXPECT_EQ(sshLine(&status), QStringLiteral("ssh -p 2201 admin@127.0.0.1")) << hostile;
    }
}

TEST_F(OverviewPageTest, WhatAnAcceleratorIsCanBeRead) {
    openRunning();
    const TextLabel* system = label(QStringLiteral("TCG"));
    ASSERT_NE(system, nullptr);
    EXPECT_TRUE(system->text().contains(QStringLiteral("emulated")));
    EXPECT_TRUE(system->toolTip().contains(QStringLiteral("QEMU")));
}

TEST_F(OverviewPageTest, WhatWaitsForTheNextStartIsSaid) {
    openRunning();
    EXPECT_EQ(label(QStringLiteral("→")), nullptr);
    MachineStatus status = machine->status();
    status.pending = {
        {QStringLiteral("cpuCount"), 2, 4},
        {QStringLiteral("memorySize"), 2147483648.0, 4294967296.0},
        {QStringLiteral("display"), QStringLiteral("1024x768"), QStringLiteral("1280x800px")},
        {QStringLiteral("displayRefit"), QJsonValue(QJsonValue::Null), true},
        {QStringLiteral("ofAnotherVersion"), 1, 2}};
    machine->setStatus(status);
    ASSERT_TRUE(waitUntil([this] { return label(QStringLiteral("→")) != nullptr; }));
    const TextLabel* waiting = label(QStringLiteral("→"));
    EXPECT_TRUE(waiting->text().startsWith(QStringLiteral("Processors: 2 → 4\nMemory: ")))
        << waiting->text().toStdString();
    EXPECT_TRUE(
        waiting->text().contains(QStringLiteral("Display: 1024 × 768 → 1280 × 800\u00A0px")))
        << waiting->text().toStdString();
    EXPECT_TRUE(waiting->text().endsWith(QStringLiteral("Refit: automatic → on")))
        << waiting->text().toStdString();
    EXPECT_NE(label(QStringLiteral("count from the next start")), nullptr);
    savePicture(*window, QStringLiteral("overview-waiting"));
    status.pending.clear();
    machine->setStatus(status);
    EXPECT_TRUE(waitUntil([this] { return label(QStringLiteral("→")) == nullptr; }));
}

TEST_F(OverviewPageTest, TheTimeBesidePausedIsNotTakenForThatOfThePause) {
    openRunning();
    MachineStatus status = machine->status();
    status.startedAt = QDateTime::currentDateTime().addSecs(-900);
    machine->setStatus(status);
    ASSERT_TRUE(waitUntil([this] { return label(QStringLiteral("for 15 min")) != nullptr; }));
    window->actions()->pause->trigger();
    ASSERT_TRUE(waitUntil([this] { return label(QStringLiteral("up 15 min")) != nullptr; }));
    EXPECT_EQ(label(QStringLiteral("for 15 min")), nullptr);
    EXPECT_EQ(label(QStringLiteral("every 2 s")), nullptr);
}

TEST_F(OverviewPageTest, AnEventOfAnyProcessIsListedAsSoonAsItIsWritten) {
    openRunning();
    const QString first = QStringLiteral("The machine has started.");
    ASSERT_TRUE(Sidecar::addEvent(
        directory, QStringLiteral("started"), first, QDateTime::currentDateTime()));
    EXPECT_TRUE(waitUntil([&] { return lists(first); }));
    // While another page is shown, too.
    window->showPage(QStringLiteral("console"));
    settle();
    const QString second = QStringLiteral("The machine was paused.");
    ASSERT_TRUE(Sidecar::addEvent(
        directory, QStringLiteral("paused"), second, QDateTime::currentDateTime()));
    window->showPage(QStringLiteral("overview"));
    EXPECT_TRUE(waitUntil([&] { return lists(second); }));
}

TEST_F(OverviewPageTest, TheHeadingsOfEventsAndNotesAreLevel) {
    openRunning();
    ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
        for (int i = 0; i < 9; ++i)
            sidecar.addEvent(QStringLiteral("note"),
                             QStringLiteral("Event %1").arg(i),
                             QDateTime::currentDateTime());
    }));
    ASSERT_TRUE(waitUntil([this] { return lists(QStringLiteral("Event 8")); }));
    window->resize(1280, 800);
    settle();
    const auto middle = [this](const TextLabel* heading) {
        return heading->mapTo(window.get(), heading->rect().center()).y();
    };
    const TextLabel* events = label(QStringLiteral("Last events"));
    const TextLabel* notes = label(QStringLiteral("Notes"));
    ASSERT_NE(events, nullptr);
    ASSERT_NE(notes, nullptr);
    EXPECT_EQ(middle(events), middle(notes));
    savePicture(*window, QStringLiteral("overview-headings"));
}

TEST_F(OverviewPageTest, TheFindingsAboutThisComputerLineUp) {
    small.add(build);
    open();
    HostChecks checks(host.get());
    checks.resize(700, 300);
    checks.show();
    settle();
    QSet<int> lefts;
    for (const TextLabel* text : checks.findChildren<TextLabel*>()) {
        for (const HostCheck& check : host->info()->checks) {
            if (text->text() == check.finding)
                lefts.insert(text->mapTo(&checks, QPoint()).x());
        }
    }
    EXPECT_EQ(lefts.size(), 1);
    savePicture(checks, QStringLiteral("host-checks"));
    for (QPushButton* button : checks.findChildren<QPushButton*>()) {
        if (button->text().startsWith(QStringLiteral("Copy")))
            button->click();
    }
    const QString copied = QGuiApplication::clipboard()->text();
    EXPECT_TRUE(copied.contains(QStringLiteral("Kernel: 6.1"))) << copied.toStdString();
    EXPECT_TRUE(copied.contains(QStringLiteral("Firmware for UEFI: Missing: Not found.")));
}

TEST(EventList, WhatIsNoGoodNewsHasNoCheckMark) {
    for (const char* kind : {"guest-silent",
                             "hangs",
                             "shutdown-ignored",
                             "disk-full",
                             "disk-missing",
                             "network-ended",
                             "network-rules-refused"})
        EXPECT_EQ(EventList::glyphOf(QLatin1String(kind)), Glyph::Warning) << kind;
    EXPECT_EQ(EventList::glyphOf(QStringLiteral("share-broken")), Glyph::Broken);
    for (const char* kind : {"guest-answers", "answers-again"})
        EXPECT_EQ(EventList::glyphOf(QLatin1String(kind)), Glyph::Done) << kind;
}
