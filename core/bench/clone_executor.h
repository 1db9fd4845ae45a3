// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/guest_executor.h"
#include "core/bench/throwaway_machine.h"

#include <functional>

namespace vitrine::bench {

// A throw-away clone of a machine, measured in its guest. It runs from its making on; while others
// are measured it is paused, or shut down where the memory does not allow all at once. Main thread.
class CloneExecutor final : public Executor {
public:
    enum class Idle { Paused, ShutDown };
    struct Request {
        ThrowawayMachine::Request machine;
        GuestExecutor::Setup guest;
        GuestExecutor::Fio fio = GuestExecutor::Fio::Install;
        Idle idle = Idle::Paused;
        quint64 space = 0; // bytes that must be free for test files
        bool grow = false; // the clone's disk, where they do not fit
        // After each start, before anything is run in the guest's folder: to mount it.
        std::function<Result<>(MachineClient&, GuestShell&, const std::stop_token&)> prepareGuest =
            {};
        QStringList hostFiles = {}; // besides its disk: out of this computer's page cache, too
    };

    // Clones, starts, waits for the guest, makes it ready, lets it rest. DiskFull when the test
    // files do not fit and the clone may not or cannot grow. Removes the clone on failure and
    // cancel.
    [[nodiscard]] static Result<std::unique_ptr<CloneExecutor>> open(const Request& request,
                                                                     const JobContext& context);
    ~CloneExecutor() override;

    [[nodiscard]] const guest::Opened& opened() const { return m_guest->opened(); }
    [[nodiscard]] bool canDropCaches() const { return m_guest->canDropCaches(); }
    [[nodiscard]] const QString& accelerator() const { return m_accelerator; } // "KVM", "TCG"

    [[nodiscard]] QString name() const override { return m_request.guest.name; }
    [[nodiscard]] QJsonObject options() const override { return m_request.guest.options; }
    Result<> begin(std::stop_token stop) override;
    void end() override;
    [[nodiscard]] Result<Output> run(const QString& command, std::stop_token stop) override;
    Result<> dropCaches() override; // the guest's, and this computer's of the clone's disk
    Result<> removeTestFiles(std::stop_token stop) override {
        return m_guest->removeTestFiles(std::move(stop));
    }
    [[nodiscard]] Result<quint64> freeSpace() const override { return m_free; }
    [[nodiscard]] QJsonObject noise() const override;

private:
    explicit CloneExecutor(Request request);
    Result<> openAll(const JobContext& context);
    Result<std::unique_ptr<GuestShell>> start(const std::stop_token& stop);
    Result<> makeRoom();
    Result<> grow(quint64 bytes);

    Request m_request;
    std::unique_ptr<ThrowawayMachine> m_machine;
    std::unique_ptr<GuestExecutor> m_guest; // goes before the machine
    QString m_accelerator;
    quint64 m_free = 0; // bytes, when it was made
};

} // namespace vitrine::bench
