// SPDX-License-Identifier: Apache-2.0
// Folders dragged out of another program's window onto this one, with a real pointer on a real
// display: press, move and release are X events, the drop comes by the protocol XDND.
#include "tests/ui/sharing/sharing_fixture.h"
#include "ui/sharing/drop_area.h"
#include "ui/sharing/path_drop.h"

#include <QProcess>

namespace vitrine::test {
namespace {

constexpr QPoint sourcePlace(1300, 40); // beside the window

class DragAndDropTest : public SharingTest {
protected:
    void openAndDrag(const QString& path) {
        run({});
        reply = shareOf("photos", ShareState::Mounted).toJson();
        window->setGeometry(0, 0, 1280, 800);
        source.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        QObject::connect(&source, &QProcess::readyRead, &source, [this] {
            said += QString::fromUtf8(source.readAll());
        });
        source.start(QStringLiteral(VITRINE_DRAG_SOURCE),
                     {QString::number(sourcePlace.x()), QString::number(sourcePlace.y()), path});
        ASSERT_TRUE(waitUntil([this] { return said.contains(QStringLiteral("ready")); }));
        // The pointer is only taken where the window already is: tried until it is.
        ASSERT_TRUE(waitUntil(
            [this] {
                moveTo(sourcePlace + QPoint(80, 60));
                pointer({QStringLiteral("mousedown"), QStringLiteral("1")});
                moveTo(sourcePlace + QPoint(60, 80));
                moveTo(sourcePlace + QPoint(40, 90));
                const bool began =
                    waitUntil([this] { return said.contains(QStringLiteral("dragging")); }, 1000);
                if (!began)
                    pointer({QStringLiteral("mouseup"), QStringLiteral("1")});
                return began;
            },
            20000));
    }
    void TearDown() override {
        source.kill();
        source.waitForFinished(5000);
        SharingTest::TearDown();
    }
    // The window's events go on meanwhile: it has to answer the program that drags.
    static void pointer(const QStringList& words) {
        QProcess xdotool;
        xdotool.start(QStringLiteral("xdotool"), words);
        ASSERT_TRUE(waitUntil([&] { return xdotool.state() == QProcess::NotRunning; }));
        ASSERT_EQ(xdotool.exitCode(), 0) << xdotool.readAllStandardError().constData();
    }
    static void moveTo(QPoint place) {
        pointer(
            {QStringLiteral("mousemove"), QString::number(place.x()), QString::number(place.y())});
    }
    // Moves there, as a hand does in more than one step, until `over` is true; then lets go.
    void dropOn(const QWidget* target, QPoint inside, const std::function<bool()>& over) {
        const QPoint place = target->mapToGlobal(inside);
        moveTo(place - QPoint(30, 10));
        int step = 0;
        ASSERT_TRUE(waitUntil(
            [&] {
                moveTo(place + QPoint(++step % 3, 0));
                return over();
            },
            10000))
            << "the window did not see the drag";
        pointer({QStringLiteral("mouseup"), QStringLiteral("1")});
        EXPECT_TRUE(waitUntil([this] { return said.contains(QStringLiteral("dropped")); }))
            << qPrintable(said);
    }

    QProcess source;
    QString said;
};

} // namespace

TEST_F(DragAndDropTest, AFolderDraggedOntoTheConsoleIsShared) {
    const QTemporaryDir folder;
    ASSERT_NO_FATAL_FAILURE(openAndDrag(folder.path()));
    window->showMachine(QStringLiteral("web"), ui::MachinePage::Tab::Console);
    const ui::ConsolePage* console = window->machinePage()->console();
    const auto* area = console->findChild<ui::DropArea*>();
    ASSERT_NE(area, nullptr);
    dropOn(console, console->rect().center(), [area] { return area->isVisible(); });
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 1; }));
    EXPECT_EQ(asked.first().method, QStringLiteral("share.add"));
    EXPECT_EQ(asked.first().parameters.value(QStringLiteral("path")).toString(), folder.path());
    EXPECT_TRUE(asked.first().parameters.value(QStringLiteral("readOnly")).toBool());
    EXPECT_FALSE(area->isVisible());
    const ui::MessageBar* message = window->machinePage()->message();
    EXPECT_TRUE(waitUntil([message] {
        return message->isShown() &&
               message->text().contains(QStringLiteral("/mnt/vitrine/photos"));
    }));
}

TEST_F(DragAndDropTest, AFolderDraggedOntoARowOfTheLibraryIsSharedWithThatMachine) {
    small.add(QStringLiteral("another"));
    const QTemporaryDir folder;
    ASSERT_NO_FATAL_FAILURE(openAndDrag(folder.path()));
    const ui::SideList* side = window->sideList();
    const QRect row = side->visualRect(list()->indexOf(QStringLiteral("web"), false));
    dropOn(side->viewport(), row.center(), [side] { return side->dropRow().isValid(); });
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 1; }));
    EXPECT_EQ(asked.first().method, QStringLiteral("share.add"));
    EXPECT_EQ(asked.first().parameters.value(QStringLiteral("path")).toString(), folder.path());
    EXPECT_FALSE(side->dropRow().isValid());
}

TEST_F(DragAndDropTest, AFolderDraggedOntoTheSharingPageIsShared) {
    const QTemporaryDir folder;
    ASSERT_NO_FATAL_FAILURE(openAndDrag(folder.path()));
    const auto* area = page->drop()->area();
    dropOn(page, page->rect().center(), [area] { return area->isVisible(); });
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 1; }));
    EXPECT_EQ(asked.first().parameters.value(QStringLiteral("path")).toString(), folder.path());
}

} // namespace vitrine::test
