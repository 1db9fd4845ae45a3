// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/guest_scripts.h"
#include "core/bench/guest_shell.h"

namespace vitrine::bench {

// A folder in a guest that runs and can be reached. Whose guest it is, and what is done with it
// between two runs, is for others to know.
class GuestExecutor final : public Executor {
public:
    struct Setup {
        QString name;        // ExecutorSpec::text
        QJsonObject options; // BenchRun::options
        QString folderName;  // of the folder for test files
        QString place;       // where in the guest it is made; empty: where guest::openScript() says
    };
    enum class Fio {
        NotNeeded,
        Install, // where it is missing; for guests that are thrown away
        Required // Unsupported where it is missing
    };

    // Makes the folder; one of that name that is there is used again.
    [[nodiscard]] static Result<std::unique_ptr<GuestExecutor>>
    open(Setup setup, std::unique_ptr<GuestShell> shell, Fio fio, std::stop_token stop);
    ~GuestExecutor() override; // removes the folder, unless the guest is gone

    [[nodiscard]] const guest::Opened& opened() const { return m_opened; }
    // False: no way to empty the page cache is known in this guest.
    [[nodiscard]] bool canDropCaches() const { return m_canDrop; }
    // After another start of the guest.
    void setShell(std::unique_ptr<GuestShell> shell) { m_shell = std::move(shell); }
    // The guest ends with all that is in it: nothing is cleaned up there.
    void abandon() { m_isAbandoned = true; }

    [[nodiscard]] QString name() const override { return m_setup.name; }
    [[nodiscard]] QJsonObject options() const override { return m_setup.options; }
    [[nodiscard]] Result<Output> run(const QString& command, std::stop_token stop) override;
    Result<> dropCaches() override;
    Result<> removeTestFiles(std::stop_token stop) override;
    [[nodiscard]] Result<quint64> freeSpace() const override;
    [[nodiscard]] QJsonObject noise() const override; // of this computer

private:
    GuestExecutor(Setup setup, std::unique_ptr<GuestShell> shell);
    Result<> prepareFio(Fio fio, std::stop_token stop);
    [[nodiscard]] Result<Output> runHere(const QString& script) const;

    Setup m_setup;
    std::unique_ptr<GuestShell> m_shell;
    std::stop_token m_stop; // of open()
    guest::Opened m_opened;
    bool m_canDrop = false;
    bool m_isAbandoned = false;
};

} // namespace vitrine::bench
