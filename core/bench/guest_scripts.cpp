// SPDX-License-Identifier: Apache-2.0
#include "core/bench/guest_scripts.h"

#include "core/bench/page_cache.h"
#include "core/value/plain_text.h"

#include <QRegularExpression>

#include <algorithm>

namespace vitrine::bench::guest {

namespace {

constexpr qsizetype longestFact = 200;
constexpr double mostBytes = 1e18;

// Agents start programs with a short PATH.
constexpr const char* paths = R"sh(
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin
export PATH HOME="${HOME:-/root}"
)sh";

constexpr const char* openText = R"sh(
device() { df -Pk "$1" 2>/dev/null | sed -n '2s/ .*//p'; }
on_root() { [ "$(device "$1")" = "$(device /)" ]; }
place=$2
if [ -z "$place" ]; then
  place=$HOME
  if [ "$(id -u)" -eq 0 ] && [ -r /etc/passwd ]; then
    lowest=60000
    while IFS=: read -r user secret uid gid comment home shell; do
      case $shell in */nologin | */false) continue ;; esac
      if [ "$uid" -ge 1000 ] && [ "$uid" -lt "$lowest" ] && [ -d "$home" ]; then
        lowest=$uid place=$home
      fi
    done < /etc/passwd
  fi
  on_root "$place" || { on_root /var/tmp && place=/var/tmp; }
fi
folder=$place/$1
mkdir -p "$folder" && cd "$folder" || exit 1
[ "$(id -u)" -ne 0 ] || chown "$(stat -c %u:%g "$place" 2>/dev/null)" "$folder" 2>/dev/null
: > .vitrine-benchmark || exit 1
echo "folder=$folder"
echo "filesystem=$(stat -f -c %T . 2>/dev/null)"
on_root . && echo "root=yes" || echo "root=no"
echo "kernel=$(uname -srm)"
if [ -r /etc/os-release ]; then
  echo "os=$(. /etc/os-release && echo "$PRETTY_NAME")"
elif command -v sw_vers > /dev/null; then
  echo "os=$(sw_vers -productName) $(sw_vers -productVersion)"
fi
echo "cpus=$(getconf _NPROCESSORS_ONLN 2>/dev/null || nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null)"
if [ -r /proc/meminfo ]; then
  echo "kibibytes=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo)"
else
  echo "bytes=$(sysctl -n hw.memsize 2>/dev/null)"
fi
)sh";

constexpr const char* installText = R"sh(
have() { command -v "$1" > /dev/null 2>&1; }
have fio && exit 0
root=
[ "$(id -u)" -eq 0 ] || root='sudo -n'
# apt itself waits for dpkg's lock only. A guest that has just started fetches lists by itself.
get() {
  tries=0
  until said=$($root env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -qq \
    -o DPkg::Lock::Timeout=120 "$@" 2>&1); do
    case $said in *'Could not get lock'*) ;; *) break ;; esac
    [ $tries -lt 120 ] || break
    tries=$((tries + 1))
    sleep 1
  done
  [ -z "$said" ] || echo "$said" >&2
}
if have apt-get; then
  get update
  get -y --no-install-recommends install fio
elif have dnf; then
  $root dnf -q -y install fio >&2
elif have apk; then
  $root apk -q add fio >&2
elif have brew; then
  brew install --quiet fio >&2
else
  echo "there is no apt, dnf, apk or brew to install it with" >&2
fi
have fio
)sh";

// A group of its own, so that all of it can be ended; "set -m" makes one where there is no setsid.
constexpr const char* runText = R"sh(
mkdir -p "$1" && cd "$1" || exit 125
begin= end= rest=
[ ! -r /proc/uptime ] || read -r begin rest < /proc/uptime
if command -v setsid > /dev/null 2>&1; then
  setsid /bin/sh -c "$2" < /dev/null &
else
  set -m
  /bin/sh -c "$2" < /dev/null &
fi
echo $! > .vitrine-benchmark
wait $!
code=$?
[ ! -r /proc/uptime ] || read -r end rest < /proc/uptime
echo "VITRINE-TIME $begin $end" >&2
[ $code -ne 255 ] || code=254 # which ssh has for itself
exit $code
)sh";

// fio's own processes leave the group: they are known by where they work.
constexpr const char* stopText = R"sh(
cd "$1" && read -r pid < .vitrine-benchmark && [ -n "$pid" ] || exit 0
folder=$(pwd -P)
kill -TERM "-$pid" 2>/dev/null
tries=0
while kill -0 "-$pid" 2>/dev/null && [ $tries -lt 30 ]; do
  tries=$((tries + 1))
  sleep 0.1 2>/dev/null || sleep 1
done
kill -KILL "-$pid" 2>/dev/null
cd /
for process in /proc/[0-9]*; do
  case $(readlink "$process/cwd" 2>/dev/null) in
    "$folder" | "$folder"/*) kill -KILL "${process#/proc/}" 2>/dev/null ;;
  esac
done
exit 0
)sh";

// Nothing but the test files, if that is possible; root takes all out where there are too many
// files to start a program for each.
constexpr const char* dropText = R"sh(
cd "$1" && sync || exit 1
# Where the developer tools of macOS are missing, its python3 only asks to install them.
if command -v python3 > /dev/null 2>&1 &&
  { [ "$(uname)" != Darwin ] || xcode-select -p > /dev/null 2>&1; } && python3 -c '%1' 2>/dev/null; then
  echo dropped=python3
elif dd if=.vitrine-benchmark of=/dev/null iflag=nocache count=0 2>/dev/null &&
  [ "$(find . -type f | head -n 201 | wc -l)" -le 200 ]; then
  find . -type f -exec dd if={} of=/dev/null iflag=nocache count=0 \; 2>/dev/null
  echo dropped=dd
elif [ -w /proc/sys/vm/drop_caches ] && echo 1 > /proc/sys/vm/drop_caches; then
  # Pages that a processor was about to file stay the first time.
  sync
  echo 1 > /proc/sys/vm/drop_caches
  echo dropped=drop_caches
elif [ -e /proc/sys/vm/drop_caches ] &&
  sudo -n sh -c 'sync; echo 1 > /proc/sys/vm/drop_caches' 2>/dev/null < /dev/null; then
  echo dropped=drop_caches
elif command -v purge > /dev/null 2>&1 && sudo -n purge 2>/dev/null; then
  echo dropped=purge
else
  echo dropped=no
fi
)sh";

constexpr const char* spaceText = R"sh(
cd "$1" && df -Pk .
)sh";

constexpr const char* closeText = R"sh(
[ -e "$1/.vitrine-benchmark" ] && rm -rf "$1"
)sh";

QString withPaths(const char* text) {
    return QLatin1String(paths) + QLatin1String(text);
}

QString valueOf(const QByteArray& output, const char* key) {
    const QByteArray start = QByteArray(key) + '=';
    for (const QByteArray& line : output.split('\n'))
        if (line.startsWith(start))
            return QString::fromUtf8(line.mid(start.size())).trimmed();
    return {};
}

void setText(QJsonObject& facts, const char* key, const QString& text) {
    if (!text.isEmpty())
        facts.insert(QLatin1String(key), plainText(text.left(longestFact)));
}

void setNumber(QJsonObject& facts, const char* key, const QString& text, double scale = 1) {
    bool isNumber = false;
    const double value = text.toDouble(&isNumber) * scale;
    if (isNumber && value >= 1 && value < mostBytes)
        facts.insert(QLatin1String(key), value);
}

} // namespace

QString openScript() {
    return withPaths(openText);
}

Result<Opened> openedFrom(const Executor::Output& output) {
    Opened opened;
    opened.folder = valueOf(output.out, "folder");
    if (output.exitCode != 0 || !opened.folder.startsWith(QLatin1Char('/')))
        return fail(
            Error::Kind::Permission,
            Tr::tr("The folder for test files cannot be made in the guest. It says: %1")
                .arg(plainText(QString::fromUtf8(output.err).simplified().left(longestFact))));
    opened.filesystem = plainText(valueOf(output.out, "filesystem").left(longestFact));
    opened.isOnRoot = valueOf(output.out, "root") != QLatin1String("no");
    setText(opened.facts, "os", valueOf(output.out, "os"));
    setText(opened.facts, "kernel", valueOf(output.out, "kernel"));
    setNumber(opened.facts, "cpus", valueOf(output.out, "cpus"));
    setNumber(opened.facts, "memory_bytes", valueOf(output.out, "kibibytes"), 1024);
    setNumber(opened.facts, "memory_bytes", valueOf(output.out, "bytes"));
    return opened;
}

QString installFioScript() {
    return withPaths(installText);
}

QString findFioScript() {
    return withPaths("command -v fio > /dev/null\n");
}

QString runScript() {
    return withPaths(runText);
}

void takeTime(Executor::Output& output) {
    static const QRegularExpression line(
        QStringLiteral("(?:^|\\n)VITRINE-TIME ([0-9.]*) ([0-9.]*)\\n?$"));
    const QString text = QString::fromLatin1(output.err);
    const auto match = line.match(text);
    if (!match.hasMatch())
        return;
    output.err.truncate(match.capturedStart());
    bool hasBegin = false;
    bool hasEnd = false;
    const double begin = match.captured(1).toDouble(&hasBegin);
    const double seconds = match.captured(2).toDouble(&hasEnd) - begin;
    // What took no tick of the guest's clock is known no better than by ours.
    if (hasBegin && hasEnd && seconds > 0 && seconds <= output.seconds)
        output.seconds = seconds;
}

QString stopScript() {
    return withPaths(stopText);
}

QString dropScript() {
    return withPaths(dropText).arg(dropProgram());
}

bool hasDropped(const Executor::Output& output) {
    const QString how = valueOf(output.out, "dropped");
    return output.exitCode == 0 && !how.isEmpty() && how != QLatin1String("no");
}

QString freeSpaceScript() {
    return withPaths(spaceText);
}

Result<quint64> freeSpaceFrom(const Executor::Output& output) {
    static const QRegularExpression line(
        QStringLiteral(" +[0-9]+ +-?[0-9]+ +(-?[0-9]{1,18}) +-?[0-9]+% "));
    const auto match = line.match(QString::fromUtf8(output.out));
    if (output.exitCode != 0 || !match.hasMatch())
        return fail(
            Error::Kind::Integrity,
            Tr::tr("The guest does not say how much room its disk has. It says: %1")
                .arg(plainText(QString::fromUtf8(output.err.isEmpty() ? output.out : output.err)
                                   .simplified()
                                   .left(longestFact))));
    const double bytes = match.captured(1).toDouble() * 1024;
    return static_cast<quint64>(std::clamp(bytes, 0.0, mostBytes));
}

QString closeScript() {
    return withPaths(closeText);
}

} // namespace vitrine::bench::guest
