// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/clone_executor.h"
#include "core/bench/host_executor.h"
#include "core/sharing/share_options.h"

namespace vitrine::bench {

// A folder of this computer in the guest of a throw-away clone: its test files are on this
// computer's disk and reached through virtiofs or 9P. Main thread.
class ShareExecutor final : public Executor {
public:
    // `folder` is made on this computer for the test files and removed at the end. Of `request`,
    // what concerns shares is filled in here. Unsupported, with the reason, where the folder cannot
    // be shared in this way or the guest does not mount it.
    [[nodiscard]] static Result<std::unique_ptr<ShareExecutor>> open(CloneExecutor::Request request,
                                                                     const ShareOptions& sharing,
                                                                     const QString& folder,
                                                                     const JobContext& context);

    [[nodiscard]] const guest::Opened& opened() const { return m_clone->opened(); }
    [[nodiscard]] bool canDropCaches() const { return m_clone->canDropCaches(); }
    [[nodiscard]] const QString& accelerator() const { return m_clone->accelerator(); }

    [[nodiscard]] QString name() const override { return m_clone->name(); }
    [[nodiscard]] QJsonObject options() const override { return m_clone->options(); }
    Result<> begin(std::stop_token stop) override { return m_clone->begin(std::move(stop)); }
    void end() override { m_clone->end(); }
    [[nodiscard]] Result<Output> run(const QString& command, std::stop_token stop) override {
        return m_clone->run(command, std::move(stop));
    }
    Result<> dropCaches() override; // the guest's, then this computer's
    Result<> removeTestFiles(std::stop_token stop) override {
        return m_clone->removeTestFiles(std::move(stop));
    }
    [[nodiscard]] Result<quint64> freeSpace() const override { return m_folder->freeSpace(); }
    [[nodiscard]] QJsonObject noise() const override { return m_clone->noise(); }

private:
    explicit ShareExecutor(std::unique_ptr<HostExecutor> folder)
        : m_folder(std::move(folder)) {}

    std::unique_ptr<HostExecutor> m_folder;
    std::unique_ptr<CloneExecutor> m_clone; // goes before its folder
};

} // namespace vitrine::bench
