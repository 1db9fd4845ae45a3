// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/shell/window_fixture.h"
#include "ui/create/create_dialog.h"
#include "ui/overview/empty_library_page.h"
#include "ui/sharing/drop_area.h"
#include "ui/shell/machine_page.h"
#include "ui/shell/window_menus.h"
#include "ui/transfers/transfers_page.h"

#include <QDropEvent>
#include <QMimeData>
#include <QPushButton>
#include <QRadioButton>
#include <QUrl>

#include <algorithm>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

class CreateInWindow : public WindowTest {
protected:
    [[nodiscard]] static QPushButton* button(const QWidget* page, const QString& text) {
        for (QPushButton* button : page->findChildren<QPushButton*>())
            if (button->isVisible() && button->text() == text)
                return button;
        ADD_FAILURE() << text.toStdString();
        return nullptr;
    }
    // Fills the dialogue that is open with a disk image and presses Create.
    void createFrom(const QByteArray& image) {
        auto* create = dialog<CreateDialog>();
        ASSERT_NE(create, nullptr);
        const QString path = m_folder.filePath(QStringLiteral("cloud.raw"));
        SmallLibrary::write(path, image);
        create->setKind(CreationChoice::Kind::DiskImage);
        create->setFile(path);
        QPushButton* make = button(create, QStringLiteral("Create"));
        ASSERT_TRUE(waitUntil([make] { return make->isEnabled(); }))
            << make->toolTip().toStdString();
        savePicture(*window, QStringLiteral("create-window"));
        make->click();
    }
    // Dragged there and let go. Whether it was taken.
    static bool drop(QWidget* target, QPoint at, const QStringList& paths) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls.append(QUrl::fromLocalFile(path));
        data.setUrls(urls);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &enter);
        QDragMoveEvent move(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &move);
        if (!move.isAccepted() || move.dropAction() == Qt::IgnoreAction) {
            QDragLeaveEvent leave;
            QApplication::sendEvent(target, &leave);
            return false;
        }
        QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(target, &dropped);
        return dropped.isAccepted();
    }
    QTemporaryDir m_folder;
};

} // namespace

TEST_F(CreateInWindow, AFileDroppedBesideTheMachinesOpensItWithThatFile) {
    struct Case {
        const char* name;
        const char* system; // begins the text of the kind that is chosen
    };
    small.add(QStringLiteral("debian"));
    open();
    window->resize(900, 600);
    select(QStringLiteral("debian"));
    QWidget* const list = window->sideList()->viewport();
    QWidget* const page = window->machinePage();
    for (const Case& c : {Case{"fedora.iso", "Linux, installed"},
                          Case{"cloud.RAW", "Linux, from a disk"},
                          Case{"cloud.img", "Linux, from a disk"},
                          Case{"mac.ipsw", "macOS"}}) {
        const QString path = m_folder.filePath(QLatin1String(c.name));
        SmallLibrary::write(path, QByteArray(4096, 'd'));
        for (QWidget* const target : {list, page}) {
            const QPoint at(20, target->height() - 8); // of the list: below its rows
            ASSERT_TRUE(drop(target, at, {path})) << c.name;
            auto* create = dialog<CreateDialog>();
            ASSERT_NE(create, nullptr);
            EXPECT_EQ(create->choice().file, path);
            const auto kinds = create->findChildren<QRadioButton*>();
            const auto chosen = std::find_if(
                kinds.begin(), kinds.end(), [](QRadioButton* kind) { return kind->isChecked(); });
            ASSERT_NE(chosen, kinds.end());
            EXPECT_TRUE(
                (*chosen)->text().remove(QLatin1Char('&')).startsWith(QLatin1String(c.system)))
                << c.name;
            settle();
            EXPECT_LE(create->height(), window->height());
            delete create;
        }
    }
    EXPECT_TRUE(small.library.machines()->size() == 1);
}

TEST_F(CreateInWindow, WhatNoMachineCanBeMadeOfIsNotTaken) {
    small.add(QStringLiteral("debian"));
    open();
    select(QStringLiteral("debian"));
    const QString disc = m_folder.filePath(QStringLiteral("a.iso"));
    for (const QStringList& paths : {QStringList{m_folder.filePath(QStringLiteral("notes.txt"))},
                                     QStringList{m_folder.path()},
                                     QStringList{disc, disc}}) {
        EXPECT_FALSE(drop(window->machinePage(), QPoint(20, 20), paths));
        QWidget* const list = window->sideList()->viewport();
        EXPECT_FALSE(drop(list, QPoint(20, list->height() - 8), paths));
    }
    EXPECT_EQ(window->findChild<CreateDialog*>(), nullptr);
    for (auto* area : window->findChildren<DropArea*>())
        EXPECT_FALSE(area->isVisible());
}

TEST_F(CreateInWindow, TheEmptyLibraryOffersItAndShowsTheMachine) {
    open();
    auto* page = window->findChild<EmptyLibraryPage*>();
    ASSERT_NE(page, nullptr);
    savePicture(*window, QStringLiteral("create-empty-library"));
    window->resize(900, 600);
    applyTheme(SchemeChoice::Dark);
    savePicture(*window, QStringLiteral("create-empty-library-small-dark"));
    applyTheme(SchemeChoice::Light);
    button(page, QStringLiteral("New Machine…"))->click();
    createFrom(QByteArray(1 << 20, 'd'));
    ASSERT_TRUE(
        waitUntil([this] { return jobs->rowCount() == 1 && jobs->jobAt(0)->isFinished(); }));
    EXPECT_EQ(jobs->jobAt(0)->state(), Job::State::Succeeded)
        << jobs->jobAt(0)->error().message.toStdString();
    EXPECT_EQ(jobs->jobAt(0)->kind(), QStringLiteral("create"));
    ASSERT_TRUE(waitUntil([this] {
        const auto current = window->sideList()->current();
        return current && current->name == QStringLiteral("cloud");
    }));
    EXPECT_EQ(small.library.machines()->first().state, MachineState::Stopped);
}

TEST_F(CreateInWindow, AFailureIsToldAndTheNameIsFreeAgain) {
    small.add(QStringLiteral("debian"));
    open();
    window->findChild<WindowMenus*>()->newFromFile->trigger();
    // Somebody else takes the name while the dialogue is open.
    auto* create = dialog<CreateDialog>();
    ASSERT_NE(create, nullptr);
    QObject::connect(create, &CreateDialog::chosen, window.get(), [this] {
        small.add(QStringLiteral("cloud"));
    });
    createFrom(QByteArray(1 << 20, 'd'));
    ASSERT_TRUE(
        waitUntil([this] { return jobs->rowCount() == 1 && jobs->jobAt(0)->isFinished(); }));
    EXPECT_EQ(jobs->jobAt(0)->state(), Job::State::Failed);
    EXPECT_EQ(jobs->jobAt(0)->error().kind, Error::Kind::AlreadyExists);
    EXPECT_NE(window->findChild<TransfersPage*>(), nullptr); // it is listed there
}
