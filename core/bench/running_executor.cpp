// SPDX-License-Identifier: Apache-2.0
#include "core/bench/running_executor.h"

#include "core/bench/executor_spec.h"
#include "core/bench/guest_reach.h"
#include "core/bench/page_cache.h"

#include <QFileInfo>

namespace vitrine::bench {

namespace {

constexpr int connectLimit = 5000;   // ms
constexpr int askLimit = 10'000;     // ms
constexpr int patience = 2 * 60'000; // ms: it has started already, or is about to
constexpr int agentPatience = 5000;  // ms

// The options that this run of it has now.
Result<QJsonObject> optionsOf(MachineClient& client) {
    const auto answer = client.callAndWait(QStringLiteral("run.options"), {}, askLimit);
    if (!answer)
        return fail(answer.error());
    const auto options =
        RunOptions::fromJson(answer->toObject().value(QLatin1String("now")).toObject());
    if (!options)
        return fail(options.error());
    return rootDiskOptions(options->rootDisk);
}

} // namespace

RunningExecutor::RunningExecutor(const QString& libraryHome, const QString& directory)
    : m_directory(directory)
    , m_client(libraryHome, directory) {}

Result<std::unique_ptr<RunningExecutor>> RunningExecutor::open(const QString& libraryHome,
                                                               const QString& directory,
                                                               GuestExecutor::Setup setup,
                                                               GuestExecutor::Fio fio,
                                                               const std::stop_token& stop) {
    std::unique_ptr<RunningExecutor> executor(new RunningExecutor(libraryHome, directory));
    MachineClient& client = executor->m_client;
    if (!client.waitForConnected(connectLimit))
        return fail(Error::Kind::NotRunning,
                    Tr::tr("\"%1\" does not run, or another program runs it, which cannot be "
                           "asked.")
                        .arg(QFileInfo(directory).fileName()));
    if (auto ready = executor->checkReady(); !ready)
        return fail(ready.error());
    const auto options = optionsOf(client);
    if (!options)
        return fail(options.error());
    for (auto option = options->begin(); option != options->end(); ++option)
        setup.options.insert(option.key(), option.value());
    auto shell = reachGuest({.client = &client,
                             .machineDirectory = directory,
                             .folder = executor->m_folder.path(),
                             .isUp = [&client] { return client.isConnected(); },
                             .patience = patience,
                             .agentPatience = agentPatience},
                            stop);
    if (!shell)
        return fail(shell.error());
    auto guest = GuestExecutor::open(std::move(setup), *std::move(shell), fio, stop);
    if (!guest)
        return fail(guest.error());
    executor->m_guest = *std::move(guest);
    executor->m_accelerator = client.status().accelerator;
    return executor;
}

Result<> RunningExecutor::checkReady() {
    if (!m_client.isConnected())
        return fail(Error::Kind::NotRunning, Tr::tr("The machine does not run any more."));
    if (m_client.status().state == MachineState::Paused)
        return fail(Error::Kind::Busy,
                    Tr::tr("\"%1\" is paused. Go on with it first: vitrinectl resume %1")
                        .arg(QFileInfo(m_directory).fileName()));
    return {};
}

Result<> RunningExecutor::begin(std::stop_token /*stop*/) {
    return checkReady();
}

Result<Executor::Output> RunningExecutor::run(const QString& command, std::stop_token stop) {
    return m_guest->run(command, std::move(stop));
}

Result<> RunningExecutor::dropCaches() {
    if (auto dropped = m_guest->dropCaches(); !dropped)
        return dropped;
    return dropPageCacheOf(m_directory + QStringLiteral("/disk.img"));
}

Result<quint64> RunningExecutor::freeSpace() const {
    return m_guest->freeSpace();
}

QJsonObject RunningExecutor::noise() const {
    return m_guest->noise();
}

} // namespace vitrine::bench
