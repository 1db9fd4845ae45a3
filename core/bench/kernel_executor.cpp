// SPDX-License-Identifier: Apache-2.0
#include "core/bench/kernel_executor.h"

#include "core/hypervisor/machine_launcher.h"
#include "core/machine/run_command.h"

#include <utility>

namespace vitrine::bench {

Result<std::unique_ptr<KernelExecutor>> KernelExecutor::make(const Setup& setup,
                                                             const QString& folder) {
    const QString program = vitrinectlPath();
    if (program.isEmpty())
        return fail(Error::Kind::NotFound,
                    Tr::tr("The program vitrinectl is missing, so no kernel can be run. Install it "
                           "beside this program or into a folder of PATH."));
    auto host = HostExecutor::make(folder);
    if (!host)
        return fail(host.error());
    return std::unique_ptr<KernelExecutor>(new KernelExecutor(setup, program, *std::move(host)));
}

KernelExecutor::KernelExecutor(Setup setup, QString program, std::unique_ptr<HostExecutor> host)
    : m_setup(std::move(setup))
    , m_program(std::move(program))
    , m_host(std::move(host)) {}

QString KernelExecutor::name() const {
    return m_setup.name;
}

QJsonObject KernelExecutor::options() const {
    return {{QStringLiteral("kind"), QStringLiteral("vm")},
            {QStringLiteral("share"), m_setup.share},
            {QStringLiteral("kernel"), m_setup.kernel}};
}

Result<Executor::Output> KernelExecutor::run(const QString& command, std::stop_token stop) {
    QStringList words{m_program,
                      QStringLiteral("kernel"),
                      QStringLiteral("run"),
                      QStringLiteral("-q"),
                      QStringLiteral("--share"),
                      m_setup.share,
                      QStringLiteral("-k"),
                      m_setup.kernel};
    if (!m_setup.modules.isEmpty())
        words << QStringLiteral("--modules") << m_setup.modules;
    words << QStringLiteral("--") << command;
    return m_host->run(QStringLiteral("exec ") + quotedForShell(words), std::move(stop));
}

Result<> KernelExecutor::dropCaches() {
    return {}; // what is booted is in memory for each way alike
}

Result<quint64> KernelExecutor::freeSpace() const {
    return m_host->freeSpace();
}

QJsonObject KernelExecutor::noise() const {
    return m_host->noise();
}

} // namespace vitrine::bench
