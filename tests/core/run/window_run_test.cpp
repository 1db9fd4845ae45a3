// SPDX-License-Identifier: Apache-2.0
// The command line's end, with this test as the window.
#include "core/run/window_run.h"

#include "core/channel/local_socket.h"
#include "core/hypervisor/control_message.h"
#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"

#include <QLocalSocket>
#include <QProcess>

#include <gtest/gtest.h>
#include <unistd.h>

using namespace vitrine;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

namespace {

const QString web = QStringLiteral("web");

QJsonObject event(const char* word) {
    return {{QStringLiteral("event"), QLatin1String(word)}};
}

class WindowRunTest : public testing::Test {
protected:
    void make(const WindowRun::Patience& patience = {}) {
        auto made = WindowRun::make({small.library, web, {}}, patience);
        ASSERT_TRUE(made) << made.error().message.toStdString();
        run = *std::move(made);
        folder = QFileInfo(run->requestPath()).path();
        QObject::connect(run.get(), &WindowRun::started, run.get(), [this] { started = true; });
        QObject::connect(run.get(), &WindowRun::deaf, run.get(), [this] { deaf = true; });
        QObject::connect(run.get(),
                         &WindowRun::told,
                         run.get(),
                         [this](const QString& kind, const QString&) { told.append(kind); });
        QObject::connect(run.get(),
                         &WindowRun::finished,
                         run.get(),
                         [this](WindowRun::Outcome how, const std::optional<Error>& why) {
                             ASSERT_FALSE(outcome) << "once";
                             outcome = how;
                             error = why;
                         });
    }
    // A window that comes for the request.
    struct Window {
        bool hasRequest = false;
        std::unique_ptr<JsonChannel> channel;
        QStringList heard;
    };
    std::unique_ptr<Window> open() {
        auto window = std::make_unique<Window>();
        const auto id = RunRequestFile::idOf(small.library.home(), run->requestPath());
        auto taken = id ? RunRequestFile::take(small.library, *id, web) : std::nullopt;
        if (!taken)
            return nullptr;
        window->hasRequest = taken->request && *taken->request;
        auto socket = std::make_unique<QLocalSocket>();
        socket->setSocketDescriptor(taken->answer.release());
        window->channel = std::make_unique<JsonChannel>(std::move(socket), JsonChannel::Limits());
        QObject::connect(window->channel.get(),
                         &JsonChannel::received,
                         window->channel.get(),
                         [heard = &window->heard](const QJsonObject& line) {
                             heard->append(line.value(QLatin1String("do")).toString());
                         });
        return window;
    }
    // One that has it and was told to start.
    std::unique_ptr<Window> takeOver() {
        auto window = open();
        if (!window)
            return nullptr;
        window->channel->send(event("taken"));
        EXPECT_TRUE(waitUntil([&] { return window->heard.contains(QLatin1String("start")); }));
        return window;
    }
    bool ends() {
        return waitUntil([this] { return outcome.has_value(); });
    }

    SmallLibrary small;
    std::unique_ptr<WindowRun> run;
    QString folder;
    std::optional<WindowRun::Outcome> outcome;
    std::optional<Error> error;
    QStringList told;
    bool started = false;
    bool deaf = false;
};

} // namespace

TEST_F(WindowRunTest, AMachineIsFollowedToItsEnd) {
    make();
    const auto window = takeOver();
    ASSERT_TRUE(window && window->hasRequest);
    EXPECT_FALSE(QFileInfo::exists(folder)) << "nothing is left when it is taken";
    QJsonObject remark = event("told");
    remark[QLatin1String("kind")] = QStringLiteral("remark");
    window->channel->send(remark);
    window->channel->send(event("of a newer window"));
    window->channel->send(event("started"));
    ASSERT_TRUE(waitUntil([this] { return started; }));
    EXPECT_EQ(told, QStringList(QStringLiteral("remark")));
    window->channel->send(event("ended"));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*outcome, WindowRun::Outcome::Ended);
    EXPECT_FALSE(error);
}

TEST_F(WindowRunTest, WhyItDidNotStartArrivesWithItsKind) {
    for (const char* word : {"refused", "ended"}) {
        make();
        outcome.reset();
        const auto window = takeOver();
        ASSERT_TRUE(window);
        QJsonObject line = event(word);
        line[QLatin1String("kind")] = control::toWord(Error::Kind::DiskFull);
        line[QLatin1String("message")] = QStringLiteral("Full.");
        window->channel->send(line);
        window->channel->close();
        ASSERT_TRUE(ends());
        EXPECT_EQ(*outcome,
                  line.value(QLatin1String("event")) == QLatin1String("refused")
                      ? WindowRun::Outcome::Refused
                      : WindowRun::Outcome::Ended);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->kind, Error::Kind::DiskFull);
        EXPECT_EQ(error->message, QStringLiteral("Full."));
    }
}

TEST_F(WindowRunTest, WishesArriveInTheirOrder) {
    make();
    const auto window = takeOver();
    ASSERT_TRUE(window);
    run->wish(MachineHost::Wish::Suspend);
    run->wish(MachineHost::Wish::ShutDown);
    run->wish(MachineHost::Wish::Interrupt);
    run->wish(MachineHost::Wish::Interrupt);
    ASSERT_TRUE(waitUntil([&] { return window->heard.size() == 5; }));
    EXPECT_EQ(window->heard.join(QLatin1Char(' ')).toStdString(),
              "start suspend shut-down interrupt interrupt");
}

TEST_F(WindowRunTest, AWindowThatHearsNothingIsTold) {
    WindowRun::Patience patience;
    patience.untilHeard = 20;
    make(patience);
    const auto window = takeOver();
    ASSERT_TRUE(window);
    run->wish(MachineHost::Wish::Interrupt);
    ASSERT_TRUE(waitUntil([this] { return deaf; }));
    EXPECT_TRUE(run->isDeaf());
    window->channel->send(event("heard"));
    EXPECT_TRUE(waitUntil([this] { return !run->isDeaf(); }));
    EXPECT_FALSE(outcome);
}

TEST_F(WindowRunTest, AWindowThatIsKilledIsNoEndOfTheGuest) {
    make();
    auto window = takeOver();
    ASSERT_TRUE(window);
    window->channel->send(event("started"));
    window.reset();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*outcome, WindowRun::Outcome::Lost);
    EXPECT_TRUE(started) << "what was said before is read";
    EXPECT_TRUE(error);
}

TEST_F(WindowRunTest, InterruptedBeforeAWindowCameNothingIsStarted) {
    make();
    run->wish(MachineHost::Wish::Suspend);
    EXPECT_FALSE(outcome);
    run->wish(MachineHost::Wish::Interrupt);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(*outcome, WindowRun::Outcome::NotTaken);
    EXPECT_TRUE(error && error->isCancelled());
    EXPECT_FALSE(open());
    EXPECT_FALSE(QFileInfo::exists(folder));
}

TEST_F(WindowRunTest, InterruptedBetweenTakingAndSayingSoNothingIsStarted) {
    make();
    const auto window = open();
    ASSERT_TRUE(window && window->hasRequest);
    run->wish(MachineHost::Wish::Interrupt);
    EXPECT_FALSE(outcome) << "it cannot be taken back any more";
    window->channel->send(event("taken"));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*outcome, WindowRun::Outcome::NotTaken);
    EXPECT_TRUE(waitUntil([&] { return !window->channel->isOpen(); }));
    EXPECT_TRUE(window->heard.isEmpty());
}

TEST_F(WindowRunTest, AWindowThatTookItAndDiedIsNotWaitedFor) {
    WindowRun::Patience patience;
    patience.afterMissing = 20;
    make(patience);
    auto window = open();
    ASSERT_TRUE(window && window->hasRequest);
    window.reset();
    const auto second = open();
    ASSERT_TRUE(second);
    EXPECT_FALSE(second->hasRequest);
    second->channel->send(event("missing"));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*outcome, WindowRun::Outcome::NotTaken);
    EXPECT_EQ(error->kind, Error::Kind::Timeout);
}

TEST_F(WindowRunTest, OneThatCameTooLateDoesNotDisturb) {
    make();
    const auto first = open();
    const auto second = open();
    ASSERT_TRUE(first && second);
    second->channel->send(event("missing"));
    first->channel->send(event("taken"));
    ASSERT_TRUE(waitUntil([&] { return first->heard.contains(QLatin1String("start")); }));
    second->channel->send(event("ended"));
    second->channel->close();
    first->channel->send(event("started"));
    EXPECT_TRUE(waitUntil([this] { return started; }));
    EXPECT_FALSE(outcome);
}

TEST_F(WindowRunTest, AProgramThatEndsWithoutTakingItIsNotWaitedForForLong) {
    WindowRun::Patience patience;
    patience.afterHandOver = 20;
    make(patience);
    QProcess program; // as one that cannot open its window
    program.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("exit 64")});
    ASSERT_TRUE(program.waitForStarted());
    run->watch(static_cast<pid_t>(program.processId()));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*outcome, WindowRun::Outcome::NotTaken);
    EXPECT_EQ(error->kind, Error::Kind::Timeout);
    EXPECT_FALSE(QFileInfo::exists(folder));
    program.waitForFinished();
}

TEST_F(WindowRunTest, AWindowThatNeverComesIsNotWaitedForForever) {
    WindowRun::Patience patience;
    patience.untilTaken = 20;
    make(patience);
    run->watch(::getpid());
    ASSERT_TRUE(ends());
    EXPECT_EQ(*outcome, WindowRun::Outcome::NotTaken);
}

TEST_F(WindowRunTest, NonsenseOnItsSocketIsNothing) {
    make();
    QList<int> callers;
    for (int i = 0; i < 20; ++i) {
        const auto connected = connectToLocalSocket(folder + QStringLiteral("/answer.sock"));
        ASSERT_TRUE(connected);
        callers.append(*connected);
        const QByteArray text = i % 2 == 0 ? QByteArray("nonsense\n{}\n[]\n") : QByteArray("{");
        ASSERT_EQ(::write(*connected, text.constData(), static_cast<size_t>(text.size())),
                  text.size());
    }
    for (const int caller : callers)
        ::close(caller);
    EXPECT_TRUE(takeOver());
    EXPECT_FALSE(outcome);
}
