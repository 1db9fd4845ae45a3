// SPDX-License-Identifier: Apache-2.0
#include "vz/host/guest_mounts.h"

#include "core/sharing/mount_scripts.h"

#include <utility>

namespace vitrine::vz {

namespace {

constexpr int mountTimeout = 45000;   // ms; the first mount loads the driver
constexpr int unmountTimeout = 30000; // ms
constexpr qsizetype longestWords = 300;

// $0 script, then its arguments.
constexpr const char* asRoot = R"sh(
if [ "$(id -u)" -eq 0 ]; then exec /bin/sh -c "$0" vitrine "$@"; fi
exec sudo -n /bin/sh -c "$0" vitrine "$@"
)sh";

// $1 tag, $2 place. What lies in /tmp is told as lying in /private.
constexpr const char* macMountScript = R"sh(
mount | grep -q -e " on $2 (" -e " on /private$2 (" && exit 0
mkdir -p "$2" && exec mount_virtiofs "$1" "$2"
)sh";

// $1 place
constexpr const char* macUnmountScript = R"sh(
mount | grep -q -e " on $1 (" -e " on /private$1 (" || exit 0
umount "$1" && { rmdir "$1" 2>/dev/null; exit 0; }
)sh";

// Untrusted text of the guest on one line.
QString oneLine(const QByteArray& text) {
    return QString::fromUtf8(text).simplified().left(longestWords);
}

} // namespace

void GuestMounts::shell(const char* script,
                        const QStringList& arguments,
                        int timeoutMilliseconds,
                        std::function<void(const Result<GuestAgent::ExecResult>&)> reply) {
    QStringList words{QStringLiteral("-c")};
    if (m_isMac)
        words << QLatin1String(script) << QStringLiteral("vitrine");
    else
        words << QLatin1String(asRoot) << QLatin1String(script);
    m_commands->run(
        QStringLiteral("/bin/sh"), words + arguments, {}, timeoutMilliseconds, std::move(reply));
}

void GuestMounts::mount(const QString& tag, const QString& place, Done done) {
    QStringList arguments{tag, place};
    if (!m_isMac)
        arguments << QStringLiteral("virtiofs") << QStringLiteral("rw");
    shell(m_isMac ? macMountScript : mountShareScript,
          arguments,
          mountTimeout,
          [place, done = std::move(done)](const Result<GuestAgent::ExecResult>& result) {
              if (!result)
                  done(fail(result.error()));
              else if (result->exitCode != 0)
                  done(fail(Error::Kind::Unsupported,
                            Tr::tr("The guest could not mount it at %1. It says: %2")
                                .arg(place, oneLine(result->standardError))));
              else
                  done({});
          });
}

void GuestMounts::unmount(const QString& place, Done done) {
    QStringList arguments{place};
    if (!m_isMac)
        arguments << QString(); // not only a look
    shell(m_isMac ? macUnmountScript : unmountShareScript,
          arguments,
          unmountTimeout,
          [place, done = std::move(done)](const Result<GuestAgent::ExecResult>& result) {
              if (!result)
                  done(fail(result.error()));
              else if (result->exitCode == busyShareCode)
                  done(fail(Error::Kind::Busy,
                            Tr::tr("%1 is in use in the guest by %2. Close that and try again.")
                                .arg(place, oneLine(result->standardOutput))));
              else if (result->exitCode != 0)
                  done(fail(Error::Kind::Busy,
                            Tr::tr("The guest could not unmount %1. It says: %2")
                                .arg(place, oneLine(result->standardError))));
              else
                  done({});
          });
}

} // namespace vitrine::vz
