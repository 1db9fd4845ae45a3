// SPDX-License-Identifier: Apache-2.0
#include "core/bench/guest_executor.h"

#include "core/bench/bench_host.h"
#include "core/value/plain_text.h"

namespace vitrine::bench {

namespace {

constexpr qsizetype keptErrors = 4096;
constexpr qsizetype longestReason = 400;
constexpr int shortLimit = 60 * 1000;        // ms
constexpr int flushLimit = 10 * 60 * 1000;   // ms: a slow disk, a large cache
constexpr int installLimit = 45 * 60 * 1000; // ms: ten minutes of that is an emulated guest

QString saidBy(const Executor::Output& output) {
    return plainText(QString::fromUtf8(output.err).simplified().right(longestReason));
}

bool isGone(const Error& error) {
    return error.kind == Error::Kind::NotRunning || error.kind == Error::Kind::Timeout;
}

} // namespace

Result<std::unique_ptr<GuestExecutor>>
GuestExecutor::open(Setup setup, std::unique_ptr<GuestShell> shell, Fio fio, std::stop_token stop) {
    std::unique_ptr<GuestExecutor> executor(new GuestExecutor(std::move(setup), std::move(shell)));
    const auto made =
        executor->m_shell->run(guest::openScript(),
                               {executor->m_setup.folderName, executor->m_setup.place},
                               stop,
                               shortLimit);
    if (!made)
        return fail(made.error());
    auto opened = guest::openedFrom(*made);
    if (!opened)
        return fail(opened.error());
    executor->m_opened = *std::move(opened);
    executor->m_stop = stop;
    if (auto prepared = executor->prepareFio(fio, stop); !prepared)
        return fail(prepared.error());
    const auto dropped = executor->runHere(guest::dropScript());
    if (!dropped)
        return fail(dropped.error());
    executor->m_canDrop = guest::hasDropped(*dropped);
    return executor;
}

GuestExecutor::GuestExecutor(Setup setup, std::unique_ptr<GuestShell> shell)
    : m_setup(std::move(setup))
    , m_shell(std::move(shell)) {}

GuestExecutor::~GuestExecutor() {
    if (!m_isAbandoned && !m_opened.folder.isEmpty())
        (void)m_shell->run(guest::closeScript(), {m_opened.folder}, {}, flushLimit);
}

Result<> GuestExecutor::prepareFio(Fio fio, std::stop_token stop) {
    if (fio == Fio::NotNeeded)
        return {};
    const bool installs = fio == Fio::Install;
    const auto there = m_shell->run(installs ? guest::installFioScript() : guest::findFioScript(),
                                    {},
                                    std::move(stop),
                                    installLimit);
    if (!there)
        return fail(there.error());
    if (there->exitCode == 0)
        return {};
    if (!installs)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The program fio is missing in the guest. Install it there (apt, dnf or "
                           "apk: package fio), or measure throw-away clones with --executor "
                           "default, which get it by themselves."));
    return fail(Error::Kind::Unsupported,
                Tr::tr("The program fio is missing in the guest and cannot be installed: %1. "
                       "Install it in the machine, so that its clones have it.")
                    .arg(saidBy(*there)));
}

Result<Executor::Output> GuestExecutor::run(const QString& command, std::stop_token stop) {
    auto output = m_shell->run(
        guest::runScript(), {m_opened.folder, command}, std::move(stop), GuestShell::longest);
    if (!output) {
        // It may go on in the guest.
        if (!m_isAbandoned &&
            !m_shell->run(guest::stopScript(), {m_opened.folder}, {}, shortLimit) &&
            isGone(output.error()))
            abandon(); // each further try would wait as long
        return output;
    }
    guest::takeTime(*output);
    if (output->err.size() > keptErrors)
        output->err = output->err.right(keptErrors);
    return output;
}

Result<> GuestExecutor::dropCaches() {
    if (!m_canDrop)
        return {};
    const auto output = runHere(guest::dropScript());
    if (!output) {
        if (isGone(output.error()))
            abandon();
        return fail(output.error());
    }
    if (!guest::hasDropped(*output))
        return fail(Error::Kind::Internal,
                    Tr::tr("The page cache of the guest was not emptied. It says: %1")
                        .arg(saidBy(*output)));
    return {};
}

Result<> GuestExecutor::removeTestFiles(std::stop_token stop) {
    const auto removed = run(QStringLiteral("rm -rf ./*"), std::move(stop));
    return removed ? Result<>() : fail(removed.error());
}

Result<quint64> GuestExecutor::freeSpace() const {
    const auto output = runHere(guest::freeSpaceScript());
    return output ? guest::freeSpaceFrom(*output) : fail(output.error());
}

QJsonObject GuestExecutor::noise() const {
    return hostNoise();
}

Result<Executor::Output> GuestExecutor::runHere(const QString& script) const {
    return m_shell->run(script, {m_opened.folder}, m_stop, flushLimit);
}

} // namespace vitrine::bench
