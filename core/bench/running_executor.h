// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/guest_executor.h"

#include <QTemporaryDir>

namespace vitrine::bench {

// A machine of the user's as it runs: nothing is installed there and nothing is changed but a
// folder that is removed at the end. Main thread.
class RunningExecutor final : public Executor {
public:
    // NotRunning, Busy (paused) or Timeout when its guest cannot be reached.
    [[nodiscard]] static Result<std::unique_ptr<RunningExecutor>> open(const QString& libraryHome,
                                                                       const QString& directory,
                                                                       GuestExecutor::Setup setup,
                                                                       GuestExecutor::Fio fio,
                                                                       const std::stop_token& stop);

    [[nodiscard]] const guest::Opened& opened() const { return m_guest->opened(); }
    [[nodiscard]] bool canDropCaches() const { return m_guest->canDropCaches(); }
    [[nodiscard]] const QString& accelerator() const { return m_accelerator; }

    [[nodiscard]] QString name() const override { return m_guest->name(); }
    [[nodiscard]] QJsonObject options() const override { return m_guest->options(); }
    Result<> begin(std::stop_token stop) override;
    [[nodiscard]] Result<Output> run(const QString& command, std::stop_token stop) override;
    Result<> dropCaches() override;
    Result<> removeTestFiles(std::stop_token stop) override {
        return m_guest->removeTestFiles(std::move(stop));
    }
    [[nodiscard]] Result<quint64> freeSpace() const override;
    [[nodiscard]] QJsonObject noise() const override;

private:
    RunningExecutor(const QString& libraryHome, const QString& directory);
    Result<> checkReady();

    QString m_directory;
    MachineClient m_client;
    QTemporaryDir m_folder;
    QString m_accelerator;
    std::unique_ptr<GuestExecutor> m_guest; // goes before the connection
};

} // namespace vitrine::bench
