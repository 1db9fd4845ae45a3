// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/executor.h"
#include "core/disk/file_lock.h"

namespace vitrine::bench {

// This computer. Test files are in a folder that is made, locked against other runs and removed at
// the end; one that a kill left is used again.
class HostExecutor final : public Executor {
public:
    // Busy when another process works in `folder`; AlreadyExists when it is somebody else's.
    [[nodiscard]] static Result<std::unique_ptr<HostExecutor>> make(const QString& folder);
    ~HostExecutor() override;

    [[nodiscard]] QString name() const override;
    [[nodiscard]] QJsonObject options() const override;
    [[nodiscard]] Result<Output> run(const QString& command, std::stop_token stop) override;
    Result<> dropCaches() override;
    Result<> removeTestFiles(std::stop_token stop) override;
    [[nodiscard]] Result<quint64> freeSpace() const override;
    [[nodiscard]] QJsonObject noise() const override;

private:
    HostExecutor(QString folder, DirectoryLock lock);

    QString m_folder;
    DirectoryLock m_lock;
};

} // namespace vitrine::bench
