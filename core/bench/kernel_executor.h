// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/host_executor.h"

#include <memory>

namespace vitrine::bench {

// A kernel that is booted for each workload, with this computer's root file system read-only: the
// time of a workload is that of the whole run, from the start of `vitrinectl kernel run` to its
// end. Workloads write nothing that stays.
class KernelExecutor final : public Executor {
public:
    struct Setup {
        QString name;    // "kernel:9p"
        QString share;   // "9p", "virtiofs"
        QString kernel;  // path
        QString modules; // folder; empty: the kernel's own place
    };
    // NotFound without vitrinectl. `folder` as HostExecutor's.
    [[nodiscard]] static Result<std::unique_ptr<KernelExecutor>> make(const Setup& setup,
                                                                      const QString& folder);

    [[nodiscard]] QString name() const override;
    [[nodiscard]] QJsonObject options() const override;
    [[nodiscard]] Result<Output> run(const QString& command, std::stop_token stop) override;
    Result<> dropCaches() override;
    [[nodiscard]] Result<quint64> freeSpace() const override;
    [[nodiscard]] QJsonObject noise() const override;

private:
    KernelExecutor(Setup setup, QString program, std::unique_ptr<HostExecutor> host);

    Setup m_setup;
    QString m_program;
    std::unique_ptr<HostExecutor> m_host; // where vitrinectl runs
};

} // namespace vitrine::bench
