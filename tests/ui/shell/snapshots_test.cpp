// SPDX-License-Identifier: Apache-2.0
// The page Snapshots with a real vitrinectl.
#include "ui/snapshots/snapshots_page.h"

#include "tests/support/layout_misfits.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/shell/name_dialog.h"
#include "ui/shell/question.h"
#include "ui/snapshots/snapshot_dialog.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/reason_label.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");

class SnapshotsTest : public WindowTest {
protected:
    void SetUp() override {
        WindowTest::SetUp();
        qputenv("PATH", QByteArray(VITRINE_BIN_DIR) + ':' + qgetenv("PATH"));
        directory = small.add(build);
    }
    SnapshotsPage* openPage() {
        open();
        select(build);
        window->showPage(QStringLiteral("snapshots"));
        settle();
        SnapshotsPage* page = window->machinePage()->snapshots();
        EXPECT_TRUE(waitUntil([page] { return page->takeButton()->isEnabled(); }));
        return page;
    }
    Snapshot create(const char* title) const {
        const auto made = createSnapshot(
            small.library, *MachineName::fromText(build), {QLatin1String(title), false}, {});
        EXPECT_TRUE(made) << (made ? "" : qPrintable(made.error().message));
        return made.value_or(Snapshot{});
    }
    QStringList titles() const {
        QStringList list;
        const auto tree = readSnapshots(directory);
        for (const Snapshot& snapshot : tree->all())
            list << snapshot.name;
        return list;
    }
    QString directory;
};

} // namespace

TEST_F(SnapshotsTest, APageWithoutOnesSaysWhatTheyAreFor) {
    SnapshotsPage* page = openPage();
    EXPECT_TRUE(page->isEmptyShown());
}

TEST_F(SnapshotsTest, OneIsTakenUnderTheNameThatIsTyped) {
    SnapshotsPage* page = openPage();
    page->takeButton()->click();
    auto* dialog = this->dialog<SnapshotDialog>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_FALSE(dialog->memoryBox()->isVisible()) << "it does not run";
    dialog->field()->setText(QStringLiteral("  "));
    EXPECT_FALSE(dialog->acceptButton()->isEnabled());
    dialog->field()->setText(QStringLiteral("-clean"));
    dialog->acceptButton()->click();
    ASSERT_TRUE(waitUntil([page] { return !page->isEmptyShown(); }, 60000))
        << page->message()->text().toStdString();
    EXPECT_EQ(titles(), QStringList{QStringLiteral("-clean")});
    ASSERT_EQ(page->list()->topLevelItemCount(), 1);
    EXPECT_TRUE(page->list()->topLevelItem(0)->text(0).startsWith(QLatin1String("-clean")));
}

TEST_F(SnapshotsTest, FitsEachSizeInBothSchemes) {
    const Snapshot first = create("Installed, before the updates");
    create("A long name, as people give them when they want to remember what it was good for");
    ASSERT_TRUE(
        restoreSnapshot(small.library, *MachineName::fromText(build), {first.id, false, true}, {}));
    create("Other way");
    SnapshotsPage* page = openPage();
    for (const bool dark : {false, true}) {
        applyTheme(dark ? SchemeChoice::Dark : SchemeChoice::Light);
        for (const QSize size : {QSize(1280, 800), QSize(900, 600)}) {
            window->resize(size);
            settleLayout(*window);
            EXPECT_EQ(layoutMisfits(*page), QStringList());
            savePicture(*window,
                        QStringLiteral("snapshots-%1-%2")
                            .arg(size.width())
                            .arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
        }
    }
    applyTheme(SchemeChoice::Light);
}

TEST_F(SnapshotsTest, TheTreeShowsWhatGrewFromWhat) {
    const Snapshot first = create("first");
    const Snapshot second = create("second");
    SnapshotsPage* page = openPage();
    ASSERT_EQ(page->list()->topLevelItemCount(), 1);
    EXPECT_EQ(page->list()->topLevelItem(0)->childCount(), 1);
    EXPECT_EQ(page->list()->selectedId(), second.id) << "where the machine is";
    EXPECT_TRUE(page->restoreButton()->isEnabled());
}

TEST_F(SnapshotsTest, GoingBackAsksAndCanKeepWhatThereIs) {
    const Snapshot first = create("first");
    SmallLibrary::write(directory + QStringLiteral("/nvram.bin"), "changed");
    SnapshotsPage* page = openPage();
    page->restoreButton()->click();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    question->button(QStringLiteral("Keep and Go Back"))->click();
    ASSERT_TRUE(waitUntil([this] { return titles().size() == 2; }, 60000))
        << page->message()->text().toStdString();
    EXPECT_TRUE(waitUntil([this] {
        QFile file(directory + QStringLiteral("/nvram.bin"));
        return file.open(QIODevice::ReadOnly) && file.readAll().isEmpty();
    }));
}

TEST_F(SnapshotsTest, OneIsDeletedAfterAQuestion) {
    create("first");
    create("second");
    SnapshotsPage* page = openPage();
    page->list()->selectId(readSnapshots(directory)->all().first().id);
    page->deleteButton()->click();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    question->button(QStringLiteral("Delete"))->click();
    EXPECT_TRUE(
        waitUntil([this] { return titles() == QStringList{QStringLiteral("second")}; }, 60000))
        << page->message()->text().toStdString();
}

TEST_F(SnapshotsTest, OneBecomesAMachine) {
    create("first");
    SnapshotsPage* page = openPage();
    page->branchButton()->click();
    auto* names = dialog<NameDialog>();
    ASSERT_NE(names, nullptr);
    names->field()->setText(QStringLiteral("other"));
    names->acceptButton()->click();
    EXPECT_TRUE(waitUntil([this] { return model->rowOf(QStringLiteral("other")) >= 0; }, 60000))
        << page->message()->text().toStdString();
}

TEST_F(SnapshotsTest, WhatCannotBeDoneNowSaysWhy) {
    create("first");
    FakeMachine machine(small.library, build);
    ASSERT_TRUE(machine.start());
    SnapshotsPage* page = openPage();
    EXPECT_FALSE(page->restoreButton()->isEnabled());
    EXPECT_TRUE(page->reason()->reason().contains(QStringLiteral("Shut the machine down")));
    EXPECT_TRUE(page->deleteButton()->isEnabled());
    page->takeButton()->click();
    auto* dialog = this->dialog<SnapshotDialog>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(dialog->memoryBox()->isVisible());
}

TEST_F(SnapshotsTest, OneOfARunningMachineIsTakenByItsProcess) {
    FakeMachine machine(small.library, build);
    ASSERT_TRUE(machine.start());
    QJsonObject asked;
    machine.server().on(
        QStringLiteral("snapshot.create"),
        [&asked](const QJsonObject& parameters, const ControlServer::Respond& respond) {
            asked = parameters;
            Snapshot taken;
            taken.id = newSnapshotId(QDateTime::currentDateTime());
            taken.name = parameters.value(QLatin1String("name")).toString();
            taken.created = QDateTime::currentDateTimeUtc();
            taken.withMemory = parameters.value(QLatin1String("memory")).toBool();
            respond(taken.toJson());
        });
    SnapshotsPage* page = openPage();
    page->takeButton()->click();
    auto* dialog = this->dialog<SnapshotDialog>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(dialog->memoryBox()->isChecked());
    dialog->field()->setText(QStringLiteral("while it runs"));
    dialog->acceptButton()->click();
    ASSERT_TRUE(waitUntil([&asked] { return !asked.isEmpty(); }, 60000))
        << page->message()->text().toStdString();
    EXPECT_EQ(asked.value(QLatin1String("name")).toString(), QStringLiteral("while it runs"));
    EXPECT_TRUE(asked.value(QLatin1String("memory")).toBool());
    EXPECT_TRUE(waitUntil([page] { return page->takeButton()->isEnabled(); }, 60000));
    EXPECT_FALSE(page->message()->isShown()) << page->message()->text().toStdString();
    // Without memory, when that is not wanted.
    asked = {};
    page->takeButton()->click();
    dialog = this->dialog<SnapshotDialog>();
    ASSERT_NE(dialog, nullptr);
    dialog->memoryBox()->setChecked(false);
    dialog->acceptButton()->click();
    ASSERT_TRUE(waitUntil([&asked] { return !asked.isEmpty(); }, 60000));
    EXPECT_FALSE(asked.value(QLatin1String("memory")).toBool(true));
}

TEST_F(SnapshotsTest, DisksThatItWillNotHaveAreNamedBeforeAndAfter) {
    const QString data = directory + QStringLiteral("/../data.img");
    SmallLibrary::write(data, "data");
    ASSERT_TRUE(Sidecar::update(directory, [&](Sidecar& sidecar) {
        sidecar.run.disks = {{data, {}}};
    }));
    create("first");
    FakeMachine machine(small.library, build);
    ASSERT_TRUE(machine.start());
    SnapshotsPage* page = openPage();
    const auto says = [](const QWidget* widget, const QString& text) {
        const auto labels = widget->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
            return label->isVisible() && label->text().contains(text);
        });
    };
    EXPECT_TRUE(says(page, QStringLiteral("keeps what it has now")));
    page->takeButton()->click();
    auto* dialog = this->dialog<SnapshotDialog>();
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(says(dialog, data));
    EXPECT_TRUE(dialog->memoryBox()->isVisible());
    EXPECT_FALSE(dialog->memoryBox()->isChecked());
    EXPECT_FALSE(dialog->memoryBox()->isEnabled());
    EXPECT_FALSE(dialog->memoryBox()->accessibleDescription().isEmpty());
    savePicture(*dialog, QStringLiteral("snapshot-dialog-other-disk"));
}

TEST_F(SnapshotsTest, TakingThemByItselfIsRemembered) {
    SnapshotsPage* page = openPage();
    page->automaticBox()->click();
    EXPECT_TRUE(waitUntil([this] {
        const auto sidecar = Sidecar::read(directory);
        return sidecar && takesAutomaticSnapshots(sidecar->snapshots);
    }));
}
