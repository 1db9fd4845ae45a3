// SPDX-License-Identifier: Apache-2.0
// The window with ten real guests at once: it starts, shows and stops them and its thread never
// waits; one whose QEMU hangs shows so and disturbs no other.
#include "app/application.h"
#include "core/library/memory_commitment.h"
#include "core/machine/machine_config.h"
#include "core/machine/sidecar.h"
#include "qemu/qemu_hypervisor.h"
#include "support/gui_support.h"
#include "support/held_machine.h"
#include "tests/support/send_signal.h"
#include "ui/console/console_page.h"
#include "ui/library/side_list.h"
#include "ui/library/side_list_model.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/machines/thumbnails.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/machine_page.h"
#include "ui/shell/main_window.h"
#include "ui/shell/question.h"
#include "ui/theme/theme.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QPushButton>
#include <QSettings>

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

constexpr int count = 10;
constexpr int patience = 120000; // ms; ten processes of QEMU share two processors
constexpr int twin = 8;          // has the MAC address of the machine before it
// ms. A window that waited for a hung machine would wait for seconds; a processor that the computer
// below takes away for a while is not told apart from that.
constexpr double longestWait = 250;
constexpr double longestWork = 100;

QString nameOf(int number) {
    return QStringLiteral("guest%1").arg(number, 2, 10, QLatin1Char('0'));
}

qint64 processorTime() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return qint64{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

// Beats every 10 ms. A beat that comes late although the thread neither computed nor had to wait
// for a processor (second field of schedstat, nanoseconds) means that it waited for something.
class Heartbeat final : public QObject {
public:
    Heartbeat() {
        m_schedstat = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
        m_timer.setInterval(10);
        connect(&m_timer, &QTimer::timeout, this, &Heartbeat::beat);
    }
    ~Heartbeat() override { ::close(m_schedstat); }
    void start() {
        m_last = sample();
        m_clock.start();
        m_timer.start();
    }
    [[nodiscard]] double longestWaitMilliseconds() const { return m_longest; }
    [[nodiscard]] int beats() const { return m_beats; }

private:
    struct Sample {
        qint64 computed = 0; // µs
        qint64 queued = 0;   // µs
    };
    [[nodiscard]] Sample sample() const {
        char text[128] = {};
        qint64 queued = 0;
        if (::pread(m_schedstat, text, sizeof(text) - 1, 0) > 0) {
            queued = QByteArray(text).split(' ').value(1).toLongLong() / 1000;
        }
        return {processorTime(), queued};
    }
    void beat() {
        const Sample now = sample();
        const qint64 passed = m_clock.nsecsElapsed() / 1000 - 10000;
        const qint64 explained = (now.computed - m_last.computed) + (now.queued - m_last.queued);
        m_longest = std::max(m_longest, static_cast<double>(passed - explained) / 1000);
        m_last = now;
        m_clock.start();
        ++m_beats;
    }
    int m_schedstat = -1;
    QTimer m_timer;
    QElapsedTimer m_clock;
    Sample m_last;
    double m_longest = 0;
    int m_beats = 0;
};

qint64 qemuOf(qint64 machineProcess) {
    const QStringList processes = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString& process : processes) {
        QFile file(QStringLiteral("/proc/%1/stat").arg(process));
        if (!process.at(0).isDigit() || !file.open(QIODevice::ReadOnly)) {
            continue;
        }
        const QByteArray text = file.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (fields.value(1).toLongLong() == machineProcess && text.contains("(qemu-system")) {
            return process.toLongLong();
        }
    }
    return 0;
}

class ManyMachines : public testing::Test {
protected:
    void SetUp() override {
        QSettings().clear();
        ui::applyTheme(ui::SchemeChoice::Light);
        qputenv("VITRINE_HOME", small.library.home().toUtf8());
        qputenv("PATH", QByteArray(VITRINE_BIN_DIR) + ':' + qgetenv("PATH"));
        MachineConfig config = SmallLibrary::smallConfig();
        config.memoryMinimum = config.memory = ByteCount::fromMiB(64);
        for (int i = 0; i < count; ++i) {
            if (i != twin) { // it keeps the address of the one before
                config.macAddress = MacAddress::random();
            }
            addGuest(nameOf(i), config);
        }
        model = std::make_unique<LibraryModel>(small.library);
        jobs = std::make_unique<JobListModel>();
        clients = std::make_unique<ui::MachineClients>(model.get());
        hypervisor = qemu::makeHypervisor();
        host = std::make_unique<ui::HostReport>(hypervisor.get());
        thumbnails = std::make_unique<ui::Thumbnails>(clients.get());
        window = std::make_unique<ui::MainWindow>(ui::Services{model.get(),
                                                               jobs.get(),
                                                               clients.get(),
                                                               hypervisor.get(),
                                                               host.get(),
                                                               thumbnails.get()});
        window->resize(1280, 800);
        window->show();
        ASSERT_TRUE(waitUntil([this] { return model->isLoaded() && model->rowCount() == count; }));
    }
    void TearDown() override {
        for (int i = 0; clients && i < count; ++i) {
            if (clients->client(nameOf(i)) != nullptr) {
                clients->forceOff(nameOf(i));
            }
        }
        if (clients) {
            waitUntil([this] { return clients->runningNames().isEmpty(); }, patience);
        }
        window.reset();
    }
    // 64 MiB and a kernel that halts: it needs no processor time.
    void addGuest(const QString& name, const MachineConfig& config) {
        const QString directory = small.add(name, config);
        ASSERT_TRUE(Sidecar::update(directory, [&](Sidecar& sidecar) {
            sidecar.run.kernel = KernelBoot{QStringLiteral(VITRINE_IDLE_KERNEL), {}, {}};
        }));
    }
    // The address of the machine's network card.
    [[nodiscard]] QString macOf(int number) const {
        const auto found = small.library.find(nameOf(number));
        return found && found->config ? found->config->macAddress.toText() : QString();
    }
    [[nodiscard]] QString eventsOf(int number) const {
        const auto sidecar = Sidecar::read(info(number).directory);
        return sidecar ? QString::fromUtf8(
                             QJsonDocument(sidecar->events).toJson(QJsonDocument::Compact))
                       : QString();
    }
    // What it does is seen in the list and said to a screen reader.
    [[nodiscard]] bool showsHung(int number) const {
        return !info(number).responding && info(number).state == MachineState::Running &&
               spoken(number).contains(QStringLiteral("Not responding"));
    }
    [[nodiscard]] int inState(MachineState state) const {
        int found = 0;
        for (int i = 0; i < count; ++i) {
            const MachineInfo* info = model->infoAt(model->rowOf(nameOf(i)));
            found += info != nullptr && info->state == state ? 1 : 0;
        }
        return found;
    }
    [[nodiscard]] const MachineInfo& info(int number) const {
        return *model->infoAt(model->rowOf(nameOf(number)));
    }
    [[nodiscard]] QString spoken(int number) const {
        return window->sideList()
            ->sideModel()
            ->indexOf(nameOf(number), false)
            .data(Qt::AccessibleTextRole)
            .toString();
    }

    SmallLibrary small;
    std::unique_ptr<LibraryModel> model;
    std::unique_ptr<JobListModel> jobs;
    std::unique_ptr<ui::MachineClients> clients;
    std::unique_ptr<Hypervisor> hypervisor;
    std::unique_ptr<ui::HostReport> host;
    std::unique_ptr<ui::Thumbnails> thumbnails;
    std::unique_ptr<ui::MainWindow> window;
};

} // namespace

TEST_F(ManyMachines, TenStartShowAndStopAndAHungOneDisturbsNoOther) {
    clients->setPulse(1500);
    ASSERT_EQ(macOf(twin), macOf(twin - 1));
    Heartbeat heart;
    heart.start();
    for (int i = 0; i < count; ++i) {
        clients->start(nameOf(i));
    }
    ASSERT_TRUE(waitUntil([this] { return inState(MachineState::Running) == count; }, patience))
        << inState(MachineState::Running) << " run";
    savePicture(*window, QStringLiteral("many-running"));

    // Two with one address cannot be: whichever came second has a new one, and says so.
    EXPECT_NE(macOf(twin), macOf(twin - 1));
    const auto toldOfMac = [this](int number) {
        return eventsOf(number).contains(QStringLiteral("so this machine got a new one"));
    };
    EXPECT_TRUE(waitUntil([&] { return toldOfMac(twin) != toldOfMac(twin - 1); }, 20000))
        << qPrintable(eventsOf(twin)) << qPrintable(eventsOf(twin - 1));
    EXPECT_FALSE(toldOfMac(0));

    // Each shows its screen.
    for (int i = 0; i < count; ++i) {
        window->showMachine(nameOf(i), ui::MachinePage::Tab::Console);
        EXPECT_TRUE(waitUntil([this] { return window->machinePage()->console()->isScreenShown(); },
                              patience))
            << i;
    }

    // The QEMU of one hangs, and the machine's own process of another.
    const auto qemu = static_cast<pid_t>(qemuOf(clients->status(nameOf(3))->processId));
    const auto process = static_cast<pid_t>(clients->status(nameOf(6))->processId);
    ASSERT_GT(qemu, 0);
    ASSERT_GT(process, 0);
    window->showMachine(nameOf(3), ui::MachinePage::Tab::Console);
    ASSERT_EQ(vitrine::test::sendSignal(qemu, SIGSTOP), 0);
    ASSERT_EQ(vitrine::test::sendSignal(process, SIGSTOP), 0);
    EXPECT_TRUE(waitUntil([this] { return showsHung(3) && showsHung(6); }, 60000))
        << qPrintable(spoken(3)) << "; " << qPrintable(spoken(6));
    savePicture(*window, QStringLiteral("many-hung"));
    // The others are as they were and obey at once.
    for (int i = 0; i < count; ++i) {
        EXPECT_TRUE(i == 3 || i == 6 || info(i).responding) << i;
    }
    clients->pause(nameOf(4));
    EXPECT_TRUE(waitUntil([this] { return info(4).state == MachineState::Paused; }, 20000));
    window->showMachine(nameOf(5), ui::MachinePage::Tab::Console);
    EXPECT_TRUE(
        waitUntil([this] { return window->machinePage()->console()->isScreenShown(); }, 20000));
    // They come back.
    ASSERT_EQ(vitrine::test::sendSignal(qemu, SIGCONT), 0);
    ASSERT_EQ(vitrine::test::sendSignal(process, SIGCONT), 0);
    EXPECT_TRUE(waitUntil([this] { return info(3).responding && info(6).responding; }, 60000));

    for (int i = 0; i < count; ++i) {
        clients->forceOff(nameOf(i));
    }
    EXPECT_TRUE(waitUntil([this] { return inState(MachineState::Stopped) == count; }, patience));
    savePicture(*window, QStringLiteral("many-stopped"));

    EXPECT_GT(heart.beats(), 100);
    EXPECT_LT(heart.longestWaitMilliseconds(), longestWait) << "the window's thread waited";
    const auto* application = static_cast<const app::Application*>(qApp);
    fprintf(stderr,
            "The window's thread waited for %.1f ms at most and was busy for %.1f ms at most, %.1f "
            "of them outside painting.\n",
            heart.longestWaitMilliseconds(),
            application->watchdog()->longestWhole(),
            application->watchdog()->longestOwn());
    for (const app::Watchdog::Violation& violation : application->watchdog()->violations()) {
        EXPECT_LT(violation.whole, longestWork) << qPrintable(violation.what);
    }
}

TEST_F(ManyMachines, MoreMemoryThanThereIsIsToldBeforeTheStart) {
    clients->start(nameOf(0));
    ASSERT_TRUE(waitUntil([this] { return info(0).state == MachineState::Running; }, patience));
    // Alone it would fit; with the one that runs it does not.
    QFile file(QStringLiteral("/proc/meminfo"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const quint64 total = hostMemoryFrom(file.readAll()).total.wholeMiB();
    MachineConfig config = SmallLibrary::smallConfig();
    config.memory = ByteCount::fromMiB(total - 16);
    addGuest(QStringLiteral("large"), config);
    model->refresh();
    ASSERT_TRUE(waitUntil([this] { return model->rowOf(QStringLiteral("large")) >= 0; }));

    ASSERT_TRUE(window->sideList()->select({QStringLiteral("large"), false}));
    ASSERT_TRUE(waitUntil([this] { return window->actions()->startAndShow->isEnabled(); }));
    window->actions()->startAndShow->trigger();
    ui::Question* question = nullptr;
    ASSERT_TRUE(waitUntil([&] {
        question = window->findChild<ui::Question*>();
        return question != nullptr && question->isVisible();
    }));
    QString text;
    for (const QLabel* label : question->findChildren<QLabel*>()) {
        text += label->text() + QLatin1Char('\n');
    }
    const QString warning = QStringLiteral("the running machines (guest00) have 64");
    EXPECT_TRUE(text.contains(warning)) << qPrintable(text);
    savePicture(*question, QStringLiteral("many-memory"));
    question->button(QStringLiteral("Cancel"))->click();
    EXPECT_FALSE(clients->isStarting(QStringLiteral("large")));

    // The command line says it too and goes on: a script is not held up.
    QProcess program;
    program.setProcessChannelMode(QProcess::MergedChannels);
    QString said;
    QObject::connect(&program, &QProcess::readyRead, &program, [&] {
        said += QString::fromUtf8(program.readAll());
    });
    program.start(
        QStringLiteral(VITRINE_BIN_DIR "/vitrinectl"),
        {QStringLiteral("run"), QStringLiteral("large"), QStringLiteral("--no-graphics")});
    EXPECT_TRUE(waitUntil([&] { return said.contains(warning); }, 30000)) << qPrintable(said);
    program.kill();
    EXPECT_TRUE(waitUntil([&] { return program.state() == QProcess::NotRunning; }, 30000));
}
