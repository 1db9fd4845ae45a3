// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/machine_run.h"

#include "core/job/in_worker.h"

#include <QFileInfo>

#include <utility>

namespace vitrine::vz {

using Kind = Action::Kind;

namespace {

// As people gave it.
QString nameOf(const Disk& disk) {
    if (const auto* network = std::get_if<NetworkDisk>(&disk.source))
        return network->url;
    if (const auto* image = std::get_if<ImageDisk>(&disk.source))
        return image->path;
    return std::get<BlockDisk>(disk.source).path;
}

} // namespace

// What the framework tells goes to the life, if there is one yet.
class MachineRun::Events final : public MachineEvents {
public:
    explicit Events(MachineRun* run)
        : m_run(run) {}
    void stateChanged(VmState state) override {
        tell([state](Lifecycle& life) { return life.stateChanged(state); });
    }
    void guestStopped() override {
        tell([](Lifecycle& life) { return life.guestStopped(); });
    }
    void stoppedWithError(const VzFailure& failure) override {
        tell([&failure](Lifecycle& life) { return life.stoppedWithError(failure); });
    }
    void networkDropped(int card, const VzFailure& failure) override {
        tell([card, &failure](Lifecycle& life) { return life.networkDropped(card, failure); });
    }
    void diskFailed(int disk, const VzFailure& failure) override {
        FailureContext context;
        context.machine = m_run->m_setup.name;
        context.disk = nameOf(m_run->m_setup.plan.disks.value(disk));
        Error error = toError(Operation::Disk, failure, context);
        error.detail += QStringLiteral(" [disk %1]").arg(disk);
        Q_EMIT m_run->reported(error);
    }
    void displayReconfigured() override { Q_EMIT m_run->displayReconfigured(); }

private:
    template <class Event>
    void tell(Event event) {
        if (m_run->m_life)
            m_run->add(event(*m_run->m_life));
    }
    MachineRun* m_run;
};

MachineRun::MachineRun(Setup setup,
                       std::unique_ptr<Machine> machine,
                       std::unique_ptr<SoftnetSession> network,
                       QObject* parent)
    : QObject(parent)
    , m_setup(std::move(setup))
    , m_events(std::make_unique<Events>(this))
    , m_machine(std::move(machine))
    , m_network(std::move(network)) {
    m_machine->setEvents(m_events.get());
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, [this] { add(m_life->timerExpired()); });
    m_savingTimer.setInterval(m_setup.savingLook);
    connect(&m_savingTimer, &QTimer::timeout, this, &MachineRun::lookAtSaving);
    if (m_network) {
        connect(m_network.get(), &SoftnetSession::lost, this, [this](const Error& error) {
            if (m_life)
                add(m_life->networkGone(error));
        });
        connect(m_network.get(), &SoftnetSession::stopped, this, [this] {
            if (!std::exchange(m_networkStopping, false))
                return;
            m_waiting = false;
            pump();
        });
    }
}

MachineRun::~MachineRun() {
    m_machine->setEvents(nullptr);
}

QString MachineRun::path(const char* name) const {
    return m_setup.directory + QLatin1Char('/') + QLatin1String(name);
}

MachineState MachineRun::state() const {
    if (m_life)
        return m_life->state();
    return m_started && !m_finished ? MachineState::Starting : MachineState::Stopped;
}

void MachineRun::start() {
    if (std::exchange(m_started, true))
        return;
    inWorker(
        this,
        [directory = m_setup.directory, plan = m_setup.plan, host = m_setup.host] {
            return findState(directory, plan, host);
        },
        [this](const FoundState& found) { begin(found); });
}

void MachineRun::begin(const FoundState& found) {
    if (m_cancelled || m_finished) {
        finish(0, {});
        return;
    }
    m_found = m_setup.ignoresState ? FoundState() : found;
    const bool unfit = m_found.kind == FoundState::Kind::Unfit;
    if (unfit && !m_setup.startsAfresh) {
        finish(1, Error{Error::Kind::Integrity, m_found.reason, {}});
        return;
    }
    Lifecycle::Setup life;
    life.machine = m_setup.name;
    life.hasSavedState =
        m_found.kind == FoundState::Kind::Saved || m_found.kind == FoundState::Kind::Used;
    life.savable = m_setup.plan.savable;
    life.startsAfresh = m_setup.startsAfresh;
    life.recovery = m_setup.plan.recovery;
    life.hasSoftnet = m_network != nullptr;
    life.forceOffAfter = m_setup.forceOffAfter;
    life.patience = m_setup.patience;
    m_life.emplace(life);
    Actions actions;
    if (unfit) {
        Action discard;
        discard.kind = Kind::DeleteState;
        actions << discard;
    }
    add(actions + m_life->begin());
}

void MachineRun::add(const Actions& actions) {
    m_queue += actions;
    pump();
}

// In their order, and none before what the one before it needs is done.
void MachineRun::pump() {
    if (m_pumping)
        return;
    m_pumping = true;
    while (!m_queue.isEmpty() && !m_waiting && !m_finished) {
        const Action action = m_queue.takeFirst();
        m_waiting = !carryOut(action);
    }
    m_pumping = false;
}

void MachineRun::doFiles(std::function<Result<>()> work,
                         std::function<void(std::optional<Error>)> then) {
    inWorker(this, std::move(work), [this, then = std::move(then)](const Result<>& result) {
        m_waiting = false;
        then(result ? std::nullopt : std::optional(result.error()));
        pump();
    });
}

bool MachineRun::carryOut(const Action& action) {
    const QString& directory = m_setup.directory;
    const auto fingerprint = [directory, setup = m_setup]() -> Result<StateFingerprint> {
        auto now = fingerprintOf(directory, setup.plan, setup.host);
        if (now) {
            now->run = setup.options;
            now->stored = setup.stored;
        }
        return now;
    };
    switch (action.kind) {
    case Kind::Start:
        m_machine->start(action.recovery, answer(Operation::Start));
        return true;
    case Kind::Restore:
        m_machine->restore(
            path(m_found.kind == FoundState::Kind::Used ? vzUsedStateName : vzStateName),
            answer(Operation::Restore));
        return true;
    case Kind::Resume:
        m_machine->resume(answer(Operation::Resume));
        return true;
    case Kind::Pause:
        m_machine->pause(answer(Operation::Pause));
        return true;
    case Kind::Save:
        m_machine->save(path(vzPartialStateName), answer(Operation::Save));
        m_savingTimer.start();
        lookAtSaving();
        return true;
    case Kind::RequestStop:
        m_machine->requestStop(answer(Operation::RequestStop));
        return true;
    case Kind::Stop:
        m_machine->stop(answer(Operation::Stop));
        return true;
    case Kind::PublishState:
        doFiles(
            [directory, fingerprint]() -> Result<> {
                const auto now = fingerprint();
                return now ? publishState(directory, *now) : fail(now.error());
            },
            [this](std::optional<Error> error) { add(m_life->statePublished(error)); });
        return false;
    case Kind::RenewFingerprint:
        doFiles(
            [directory, fingerprint]() -> Result<> {
                const auto now = fingerprint();
                return now ? now->write(directory) : fail(now.error());
            },
            [this](std::optional<Error> error) { add(m_life->fingerprintRenewed(error)); });
        return false;
    case Kind::MarkStateUsed:
        doFiles([directory] { return markStateUsed(directory); },
                [this](std::optional<Error> error) { add(m_life->stateMarkedUsed(error)); });
        return false;
    case Kind::DeleteState:
        doFiles([directory] { return deleteState(directory); },
                [this](std::optional<Error> error) {
                    if (error)
                        Q_EMIT reported(*error);
                });
        return false;
    case Kind::DeletePartial:
        doFiles(
            [directory]() -> Result<> {
                deletePartialState(directory);
                return {};
            },
            [](const std::optional<Error>&) {});
        return false;
    case Kind::StartNetwork:
        if (const auto started = m_network->start(); !started)
            finish(1, started.error());
        return true;
    case Kind::StopNetwork:
        m_networkStopping = true;
        m_network->stop();
        return !m_networkStopping; // perhaps it had ended before
    case Kind::Reattach:
        if (const auto set =
                m_machine->setAttachment(action.card, m_setup.plan.cards.value(action.card));
            !set)
            Q_EMIT reported(set.error());
        return true;
    case Kind::OpenServices:
        Q_EMIT servicesWanted();
        if (!m_setup.ignoresState)
            return true;
        doFiles([directory] { return deleteState(directory); },
                [this](const std::optional<Error>& error) {
                    if (error)
                        Q_EMIT reported(*error);
                });
        return false;
    case Kind::ArmTimer:
        m_timer.start(action.milliseconds);
        return true;
    case Kind::CancelTimer:
        m_timer.stop();
        return true;
    case Kind::TellState:
        Q_EMIT stateChanged(action.state);
        return true;
    case Kind::Report:
        Q_EMIT reported(*action.error);
        return true;
    case Kind::Finish:
        finish(action.exitCode, action.error);
        return true;
    }
    return true;
}

void MachineRun::finish(int exitCode, std::optional<Error> error) {
    if (std::exchange(m_finished, true))
        return;
    m_timer.stop();
    m_savingTimer.stop();
    m_queue.clear();
    Q_EMIT finished(exitCode, error);
}

Machine::Completion MachineRun::answer(Operation operation) {
    return [this, operation](std::optional<VzFailure> failure) { answered(operation, failure); };
}

void MachineRun::answered(Operation operation, const std::optional<VzFailure>& failure) {
    if (operation == Operation::Save)
        m_savingTimer.stop();
    if (!failure || !failure->is(VzLimitExceeded) || !m_setup.runningMacMachines) {
        add(m_life->completed(operation, failure));
        return;
    }
    inWorker(
        this, m_setup.runningMacMachines, [this, operation, failure](const QStringList& names) {
            m_life->setRunningMacMachines(names);
            add(m_life->completed(operation, failure));
        });
}

void MachineRun::lookAtSaving() {
    if (std::exchange(m_looking, true))
        return;
    inWorker(
        this,
        [file = path(vzPartialStateName)] { return QFileInfo(file).size(); },
        [this](qint64 written) {
            m_looking = false;
            if (m_savingTimer.isActive())
                Q_EMIT saving(static_cast<quint64>(written));
        });
}

void MachineRun::wish(Actions (Lifecycle::*what)()) {
    if (m_life)
        add(((*m_life).*what)());
}

void MachineRun::shutDown() {
    m_cancelled = true; // heeded as long as there is no life yet
    wish(&Lifecycle::shutDown);
}

void MachineRun::interrupt() {
    m_cancelled = true;
    wish(&Lifecycle::interrupt);
}

void MachineRun::forceOff() {
    m_cancelled = true;
    wish(&Lifecycle::forceOff);
}

void MachineRun::pause() {
    wish(&Lifecycle::pause);
}

void MachineRun::resume() {
    wish(&Lifecycle::resume);
}

void MachineRun::suspend() {
    wish(&Lifecycle::suspend);
}

// Counts only if the machine took it.
Result<> MachineRun::change(const std::function<Result<ShareChange>(ShareSet&)>& edit) {
    const MachineState now = state();
    if (now != MachineState::Running && now != MachineState::Paused)
        return fail(Error::Kind::NotRunning, Tr::tr("\"%1\" is not running.").arg(m_setup.name));
    ShareSet edited = m_setup.shares;
    const auto changed = edit(edited);
    if (!changed)
        return fail(changed.error());
    if (const auto set = m_machine->setShare(changed->device); !set)
        return set;
    m_setup.shares = edited;
    m_setup.plan.shares = edited.devices();
    return {};
}

Result<> MachineRun::addShare(const ShareSpec& share) {
    return change([&share](ShareSet& set) { return set.add(share); });
}

Result<> MachineRun::removeShare(const ShareSpec& share) {
    return change([&share](ShareSet& set) { return set.remove(share); });
}

Result<> MachineRun::setShareReadOnly(const ShareSpec& share, bool readOnly) {
    return change([&share, readOnly](ShareSet& set) { return set.setReadOnly(share, readOnly); });
}

} // namespace vitrine::vz
