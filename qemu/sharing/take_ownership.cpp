// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/take_ownership.h"

#include "qemu/sharing/share_daemon.h"
#include "qemu/sharing/share_transport.h"

#include <QDir>
#include <QEventLoop>
#include <QFile>

#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {

Result<quint64> takeOwnership(const QString& folder) {
    const ShareTransport transport = findShareTransport();
    if (transport.kind != ShareTransport::Kind::Virtiofs) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("There is nothing to take: by 9P all that a guest makes is yours. %1")
                        .arg(transport.note));
    }
    struct stat status {};
    if (::geteuid() == 0 && ::stat(QFile::encodeName(folder).constData(), &status) == 0 &&
        status.st_uid == 0) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" belongs to root: no guest can write there, so there is nothing "
                           "to take.")
                        .arg(folder));
    }
    // Of which user's id the guest's login has nothing depends here: all the ids are looked for.
    ShareGroup group{QStringLiteral("own"), {}};
    group.members.append({{}, folder, true, group.tag});
    const auto arguments = helperArguments(transport, GuestUser(), group);
    if (!arguments) {
        return fail(arguments.error());
    }
    ShareDaemon daemon;
    ShareDaemon::Setup setup;
    setup.helper = transport.helper;
    setup.arguments = *arguments;
    setup.workingDirectory = QDir::rootPath();
    setup.logFile = QStringLiteral("/dev/null");
    QEventLoop loop;
    std::optional<Result<quint64>> answer;
    const auto finish = [&](const Result<quint64>& result) {
        answer = result;
        loop.quit();
    };
    const Result<> started = daemon.start(setup, [&](const Result<>& ready) {
        if (ready) {
            daemon.takeOwnership(folder, finish);
        } else {
            finish(fail(ready.error()));
        }
    });
    if (!started) {
        return fail(started.error());
    }
    if (!answer) {
        loop.exec();
    }
    return *answer;
}

} // namespace vitrine::qemu
