// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/sharing_page.h"

#include "core/machine/sidecar.h"
#include "tests/ui/sharing/sharing_fixture.h"
#include "ui/sharing/drop_area.h"
#include "ui/sharing/dropped_paths.h"
#include "ui/sharing/path_drop.h"
#include "ui/widgets/command_row.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/reason_label.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDir>
#include <QDropEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPointer>
#include <QUrl>

#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::test {
namespace {

class SharingPageTest : public SharingTest {
protected:
    static void drop(QWidget* target, const QStringList& paths, Qt::KeyboardModifiers keys) {
        QMimeData data;
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls.append(QUrl::fromLocalFile(path));
        data.setUrls(urls);
        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, keys);
        QApplication::sendEvent(target, &enter);
        EXPECT_TRUE(enter.isAccepted());
        QDropEvent dropped(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, keys);
        QApplication::sendEvent(target, &dropped);
        EXPECT_TRUE(dropped.isAccepted());
    }
};

// "\r" is Return.
void type(QWidget* field, const char* text) {
    for (const QChar c : QString::fromLatin1(text)) {
        QKeyEvent down(QEvent::KeyPress,
                       c == QLatin1Char('\r') ? Qt::Key_Return : 0,
                       Qt::NoModifier,
                       QString(c));
        QApplication::sendEvent(field, &down);
    }
}

TEST_F(SharingPageTest, ShowsEveryShareWithItsPlaceAndState) {
    ShareStatus bad = shareOf("cache", ShareState::NotMounted, false);
    bad.message = QStringLiteral("The guest mounted it and then could not read the probe file.");
    bad.mountLine = QStringLiteral("sudo mount -t virtiofs cache /mnt/vitrine/cache");
    run({shareOf("src", ShareState::Mounted, false),
         shareOf("datasets", ShareState::Mounted),
         bad});
    ui::ShareTable* table = page->table();
    ASSERT_EQ(table->topLevelItemCount(), 3);
    EXPECT_EQ(table->topLevelItem(0)->text(0), QStringLiteral("src"));
    const auto* copy = table->itemWidget(table->topLevelItem(1), 2)->findChild<ui::CopyButton*>();
    EXPECT_EQ(copy->textToCopy(), QStringLiteral("/mnt/vitrine/datasets"));
    EXPECT_TRUE(table->itemWidget(table->topLevelItem(1), 3)->findChild<QCheckBox*>()->isChecked());
    EXPECT_FALSE(page->problem()->isShown());
    table->setCurrentItem(table->topLevelItem(2));
    EXPECT_TRUE(page->problem()->isShown());
    EXPECT_TRUE(page->problem()->text().contains(bad.mountLine));
    EXPECT_EQ(controlsWithoutName(*page), QStringList());
    for (const bool dark : {false, true}) {
        ui::applyTheme(dark ? ui::SchemeChoice::Dark : ui::SchemeChoice::Light);
        for (const QSize size : {QSize(1280, 800), QSize(900, 600)}) {
            window->resize(size);
            savePicture(*window,
                        QStringLiteral("sharing-%1-%2")
                            .arg(size.width())
                            .arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
        }
    }
    ui::applyTheme(ui::SchemeChoice::Light);
}

TEST_F(SharingPageTest, ABrokenShareSaysSoAndNothingCanBeAddedBesideIt) {
    ShareStatus broken = shareOf("src", ShareState::Broken);
    broken.message = QStringLiteral("The program behind this share ended unexpectedly.");
    told.refusal = QStringLiteral("No share can be added before the machine was restarted.");
    run({broken});
    ui::ShareTable* table = page->table();
    ASSERT_EQ(table->topLevelItemCount(), 1);
    const auto* state = table->itemWidget(table->topLevelItem(0), 4)->findChild<ui::ElidedLabel*>();
    ASSERT_NE(state, nullptr);
    EXPECT_EQ(state->text(), QStringLiteral("Broken, restart the machine"));
    table->setCurrentItem(table->topLevelItem(0));
    EXPECT_TRUE(page->problem()->isShown());
    EXPECT_TRUE(page->problem()->text().contains(broken.message));
    for (const QPushButton* button : page->problem()->findChildren<QPushButton*>())
        EXPECT_NE(button->text(), QStringLiteral("Mount Again"));
    EXPECT_FALSE(page->addButton()->isEnabled());
    EXPECT_EQ(page->findChild<ui::ReasonLabel*>()->reason(), told.refusal);
    window->resize(1280, 800);
    savePicture(*window, QStringLiteral("sharing-broken"));
}

TEST_F(SharingPageTest, AShareThatWaitsForAnAgentIsMountedOverSshOrByHand) {
    ShareStatus waiting = shareOf("src", ShareState::Waiting);
    waiting.mountLine =
        QStringLiteral("sudo mkdir -p /mnt/vitrine/src && sudo mount -t virtiofs src "
                       "/mnt/vitrine/src");
    told.sshUser = QStringLiteral("admin");
    run({waiting});
    page->table()->setCurrentItem(page->table()->topLevelItem(0));
    ASSERT_TRUE(page->problem()->isShown());
    EXPECT_TRUE(page->problem()->text().contains(waiting.mountLine));
    QGuiApplication::clipboard()->clear();
    click(page->problem(), "Copy Command");
    EXPECT_EQ(QGuiApplication::clipboard()->text(), waiting.mountLine);
    answer = Error{Error::Kind::Unsupported,
                   QStringLiteral("ssh does not get in as \"admin\": Permission denied"),
                   {}};
    click(page->problem(), "Mount over SSH");
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }));
    EXPECT_EQ(asked.first().method, QStringLiteral("share.mount"));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("Permission denied")));
    EXPECT_EQ(controlsWithoutName(*page), QStringList());
    for (const bool dark : {false, true}) {
        ui::applyTheme(dark ? ui::SchemeChoice::Dark : ui::SchemeChoice::Light);
        for (const QSize size : {QSize(1280, 800), QSize(900, 600)}) {
            window->resize(size);
            QApplication::processEvents();
            for (const QLabel* label : page->problem()->findChildren<QLabel*>())
                EXPECT_GE(label->height(), label->heightForWidth(label->width()))
                    << "cut at " << size.width() << ": " << qPrintable(label->text());
            savePicture(*window,
                        QStringLiteral("sharing-waiting-%1-%2")
                            .arg(size.width())
                            .arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
        }
    }
    ui::applyTheme(ui::SchemeChoice::Light);
}

TEST_F(SharingPageTest, WhoMountsOverSshIsChosenBesideTheButtonAndKept) {
    ShareStatus waiting = shareOf("src", ShareState::Waiting);
    waiting.mountLine = QStringLiteral("sudo mount -t virtiofs src /mnt/vitrine/src");
    told.sshUser = QStringLiteral("me");
    run({waiting});
    page->table()->setCurrentItem(page->table()->topLevelItem(0));
    const auto field = [this] { return page->problem()->findChild<QLineEdit*>(); };
    ASSERT_NE(field(), nullptr);
    EXPECT_EQ(field()->text(), QStringLiteral("me"));
    click(page->problem(), "Mount over SSH");
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 1; }));
    EXPECT_FALSE(asked.last().parameters.contains(QStringLiteral("user"))) << "the one of before";
    // What is being typed stays there while the list is read again.
    const QPointer<QLineEdit> before = field();
    before->setFocus();
    before->selectAll();
    type(before, "oth");
    told.shares.append(shareOf("more", ShareState::Mounted));
    fake->server().notify(QStringLiteral("event"),
                          {{QStringLiteral("kind"), QStringLiteral("shares-changed")}});
    ASSERT_TRUE(waitUntil([this] { return page->table()->shares() == told.shares; }));
    ASSERT_EQ(field(), before);
    type(before, "er\r");
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 2; }));
    EXPECT_EQ(asked.last().method, QStringLiteral("share.mount"));
    EXPECT_EQ(asked.last().parameters.value(QStringLiteral("user")).toString(),
              QStringLiteral("other"));
    // Nobody is the usual one.
    before->selectAll();
    type(before, " ");
    click(page->problem(), "Mount over SSH");
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 3; }));
    EXPECT_EQ(asked.last().parameters.value(QStringLiteral("user")).toString(),
              QStringLiteral("admin"));
}

// With a real vitrinectl and its helper. Only root can make a file of an id that guests have.
TEST_F(SharingPageTest, OneClickTakesOwnershipOfWhatGuestsLeft) {
    constexpr uid_t owner = 1234;
    constexpr uid_t ofGuests = 1878982656 + 33;
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("left"));
    SmallLibrary::write(file, "by guest root");
    const QByteArray path = QFile::encodeName(file);
    const bool asRoot = ::geteuid() == 0;
    if (asRoot) {
        ASSERT_EQ(::chown(QFile::encodeName(folder.path()).constData(), owner, owner), 0);
        ASSERT_EQ(::chown(path.constData(), ofGuests, ofGuests), 0);
    }
    ShareStatus share = shareOf("src", ShareState::Mounted, false);
    share.spec.path = folder.path();
    run({share});
    page->table()->setCurrentItem(nullptr);
    EXPECT_FALSE(page->ownButton()->isEnabled());
    EXPECT_FALSE(page->ownButton()->accessibleDescription().isEmpty()) << "it says why";
    page->table()->setCurrentItem(page->table()->topLevelItem(0));
    ASSERT_TRUE(page->ownButton()->isEnabled());
    page->ownButton()->click();
    EXPECT_FALSE(page->ownButton()->isEnabled()) << "until it is done";
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }, 60000));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("is yours now")))
        << page->message()->text().toStdString();
    EXPECT_TRUE(page->ownButton()->isEnabled());
    struct stat status {};
    ASSERT_EQ(::stat(path.constData(), &status), 0);
    EXPECT_EQ(status.st_uid, asRoot ? owner : ::geteuid());
}

TEST_F(SharingPageTest, OneClickMakesAShareWritable) {
    run({shareOf("src", ShareState::Mounted)});
    ui::ShareTable* table = page->table();
    table->itemWidget(table->topLevelItem(0), 3)->findChild<QCheckBox*>()->click();
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 1; }));
    EXPECT_EQ(asked.first().method, QStringLiteral("share.change"));
    EXPECT_EQ(asked.first().parameters.value(QStringLiteral("tag")).toString(),
              QStringLiteral("src"));
    EXPECT_EQ(asked.first().parameters.value(QStringLiteral("readOnly")), QJsonValue(false));
}

TEST_F(SharingPageTest, ABusyShareNamesTheProcessAndOffersForce) {
    run({shareOf("src", ShareState::Mounted)});
    answer = Error{Error::Kind::Busy, QStringLiteral("in use by \"sh\" (process 4)"), {}};
    page->removeButton()->click();
    ASSERT_TRUE(waitUntil([this] { return page->message()->isShown(); }));
    EXPECT_TRUE(page->message()->text().contains(QStringLiteral("(process 4)")));
    answer.reset();
    click(page->message(), "Stop Sharing Anyway");
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 2; }));
    EXPECT_TRUE(asked.last().parameters.value(QStringLiteral("force")).toBool());
}

// By the command line or another window, while a row is chosen here.
TEST_F(SharingPageTest, SharesThatComeAndGoElsewhereAreShown) {
    run({shareOf("src", ShareState::Mounted)});
    page->table()->setCurrentItem(page->table()->topLevelItem(0));
    const QList<QList<ShareStatus>> lists = {
        {shareOf("src", ShareState::Mounted),
         shareOf("more", ShareState::Mounted),
         shareOf("most", ShareState::Mounted)},
        {shareOf("most", ShareState::Mounted)},
        {},
        {shareOf("new", ShareState::Mounted), shareOf("src", ShareState::Mounted)}};
    for (const QList<ShareStatus>& list : lists) {
        told.shares = list;
        fake->server().notify(QStringLiteral("event"),
                              {{QStringLiteral("kind"), QStringLiteral("shares-changed")}});
        ASSERT_TRUE(waitUntil([&] { return page->table()->shares() == list; }));
        EXPECT_EQ(page->table()->topLevelItemCount(), list.size());
        EXPECT_EQ(page->table()->selected().has_value(), !list.isEmpty());
    }
}

TEST_F(SharingPageTest, ADroppedFolderIsSharedReadOnlyAndWithShiftWritable) {
    run({});
    QTemporaryDir folder;
    reply = shareOf("photos", ShareState::Mounted).toJson();
    drop(page, {folder.path()}, Qt::NoModifier);
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 1; }));
    EXPECT_EQ(asked.first().method, QStringLiteral("share.add"));
    EXPECT_EQ(asked.first().parameters.value(QStringLiteral("path")).toString(), folder.path());
    EXPECT_TRUE(asked.first().parameters.value(QStringLiteral("readOnly")).toBool());
    EXPECT_FALSE(page->drop()->area()->isVisible());
    ui::MessageBar* message = window->machinePage()->message();
    ASSERT_TRUE(waitUntil([message] { return message->isShown(); }));
    EXPECT_TRUE(message->text().contains(QStringLiteral("/mnt/vitrine/photos")));
    drop(window->machinePage()->console(), {folder.path()}, Qt::ShiftModifier);
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 2; }));
    EXPECT_FALSE(asked.last().parameters.value(QStringLiteral("readOnly")).toBool());
}

TEST_F(SharingPageTest, WhatBecameOfThingsDroppedTogetherIsToldTogetherErrorsFirst) {
    run({});
    fake->server().on(
        QStringLiteral("share.add"),
        [this](const QJsonObject& parameters, const ControlServer::Respond& respond) {
            asked.append({QStringLiteral("share.add"), parameters});
            const QString path = parameters.value(QStringLiteral("path")).toString();
            if (path.endsWith(QStringLiteral("/two")))
                respond(fail(Error::Kind::Permission, QStringLiteral("You may not read it.")));
            else
                respond(shareOf(path.endsWith(QStringLiteral("/one")) ? "one" : "three",
                                ShareState::Mounted)
                            .toJson());
        });
    QTemporaryDir folder;
    QStringList paths;
    for (const char* name : {"one", "two", "three"}) {
        ASSERT_TRUE(QDir(folder.path()).mkdir(QLatin1String(name)));
        paths << folder.filePath(QLatin1String(name));
    }
    SmallLibrary::write(folder.filePath(QStringLiteral("tools.iso")), "x");
    drop(page, paths << folder.filePath(QStringLiteral("tools.iso")), Qt::NoModifier);
    ui::MessageBar* message = window->machinePage()->message();
    ASSERT_TRUE(waitUntil([message] { return message->isShown(); }));
    const QString text = message->text();
    EXPECT_EQ(message->kind(), ui::MessageBar::Kind::Error);
    const qsizetype error = text.indexOf(QStringLiteral("\"two\" is not shared."));
    EXPECT_GE(error, 0) << qPrintable(text);
    EXPECT_TRUE(text.contains(QStringLiteral("You may not read it.")));
    for (const char* other : {"/mnt/vitrine/one", "/mnt/vitrine/three", "tools.iso"})
        EXPECT_GT(text.indexOf(QLatin1String(other)), error) << other;
    window->resize(1280, 800);
    savePicture(*window, QStringLiteral("sharing-dropped-together"));
    // One click for all of them.
    click(message, "Let the Guest Write");
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 5; }));
    EXPECT_EQ(asked.last().method, QStringLiteral("share.change"));
}

TEST_F(SharingPageTest, ThingsDroppedOnAnotherRowAreAllToldWhenItIsShown) {
    run({});
    answer = Error{Error::Kind::Permission, QStringLiteral("You may not read it."), {}};
    small.add(QStringLiteral("another"));
    ASSERT_TRUE(
        waitUntil([this] { return list()->indexOf(QStringLiteral("another"), false).isValid(); }));
    select(QStringLiteral("another"));
    QTemporaryDir folder;
    QMimeData data;
    QList<QUrl> urls;
    for (const char* name : {"one", "two", "three"}) {
        ASSERT_TRUE(QDir(folder.path()).mkdir(QLatin1String(name)));
        urls << QUrl::fromLocalFile(folder.filePath(QLatin1String(name)));
    }
    data.setUrls(urls);
    ui::SideList* side = window->sideList();
    const QPoint place = side->visualRect(list()->indexOf(QStringLiteral("web"), false)).center();
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(side->viewport(), &enter);
    QDragMoveEvent move(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(side->viewport(), &move);
    QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(side->viewport(), &dropped);
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 3; }));
    settle();
    select(QStringLiteral("web"));
    ui::MessageBar* message = window->machinePage()->message();
    ASSERT_TRUE(waitUntil([message] { return message->isShown(); }));
    for (const char* name : {"\"one\"", "\"two\"", "\"three\""})
        EXPECT_TRUE(message->text().contains(QLatin1String(name))) << qPrintable(message->text());
}

TEST_F(SharingPageTest, WhileAFolderIsDraggedThePageSaysWhatADropDoes) {
    run({shareOf("src", ShareState::Mounted)});
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QStringLiteral("/srv/photos"))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(page, &enter);
    ASSERT_TRUE(page->drop()->area()->isVisible());
    EXPECT_TRUE(page->drop()->area()->accessibleName().contains(QStringLiteral("photos")));
    EXPECT_TRUE(page->drop()->area()->accessibleDescription().contains(
        QStringLiteral("/mnt/vitrine/photos")));
    window->resize(1280, 800);
    savePicture(*window, QStringLiteral("sharing-drop"));
    QDragLeaveEvent leave;
    QApplication::sendEvent(page, &leave);
    EXPECT_FALSE(page->drop()->area()->isVisible());
}

TEST_F(SharingPageTest, AFolderDroppedOnARowOfTheLibraryIsSharedWithThatMachine) {
    run({});
    QTemporaryDir folder;
    reply = shareOf("photos", ShareState::Mounted).toJson();
    ui::SideList* side = window->sideList();
    const QPoint place = side->visualRect(list()->indexOf(QStringLiteral("web"), false)).center();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(folder.path())});
    QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(side->viewport(), &enter);
    QDragMoveEvent move(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(side->viewport(), &move);
    EXPECT_TRUE(move.isAccepted());
    QDropEvent dropped(place, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(side->viewport(), &dropped);
    ASSERT_TRUE(waitUntil([this] { return asked.size() == 1; }));
    EXPECT_EQ(asked.first().method, QStringLiteral("share.add"));
}

TEST_F(SharingPageTest, ADiskImageIsOfferedToBeAttached) {
    run({});
    QTemporaryDir folder;
    const QString image = folder.filePath(QStringLiteral("tools.iso"));
    SmallLibrary::write(image, "x");
    drop(page, {image}, Qt::NoModifier);
    ui::MessageBar* message = window->machinePage()->message();
    ASSERT_TRUE(waitUntil([message] { return message->isShown(); }));
    click(message, "Attach");
    ASSERT_TRUE(waitUntil([&] {
        const auto sidecar = Sidecar::read(small.library.machinesPath() + QStringLiteral("/web"));
        return sidecar && sidecar->run.disks.size() == 1 &&
               sidecar->run.disks.first().path == image &&
               sidecar->run.disks.first().options.readOnly;
    }));
    EXPECT_TRUE(asked.isEmpty());
}

TEST_F(SharingPageTest, TheLineThatDoesTheSameIsShown) {
    run({shareOf("src", ShareState::Mounted)});
    const auto* row = page->findChild<ui::CommandRow*>();
    ASSERT_TRUE(row);
    EXPECT_EQ(row->command(), QStringLiteral("vitrinectl share web add /srv/src:ro,tag=src"));
    window->resize(1280, 800);
    savePicture(*window, QStringLiteral("sharing-command"));
}

TEST_F(SharingPageTest, ADiskInAnotherFormatIsToldToBeConverted) {
    run({});
    QTemporaryDir folder;
    const QString image = folder.filePath(QStringLiteral("data.qcow2"));
    SmallLibrary::write(image, "x");
    drop(page, {image}, Qt::NoModifier);
    ui::MessageBar* message = window->machinePage()->message();
    ASSERT_TRUE(waitUntil([message] { return message->isShown(); }));
    EXPECT_TRUE(message->text().contains(QStringLiteral("qemu-img convert -O raw ") + image))
        << message->text().toStdString();
    EXPECT_TRUE(asked.isEmpty());
}

TEST_F(SharingPageTest, SharesOfAStoppedMachineAreStored) {
    const QString directory = small.add(QStringLiteral("web"));
    open();
    select(QStringLiteral("web"));
    window->showMachine(QStringLiteral("web"), ui::MachinePage::Tab::Sharing);
    page = window->machinePage()->sharing();
    QTemporaryDir folder;
    drop(page, {folder.path()}, Qt::NoModifier);
    ASSERT_TRUE(waitUntil([&] {
        const auto sidecar = Sidecar::read(directory);
        return sidecar && sidecar->run.shares.size() == 1;
    }));
    EXPECT_TRUE(Sidecar::read(directory)->run.shares.first().readOnly);
}

TEST(DroppedPaths, AreSortedByWhatCanBeDoneWithThem) {
    QTemporaryDir folder;
    for (const char* name : {"a.iso", "b.IMG", "notes.txt", "c.QCOW2", "d.vmdk"})
        SmallLibrary::write(folder.filePath(QLatin1String(name)), "x");
    ASSERT_TRUE(QDir(folder.path()).mkdir(QStringLiteral("sub.iso")));
    const ui::DroppedPaths dropped = ui::sortDropped({folder.filePath(QStringLiteral("a.iso")),
                                                      folder.filePath(QStringLiteral("b.IMG")),
                                                      folder.filePath(QStringLiteral("notes.txt")),
                                                      folder.filePath(QStringLiteral("c.QCOW2")),
                                                      folder.filePath(QStringLiteral("d.vmdk")),
                                                      folder.filePath(QStringLiteral("sub.iso")),
                                                      folder.filePath(QStringLiteral("none"))});
    EXPECT_EQ(dropped.disks.size(), 2);
    EXPECT_EQ(dropped.foreign.size(), 2);
    EXPECT_EQ(dropped.files.size(), 1);
    EXPECT_EQ(dropped.folders.size(), 1);
}

} // namespace
} // namespace vitrine::test
