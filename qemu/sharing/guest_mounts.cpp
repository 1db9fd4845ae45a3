// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/guest_mounts.h"

#include "core/guest/guest_agent.h"
#include "core/sharing/mount_scripts.h"
#include "qemu/sharing/guest_ssh.h"

#include <QFile>
#include <QRandomGenerator>

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr int mountTimeout = 45000;   // ms; the first mount loads the driver
constexpr int unmountTimeout = 30000; // ms; a slow guest looks through all its processes
constexpr int probeTimeout = 15000;   // ms
constexpr qsizetype longestWords = 300;

// $1 place, $2 name of the probe file or nothing, $3 user, $4 uid, $5 gid.
constexpr const char* probeScript = R"sh(
if [ -n "$2" ]; then line='cat -- "$0"' file=$1/$2
else line='ls -- "$0" > /dev/null && stat -c %i -- "$0"' file=$1; fi
if [ "$4" = 0 ]; then exec sh -c "$line" "$file"; fi
if setpriv --reuid "$4" --regid "$5" --init-groups true 2>/dev/null; then
  exec setpriv --reuid "$4" --regid "$5" --init-groups sh -c "$line" "$file"
fi
exec su -s /bin/sh "$3" -c "$line" "$file"
)sh";

constexpr const char* userScript = R"sh(
best=
while IFS=: read -r name secret uid gid comment home shell; do
  case $shell in */nologin | */false) continue ;; esac
  [ "$uid" -ge 1000 ] && [ "$uid" -lt 60000 ] || continue
  if [ -z "$best" ] || [ "$uid" -lt "$lowest" ]; then best="$uid $gid $name" lowest=$uid; fi
done < /etc/passwd
echo "${best:-0 0 root}"
)sh";

QString optionsOf(ShareTransport::Kind kind) {
    return kind == ShareTransport::Kind::Plan9
               ? QStringLiteral("trans=virtio,version=9p2000.L,msize=512000")
               : QStringLiteral("rw");
}

QString typeOf(ShareTransport::Kind kind) {
    return kind == ShareTransport::Kind::Plan9 ? QStringLiteral("9p") : QStringLiteral("virtiofs");
}

// Untrusted text of the guest on one line.
QString oneLine(const QByteArray& text) {
    return QString::fromUtf8(text).simplified().left(longestWords);
}

// A file in the shared folder while the guest looks for it.
class ProbeFile final {
public:
    explicit ProbeFile(const QString& folder)
        : m_folder(QFile::encodeName(folder)) {
        if (::stat(m_folder.constData(), &m_before) != 0) {
            return;
        }
        const QByteArray token = QByteArray::number(QRandomGenerator::system()->generate64(), 16)
                                     .rightJustified(16, '0');
        const QByteArray name = ".vitrine-probe-" + token;
        const int fd = ::open((m_folder + '/' + name).constData(),
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                              0644);
        if (fd < 0) {
            return;
        }
        ::fchmod(fd, 0644); // whatever the umask
        const bool written = ::write(fd, token.constData(), 16) == 16;
        ::close(fd);
        m_name = name;
        m_content = token;
        if (!written) {
            remove();
        }
    }
    ProbeFile(const ProbeFile&) = delete;
    ProbeFile& operator=(const ProbeFile&) = delete;
    ~ProbeFile() { remove(); }

    // Empty when the folder cannot be written.
    [[nodiscard]] QString name() const { return QString::fromLatin1(m_name); }
    // What the guest must print.
    [[nodiscard]] QString expected() const {
        return m_name.isEmpty() ? QString::number(m_before.st_ino) : QString::fromLatin1(m_content);
    }

private:
    void remove() {
        if (m_name.isEmpty()) {
            return;
        }
        ::unlink((m_folder + '/' + std::exchange(m_name, {})).constData());
        const timespec times[2] = {{0, UTIME_OMIT}, m_before.st_mtim};
        ::utimensat(AT_FDCWD, m_folder.constData(), times, 0);
    }

    QByteArray m_folder;
    QByteArray m_name;
    QByteArray m_content;
    struct stat m_before {};
};

} // namespace

QString
GuestMounts::mountLine(const QString& tag, const QString& place, ShareTransport::Kind kind) {
    const QString options =
        kind == ShareTransport::Kind::Plan9 ? QStringLiteral(" -o ") + optionsOf(kind) : QString();
    return QStringLiteral("sudo mkdir -p %2 && sudo mount -t %3%4 %1 %2")
        .arg(tag, place, typeOf(kind), options);
}

void GuestMounts::shell(const QString& script,
                        const QStringList& arguments,
                        int timeoutMilliseconds,
                        std::function<void(Result<QString>)> reply) {
    const QString program = QStringLiteral("/bin/sh");
    const QStringList words =
        QStringList{QStringLiteral("-c"), script, QStringLiteral("vitrine")} + arguments;
    const auto finished = [reply = std::move(reply)](const Result<GuestAgent::ExecResult>& result) {
        if (!result) {
            reply(fail(result.error()));
        } else if (result->exitCode == 0) {
            reply(QString::fromUtf8(result->standardOutput).trimmed());
        } else if (result->exitCode == busyShareCode) {
            reply(fail(Error::Kind::Busy, oneLine(result->standardOutput)));
        } else {
            reply(fail(Error::Kind::Internal, oneLine(result->standardError)));
        }
    };
    if (m_overSsh) {
        m_ssh->run(program, words, timeoutMilliseconds, finished);
    } else {
        m_agent->run(program, words, {}, timeoutMilliseconds, finished);
    }
}

bool GuestMounts::isReachable() const {
    return m_overSsh || m_agent->guestOpened();
}

void GuestMounts::mount(const QString& tag,
                        const QString& place,
                        ShareTransport::Kind kind,
                        Done done) {
    shell(QLatin1String(mountShareScript),
          {tag, place, typeOf(kind), optionsOf(kind)},
          mountTimeout,
          [place, done = std::move(done)](const Result<QString>& mounted) {
              if (mounted) {
                  done({});
              } else if (mounted.error().kind != Error::Kind::Internal) {
                  done(fail(mounted.error()));
              } else {
                  done(fail(Error::Kind::Unsupported,
                            Tr::tr("The guest could not mount it at %1. It says: %2")
                                .arg(place, mounted.error().message)));
              }
          });
}

void GuestMounts::unmount(const QString& place, Done done) {
    runUnmount(place, {}, std::move(done));
}

void GuestMounts::checkUnused(const QString& place, Done done) {
    runUnmount(place, QStringLiteral("look"), std::move(done));
}

void GuestMounts::runUnmount(const QString& place, const QString& look, Done done) {
    shell(QLatin1String(unmountShareScript),
          {place, look},
          unmountTimeout,
          [place, done = std::move(done)](const Result<QString>& unmounted) {
              if (unmounted) {
                  done({});
              } else if (unmounted.error().kind == Error::Kind::Busy) {
                  // "name pid name pid …"
                  const QStringList words =
                      unmounted.error().message.split(QLatin1Char(' '), Qt::SkipEmptyParts);
                  QStringList processes;
                  for (qsizetype i = 0; i + 1 < words.size(); i += 2) {
                      processes << Tr::tr("\"%1\" (process %2)").arg(words.at(i), words.at(i + 1));
                  }
                  done(fail(Error::Kind::Busy,
                            Tr::tr("%1 is in use in the guest by %2. Close that and try again.")
                                .arg(place, processes.join(QStringLiteral(", ")))));
              } else if (unmounted.error().kind == Error::Kind::Internal) {
                  done(fail(Error::Kind::Busy,
                            Tr::tr("The guest could not unmount %1. It says: %2")
                                .arg(place, unmounted.error().message)));
              } else {
                  done(fail(unmounted.error()));
              }
          });
}

void GuestMounts::probe(const QString& folder,
                        const QString& place,
                        const GuestUser& user,
                        Done done) {
    const auto file = std::make_shared<ProbeFile>(folder);
    shell(QLatin1String(probeScript),
          {place, file->name(), user.name, QString::number(user.uid), QString::number(user.gid)},
          probeTimeout,
          [file, user, place, done = std::move(done)](const Result<QString>& printed) {
              if (printed && *printed == file->expected()) {
                  done({});
              } else if (printed) {
                  done(fail(Error::Kind::Integrity,
                            Tr::tr("Another folder is mounted at %1 in the guest. Unmount it "
                                   "there and mount the share again.")
                                .arg(place)));
              } else if (printed.error().kind == Error::Kind::Internal) {
                  done(fail(Error::Kind::Permission,
                            Tr::tr("The guest mounted it and then could not read the probe file "
                                   "as user \"%1\". It says: %2")
                                .arg(user.name, printed.error().message)));
              } else {
                  done(fail(printed.error()));
              }
          });
}

void GuestMounts::findUser(std::function<void(Result<GuestUser>)> reply) {
    shell(QLatin1String(userScript),
          {},
          probeTimeout,
          [reply = std::move(reply)](const Result<QString>& printed) {
              if (!printed) {
                  reply(fail(printed.error()));
                  return;
              }
              const QStringList words = printed->split(QLatin1Char(' '));
              bool goodUid = false;
              bool goodGid = false;
              GuestUser user;
              user.uid = words.value(0).toUInt(&goodUid);
              user.gid = words.value(1).toUInt(&goodGid);
              user.name = words.value(2).left(64);
              if (!goodUid || !goodGid || user.uid >= 65535 || user.gid >= 65535) {
                  user = GuestUser();
              }
              reply(user);
          });
}

} // namespace vitrine::qemu
