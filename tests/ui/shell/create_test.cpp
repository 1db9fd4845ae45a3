// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/shell/window_fixture.h"
#include "ui/create/create_dialog.h"
#include "ui/overview/empty_library_page.h"
#include "ui/shell/window_menus.h"
#include "ui/transfers/transfers_page.h"

#include <QPushButton>

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
    QTemporaryDir m_folder;
};

} // namespace

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
