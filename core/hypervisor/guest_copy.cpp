// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/guest_copy.h"

#include "core/hypervisor/machine_client.h"
#include "core/hypervisor/machine_exec.h"

#include <QFile>
#include <QFileInfo>

namespace vitrine {

namespace {

constexpr qint64 chunkSize = 384 * 1024; // bytes; fits a line of the control socket as base64
constexpr int connectTime = 5000;        // ms
constexpr int stepTime = 60000;          // ms

// $1 name of the file. Prints the path of the unfinished copy.
constexpr const char* beginScript = R"sh(
lowest=60000 place=/root
while IFS=: read -r user secret uid gid comment home shell; do
  case $shell in */nologin | */false) continue ;; esac
  if [ "$uid" -ge 1000 ] && [ "$uid" -lt "$lowest" ] && [ -d "$home" ]; then
    lowest=$uid place=$home
  fi
done < /etc/passwd
part=$(mktemp "$place/.vitrine-copy-XXXXXX") && echo "$part"
)sh";

// $1 unfinished copy, $2 name, $3 bytes. Prints the path of the copy.
constexpr const char* endScript = R"sh(
[ "$(wc -c < "$1")" -eq "$3" ] || { echo "the copy is incomplete" >&2; exit 1; }
folder=${1%/*} target=$folder/$2 number=2
while [ -e "$target" ] || [ -L "$target" ]; do target=$folder/$2.$number number=$((number + 1)); done
chown "$(stat -c %u:%g "$folder")" "$1" && chmod 644 "$1" && mv -n "$1" "$target" && echo "$target"
)sh";

class Copy final {
public:
    Copy(MachineClient& client, const QString& file)
        : m_client(client)
        , m_file(file) {}
    ~Copy() {
        if (!m_part.isEmpty())
            (void)shell(QStringLiteral("rm -f -- \"$1\""), {m_part}, {});
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    Result<QString> run(const JobContext& context) {
        if (!m_file.open(QIODevice::ReadOnly))
            return fail(Error::Kind::Permission,
                        Tr::tr("Cannot read \"%1\". The system says: %2.")
                            .arg(m_file.fileName(), m_file.errorString()));
        const auto begun = shell(QLatin1String(beginScript), {}, {});
        if (!begun)
            return fail(begun.error());
        m_part = *begun;
        Progress progress;
        progress.total = static_cast<quint64>(m_file.size());
        while (!m_file.atEnd()) {
            if (context.cancelled())
                return fail(Error::cancelled());
            const QByteArray bytes = m_file.read(chunkSize);
            if (bytes.isEmpty())
                break;
            const auto written = shell(QStringLiteral("cat >> \"$1\""), {m_part}, bytes);
            if (!written)
                return fail(written.error());
            progress.done += static_cast<quint64>(bytes.size());
            context.report(progress);
        }
        auto target =
            shell(QLatin1String(endScript),
                  {m_part, QFileInfo(m_file.fileName()).fileName(), QString::number(progress.done)},
                  {});
        if (target)
            m_part.clear();
        return target;
    }

private:
    Result<QString>
    shell(const QString& script, const QStringList& arguments, const QByteArray& input) {
        const auto answer = m_client.callAndWait(
            QStringLiteral("agent.exec"),
            execParameters(QStringLiteral("/bin/sh"),
                           QStringList{QStringLiteral("-c"), script, QStringLiteral("copy")} +
                               arguments,
                           input,
                           stepTime),
            stepTime + connectTime);
        if (!answer)
            return fail(answer.error());
        const auto result = execFromJson(*answer);
        if (!result)
            return fail(result.error());
        if (result->exitCode != 0)
            return fail(Error::Kind::Internal,
                        Tr::tr("The guest could not take \"%1\". It says: %2")
                            .arg(QFileInfo(m_file.fileName()).fileName(),
                                 QString::fromUtf8(result->standardError).simplified().left(300)));
        return QString::fromUtf8(result->standardOutput).trimmed();
    }

    MachineClient& m_client;
    QFile m_file;
    QString m_part; // path of the unfinished copy in the guest
};

} // namespace

Result<QString> copyIntoGuest(const QString& libraryHome,
                              const QString& machineDirectory,
                              const QString& file,
                              const JobContext& context) {
    MachineClient client(libraryHome, machineDirectory);
    if (!client.waitForConnected(connectTime))
        return fail(Error::Kind::NotRunning,
                    Tr::tr("\"%1\" was not copied: the machine does not run.").arg(file));
    return Copy(client, file).run(context);
}

} // namespace vitrine
