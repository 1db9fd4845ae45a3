// SPDX-License-Identifier: Apache-2.0
#include "core/library/library_model.h"
#include "core/library/machine_operations.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QSignalSpy>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>
#include <unistd.h>

namespace vitrine {
namespace {

constexpr int deadline = 20000; // milliseconds

// Turns the event loop until it is true.
bool waitFor(const std::function<bool()>& condition) {
    const QDeadlineTimer limit(deadline);
    while (!condition()) {
        if (limit.hasExpired())
            return false;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 50);
    }
    return true;
}

class LibraryModelTest : public test::LibraryTest {
protected:
    void start() {
        m_model = std::make_unique<LibraryModel>(m_library);
        m_tester = std::make_unique<QAbstractItemModelTester>(
            m_model.get(), QAbstractItemModelTester::FailureReportingMode::Fatal);
        ASSERT_TRUE(waitFor([this] { return m_model->isLoaded(); }));
        // What has come under watch is read once more.
        QSignalSpy loaded(m_model.get(), &LibraryModel::loaded);
        ASSERT_TRUE(waitFor([&loaded] { return !loaded.isEmpty(); }));
    }
    [[nodiscard]] QStringList rows() const {
        QStringList names;
        for (int row = 0; row < m_model->rowCount(); ++row)
            names.append(m_model->index(row).data(LibraryModel::NameRole).toString());
        return names;
    }
    [[nodiscard]] MachineState stateOf(const char* machine) const {
        const int row = m_model->rowOf(QLatin1String(machine));
        return row < 0 ? MachineState::Broken
                       : static_cast<MachineState>(
                             m_model->index(row).data(LibraryModel::StateRole).toInt());
    }
    [[nodiscard]] QString configOf(const char* machine) const {
        return m_library.machinePath(name(machine)) + QStringLiteral("/config.json");
    }
    // Declared so that the model goes before its library's folder.
    std::unique_ptr<LibraryModel> m_model;
    std::unique_ptr<QAbstractItemModelTester> m_tester;
};

TEST_F(LibraryModelTest, MachinesComeFirstThenImagesEachSorted) {
    addMachine(QStringLiteral("ubuntu"));
    addMachine(QStringLiteral("debian"));
    addImage(QStringLiteral("a.io/x/y"), u'1', QStringLiteral("t"));
    start();
    EXPECT_EQ(rows(),
              QStringList({QStringLiteral("debian"),
                           QStringLiteral("ubuntu"),
                           QStringLiteral("a.io/x/y:t"),
                           QStringLiteral("a.io/x/y@sha256:") + QString(64, u'1')}));
    EXPECT_FALSE(m_model->index(1).data(LibraryModel::IsImageRole).toBool());
    EXPECT_TRUE(m_model->index(2).data(LibraryModel::IsImageRole).toBool());
    EXPECT_EQ(m_model->index(0).data(LibraryModel::InfoRole).value<MachineInfo>(),
              *m_model->infoAt(0));
    EXPECT_EQ(m_model->index(0).data(LibraryModel::DirectoryRole).toString(),
              m_library.machinePath(name("debian")));
    EXPECT_EQ(m_model->rowOf(QStringLiteral("a.io/x/y:t")), 2);
    EXPECT_EQ(m_model->rowOf(QStringLiteral("none")), -1);
    EXPECT_EQ(m_model->infoAt(-1), nullptr);
    EXPECT_EQ(m_model->infoAt(4), nullptr);
}

TEST_F(LibraryModelTest, AnEmptyLibraryIsLoadedToo) {
    start();
    EXPECT_EQ(m_model->rowCount(), 0);
}

TEST_F(LibraryModelTest, MachinesMadeAndRemovedByOthersAppearAndGo) {
    start();
    ASSERT_TRUE(QDir().mkpath(m_library.machinesPath()));
    addMachine(QStringLiteral("b"));
    EXPECT_TRUE(waitFor([this] { return rows() == QStringList({QStringLiteral("b")}); }));
    addMachine(QStringLiteral("a"));
    addMachine(QStringLiteral("c"));
    EXPECT_TRUE(waitFor([this] { return m_model->rowCount() == 3; }));
    ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("b"), DeleteMode::Permanent));
    EXPECT_TRUE(waitFor([this] {
        return rows() == QStringList({QStringLiteral("a"), QStringLiteral("c")});
    }));
    ASSERT_TRUE(renameMachine(m_library, name("a"), name("z")));
    EXPECT_TRUE(waitFor([this] {
        return rows() == QStringList({QStringLiteral("c"), QStringLiteral("z")});
    }));
}

TEST_F(LibraryModelTest, ImagesPulledByOthersAppear) {
    start();
    addImage(QStringLiteral("a.io/x/y"), u'1', QStringLiteral("t"));
    EXPECT_TRUE(waitFor([this] { return m_model->rowCount() == 2; }));
    ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("a.io/x/y:t"), DeleteMode::Permanent));
    EXPECT_TRUE(waitFor([this] { return m_model->rowCount() == 0; }));
}

TEST_F(LibraryModelTest, AConfigWrittenInPlaceByOthersIsSeen) {
    addMachine(QStringLiteral("a"));
    addMachine(QStringLiteral("b"));
    start();
    QSignalSpy changed(m_model.get(), &LibraryModel::machineChanged);
    QSignalSpy data(m_model.get(), &QAbstractItemModel::dataChanged);
    QSignalSpy inserted(m_model.get(), &QAbstractItemModel::rowsInserted);
    QSignalSpy reset(m_model.get(), &QAbstractItemModel::modelReset);
    QFile file(configOf("a"));
    ASSERT_TRUE(file.open(QIODevice::ReadWrite));
    file.write(test::configText(7)); // as Tart does: no new file, no folder changes
    file.close();
    EXPECT_TRUE(waitFor([this] { return m_model->infoAt(0)->config->cpuCount == 7; }));
    EXPECT_GE(changed.size(), 1);
    EXPECT_EQ(changed.first().first().toString(), QStringLiteral("a"));
    EXPECT_EQ(data.first().first().toModelIndex().row(), 0);
    EXPECT_EQ(inserted.size(), 0);
    EXPECT_EQ(reset.size(), 0);
}

TEST_F(LibraryModelTest, AConfigReplacedByRenameIsSeenAgainAndAgain) {
    addMachine(QStringLiteral("a"));
    start();
    for (int count = 3; count < 6; ++count) {
        test::put(configOf("a") + QStringLiteral("~"), test::configText(count));
        ASSERT_EQ(::rename(QFile::encodeName(configOf("a") + QStringLiteral("~")).constData(),
                           QFile::encodeName(configOf("a")).constData()),
                  0);
        EXPECT_TRUE(waitFor([&] { return m_model->infoAt(0)->config->cpuCount == count; }))
            << count;
    }
}

TEST_F(LibraryModelTest, AMachineThatBreaksStaysInTheListAndRecovers) {
    const QString directory = addMachine(QStringLiteral("a"));
    start();
    QFile::remove(directory + QStringLiteral("/nvram.bin"));
    EXPECT_TRUE(waitFor([this] { return stateOf("a") == MachineState::Broken; }));
    EXPECT_FALSE(m_model->infoAt(0)->brokenReason.isEmpty());
    test::put(directory + QStringLiteral("/nvram.bin"), "x");
    EXPECT_TRUE(waitFor([this] { return stateOf("a") == MachineState::Stopped; }));
    EXPECT_TRUE(m_model->infoAt(0)->brokenReason.isEmpty());
}

TEST_F(LibraryModelTest, LocksOfRowsInViewArePolled) {
    addMachine(QStringLiteral("a"));
    start();
    m_model->setNamesInView({QStringLiteral("a"), QStringLiteral("none")});
    test::OtherProcess holder({QStringLiteral("hold"), configOf("a")});
    ASSERT_EQ(holder.word(), "held");
    EXPECT_TRUE(waitFor([this] { return stateOf("a") == MachineState::Running; }));
    EXPECT_EQ(m_model->infoAt(0)->holderPid, holder.pid());
    m_model->setNamesInView({});
    holder.kill(); // its process descriptor tells, without any poll
    EXPECT_TRUE(waitFor([this] { return stateOf("a") == MachineState::Stopped; }));
    EXPECT_EQ(m_model->infoAt(0)->holderPid, 0);
}

TEST_F(LibraryModelTest, ABrokenMachineThatIsPolledStaysBroken) {
    addMachine(QStringLiteral("a"), "{");
    addMachine(QStringLiteral("b"));
    start();
    m_model->setNamesInView({QStringLiteral("a"), QStringLiteral("b")});
    test::OtherProcess holder({QStringLiteral("hold"), configOf("b")});
    ASSERT_EQ(holder.word(), "held");
    EXPECT_TRUE(waitFor([this] { return stateOf("b") == MachineState::Running; }));
    EXPECT_EQ(stateOf("a"), MachineState::Broken);
}

TEST_F(LibraryModelTest, AClientKnowsMoreThanTheLock) {
    addMachine(QStringLiteral("a"));
    start();
    QSignalSpy changed(m_model.get(), &LibraryModel::machineChanged);
    m_model->overlayState(QStringLiteral("a"), MachineState::Paused);
    EXPECT_EQ(stateOf("a"), MachineState::Paused);
    EXPECT_EQ(changed.size(), 1);
    m_model->overlayState(QStringLiteral("a"), MachineState::Paused);
    EXPECT_EQ(changed.size(), 1);
    QSignalSpy loaded(m_model.get(), &LibraryModel::loaded);
    m_model->refresh();
    ASSERT_TRUE(waitFor([&loaded] { return !loaded.isEmpty(); }));
    EXPECT_EQ(stateOf("a"), MachineState::Paused);
    m_model->overlayState(QStringLiteral("a"), std::nullopt);
    EXPECT_EQ(stateOf("a"), MachineState::Stopped);
    m_model->overlayState(QStringLiteral("none"), MachineState::Paused);
}

TEST_F(LibraryModelTest, ALibraryThatCannotBeReadSaysSoAndComesBack) {
    start();
    test::put(m_library.machinesPath(), "a file where the folder should be");
    QSignalSpy failed(m_model.get(), &LibraryModel::failed);
    m_model->refresh();
    EXPECT_TRUE(waitFor([&failed] { return !failed.isEmpty(); }));
    QFile::remove(m_library.machinesPath());
    addMachine(QStringLiteral("a"));
    EXPECT_TRUE(waitFor([this] { return m_model->rowCount() == 1; }));
}

TEST_F(LibraryModelTest, AFolderThatWentAwayIsNoEmptyLibrary) {
    addMachine(QStringLiteral("a"));
    start();
    QSignalSpy failed(m_model.get(), &LibraryModel::failed);
    const QString away = m_library.home() + QStringLiteral(".away");
    ASSERT_TRUE(QDir().rename(m_library.home(), away));
    m_model->refresh();
    EXPECT_TRUE(waitFor([&failed] { return !failed.isEmpty(); }));
    EXPECT_EQ(m_model->rowCount(), 1);
    ASSERT_TRUE(QDir().rename(away, m_library.home()));
    QSignalSpy loaded(m_model.get(), &LibraryModel::loaded);
    m_model->refresh();
    EXPECT_TRUE(waitFor([&loaded] { return !loaded.isEmpty(); }));
    EXPECT_EQ(m_model->rowCount(), 1);
}

TEST_F(LibraryModelTest, ItCanGoAtAnyMoment) {
    for (int i = 0; i < 50; ++i)
        addMachine(QStringLiteral("vm%1").arg(i));
    for (int turns = 0; turns < 30; ++turns) {
        LibraryModel model(m_library);
        model.setNamesInView({QStringLiteral("vm1")});
        model.refresh();
        for (int i = 0; i < turns; ++i)
            QCoreApplication::processEvents();
    }
}

TEST_F(LibraryModelTest, AThousandMachinesNeverHoldTheThread) {
    for (int i = 0; i < 1000; ++i)
        addMachine(QStringLiteral("vm%1").arg(i, 4, 10, QLatin1Char('0')));
    QElapsedTimer made;
    made.start();
    LibraryModel model(m_library);
    EXPECT_LT(made.elapsed(), 50);
    qint64 longest = 0;
    int readings = 0;
    QObject::connect(&model, &LibraryModel::loaded, &model, [&readings] { ++readings; });
    const QDeadlineTimer limit(deadline);
    while (readings < 2 && !limit.hasExpired()) {
        QElapsedTimer turn;
        turn.start();
        QCoreApplication::processEvents();
        longest = std::max(longest, turn.elapsed());
        std::this_thread::yield();
    }
    EXPECT_EQ(model.rowCount(), 1000);
    RecordProperty("longest_turn_milliseconds", static_cast<int>(longest));
    // The window allows itself 16 ms; sanitizers and busy machines need room.
    EXPECT_LT(longest, 200);
}

} // namespace
} // namespace vitrine
