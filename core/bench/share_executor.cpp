// SPDX-License-Identifier: Apache-2.0
#include "core/bench/share_executor.h"

#include "core/sharing/share_status.h"

#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTimer>

#include <cerrno>
#include <unistd.h>

namespace vitrine::bench {

namespace {

constexpr const char* tag = "vitrine-benchmark";
constexpr int mountPatience = 120 * 1000; // ms; an emulated guest takes its time
constexpr int askLimit = 10 * 1000;       // ms
constexpr int lookPeriod = 100;           // ms
constexpr uid_t nobody = 65534;

Error notShared(const QString& how, const QString& why) {
    return {Error::Kind::Unsupported,
            Tr::tr("A folder cannot be shared by %1 here. %2").arg(how, why),
            {}};
}

void waitABit() {
    QEventLoop loop;
    QTimer::singleShot(lookPeriod, &loop, &QEventLoop::quit);
    loop.exec();
}

// The machine's process mounts it when the guest's agent answers.
Result<>
waitUntilMounted(MachineClient& client, const QString& transport, const std::stop_token& stop) {
    QElapsedTimer clock;
    clock.start();
    ShareStatus last;
    while (!clock.hasExpired(mountPatience)) {
        if (stop.stop_requested())
            return fail(Error::cancelled());
        const auto answer = client.callAndWait(QStringLiteral("share.list"), {}, askLimit);
        if (!answer)
            return fail(answer.error());
        const ShareList list = ShareList::fromJson(*answer);
        for (const ShareStatus& share : list.shares)
            if (share.spec.tag == QLatin1String(tag))
                last = share;
        if (!list.transport.isEmpty() && list.transport != transport)
            return fail(notShared(transport, list.transportNote));
        if (last.state == ShareState::Mounted)
            return {};
        if (last.state == ShareState::Failed || last.state == ShareState::Broken ||
            last.state == ShareState::NotMounted)
            return fail(notShared(transport, last.message));
        waitABit();
    }
    return fail(notShared(transport,
                          Tr::tr("The guest has not mounted it within two minutes. Install "
                                 "qemu-guest-agent in the machine.")));
}

// A guest never works as root here, so a root's folder is given to nobody.
Result<> giveAway(const QString& folder) {
    if (::geteuid() != 0)
        return {};
    if (::chown(QFile::encodeName(folder).constData(), nobody, nobody) != 0)
        return fail(
            Error::fromErrno(Tr::tr("The folder \"%1\" cannot be shared.").arg(folder), errno));
    return {};
}

} // namespace

Result<std::unique_ptr<ShareExecutor>> ShareExecutor::open(CloneExecutor::Request request,
                                                           const ShareOptions& sharing,
                                                           const QString& folder,
                                                           const JobContext& context) {
    auto made = HostExecutor::make(folder);
    if (!made)
        return fail(made.error());
    std::unique_ptr<ShareExecutor> executor(new ShareExecutor(*std::move(made)));
    if (auto given = giveAway(folder); !given)
        return fail(given.error());
    ShareSpec share;
    share.path = QDir(folder).canonicalPath();
    share.tag = QLatin1String(tag);
    ShareOptions options = sharing;
    options.rootOwns = true; // the agent's programs are root's; what they make can be removed here
    request.guest.place = share.guestPath();
    request.space = 0; // of this computer, which the campaign asks freeSpace() for
    request.machine.change = [share, options](RunOptions& run) {
        run.shares = {share};
        run.sharing = options;
    };
    request.prepareGuest = [transport = sharing.transport](MachineClient& client,
                                                           GuestShell& /*shell*/,
                                                           const std::stop_token& stop) {
        return waitUntilMounted(client, transport, stop);
    };
    auto clone = CloneExecutor::open(request, context);
    if (!clone)
        return fail(clone.error());
    executor->m_clone = *std::move(clone);
    return executor;
}

Result<> ShareExecutor::dropCaches() {
    auto dropped = m_clone->dropCaches();
    return dropped ? m_folder->dropCaches() : dropped;
}

} // namespace vitrine::bench
