// SPDX-License-Identifier: Apache-2.0
#include "vz/host/machine_process.h"

#include "tests/vz/host/vz_library.h"

#include <QFileInfo>

#include <csignal>

using namespace vitrine;
using namespace vitrine::vz;
using namespace vitrine::vz::test;

namespace {

class VzMachineProcess : public VzLibrary {
protected:
    // Runs it; each step is taken, in their order, when its condition holds.
    struct Step {
        std::function<bool()> when;
        std::function<void()> then;
    };
    int run(const Hypervisor::RunRequest& wish, QList<Step> steps) {
        QTimer look;
        QObject::connect(&look, &QTimer::timeout, &look, [&steps] {
            if (!steps.isEmpty() && steps.constFirst().when())
                steps.takeFirst().then();
        });
        look.start(1);
        const int code = runMachine(services, wish);
        EXPECT_TRUE(steps.isEmpty());
        return code;
    }
    Step whenAsked(const char* what, std::function<void()> then) {
        return {[this, what] {
                    return factory->last && factory->last->asked.endsWith(QLatin1String(what));
                },
                std::move(then)};
    }
    Step whenRunning(std::function<void()> then) {
        return {[this] { return factory->last && factory->last->current == VmState::Running; },
                std::move(then)};
    }
    static std::function<void()> raise(int number) {
        return [number] { ::kill(::getpid(), number); };
    }
    std::function<void()> guestStops() {
        return [this] {
            factory->last->current = VmState::Stopped;
            factory->last->events->guestStopped();
        };
    }
};

} // namespace

TEST_F(VzMachineProcess, TheFirstInterruptShutsDown) {
    addLinux();
    auto wish = request(QStringLiteral("linux"));
    wish.forceOffAfterSeconds = 30;
    EXPECT_EQ(run(wish, {whenRunning(raise(SIGINT)), whenAsked("button", guestStops())}), 0);
    EXPECT_EQ(asked().substr(0, 12), "start button");
}

TEST_F(VzMachineProcess, TheSecondInterruptForcesOff) {
    addLinux();
    auto wish = request(QStringLiteral("linux"));
    for (const int limit : {0, 30}) {
        wish.forceOffAfterSeconds = limit;
        factory->last = nullptr;
        EXPECT_EQ(run(wish, {whenRunning(raise(SIGINT)), whenAsked("button", raise(SIGINT))}), 0);
    }
}

TEST_F(VzMachineProcess, ASessionThatEndsMaySayItOften) {
    addLinux();
    auto wish = request(QStringLiteral("linux"));
    wish.forceOffAfterSeconds = 30;
    EXPECT_EQ(run(wish,
                  {whenRunning(raise(SIGTERM)),
                   whenAsked("button", raise(SIGHUP)),
                   whenAsked("button", raise(SIGTERM)),
                   whenAsked("button", guestStops())}),
              0);
}

TEST_F(VzMachineProcess, SuspendsAtASignal) {
    const QString directory = addMac();
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    EXPECT_EQ(run(wish, {whenRunning(raise(SIGUSR1))}), 0);
    EXPECT_EQ(stateOf(directory), MachineState::Suspended);
}

TEST_F(VzMachineProcess, ShutsDownAtASignalWithoutALimit) {
    addLinux();
    EXPECT_EQ(run(request(QStringLiteral("linux")),
                  {whenRunning(raise(SIGUSR2)), whenAsked("button", guestStops())}),
              0);
}

TEST_F(VzMachineProcess, ItsExitCodesAreThoseOfEveryMachine) {
    EXPECT_EQ(run(request(QStringLiteral("nobody")), {}), 2);
    addLinux();
    factory->refusal = Error{Error::Kind::Unsupported, QStringLiteral("No."), {}};
    EXPECT_EQ(run(request(QStringLiteral("linux")), {}), 1);
}
