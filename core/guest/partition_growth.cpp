// SPDX-License-Identifier: Apache-2.0
#include "core/guest/partition_growth.h"

#include <QRegularExpression>

namespace vitrine {

namespace {

constexpr int growthTime = 120000; // ms; resize2fs of a large file system on a slow guest

// Nothing here depends on more than a POSIX shell, awk and what it looks for. The device that is
// grown is the one at the PCI address of the root disk, never one that the guest merely names.
constexpr const char* script = R"(PATH=/usr/sbin:/usr/bin:/sbin:/bin; export PATH LC_ALL=C
say() { echo "VITRINE $*"; exit 0; }
have() { command -v "$1" > /dev/null 2>&1; }
disk=
for entry in /sys/block/*; do
  case $(readlink -f "$entry/device") in */%ADDRESS%/*) disk=${entry##*/} ;; esac
done
[ -n "$disk" ] || say no-disk
last= first=-1
for entry in /sys/block/"$disk"/"$disk"*; do
  [ -r "$entry/partition" ] || continue
  begin=$(cat "$entry/start")
  if [ "$begin" -gt "$first" ]; then first=$begin last=${entry##*/}; fi
done
device=$disk changed=no
if [ -n "$last" ]; then
  device=$last
  number=$(cat /sys/block/"$disk"/"$last"/partition)
  have growpart || say missing growpart "/dev/$disk" "$number"
  out=$(growpart "/dev/$disk" "$number" 2>&1)
  code=$?
  case $code:$out in
    0:*) changed=yes ;;
    *NOCHANGE*) ;;
    *) say failed growpart "$out" ;;
  esac
fi
# A kernel calls its root by another name sometimes: compare numbers.
numbers=$(cat /sys/class/block/"$device"/dev)
place= kind=
while read -r _ _ where _ target rest; do
  [ "$where" = "$numbers" ] || continue
  place=$target; kind=${rest#* - }; kind=${kind%% *}; break
done <<END
$(awk '{ print $1, $2, $3, $4, $5, substr($0, index($0, $6)) }' /proc/self/mountinfo)
END
if [ -z "$place" ]; then
  have findmnt && place=$(findmnt -n -o TARGET -S "/dev/$device" 2> /dev/null | head -n 1)
  have findmnt && kind=$(findmnt -n -o FSTYPE -S "/dev/$device" 2> /dev/null | head -n 1)
fi
[ -n "$place" ] || say no-file-system "/dev/$device" "$changed"
case $kind in
  ext2 | ext3 | ext4) tool=resize2fs ;;
  xfs) tool=xfs_growfs ;;
  btrfs) tool=btrfs ;;
  *) say unknown-file-system "$kind" "/dev/$device" ;;
esac
have $tool || say missing $tool "/dev/$device" "$place"
case $tool in
  resize2fs) out=$(resize2fs "/dev/$device" 2>&1) ;;
  xfs_growfs) out=$(xfs_growfs "$place" 2>&1) ;;
  btrfs) out=$(btrfs filesystem resize max "$place" 2>&1) ;;
esac || say failed $tool "$out"
if [ "$changed" = no ]; then
  case $out in *"Nothing to do"* | *"data size unchanged"*) say nothing "$place" ;; esac
fi
say grown "$place" "$kind"
)";

QString shown(const QString& untrusted) {
    QString text = untrusted.simplified().left(300);
    text.removeIf([](QChar c) { return !c.isPrint(); });
    return text;
}

PartitionGrowth notPossible(const QString& text) {
    return {PartitionGrowth::Outcome::NotPossible, text};
}

QString packageOf(const QString& tool) {
    if (tool == QLatin1String("growpart"))
        return QStringLiteral("cloud-guest-utils");
    if (tool == QLatin1String("resize2fs"))
        return QStringLiteral("e2fsprogs");
    return tool == QLatin1String("btrfs") ? QStringLiteral("btrfs-progs")
                                          : QStringLiteral("xfsprogs");
}

QString commandOf(const QStringList& words) {
    const QString tool = words.value(0);
    if (tool == QLatin1String("growpart"))
        return QStringLiteral("growpart %1 %2").arg(words.value(1), words.value(2));
    if (tool == QLatin1String("resize2fs"))
        return QStringLiteral("resize2fs %1").arg(words.value(1));
    if (tool == QLatin1String("btrfs"))
        return QStringLiteral("btrfs filesystem resize max %1").arg(words.value(2));
    return QStringLiteral("xfs_growfs %1").arg(words.value(2));
}

} // namespace

QString partitionGrowthScript(const QString& pciAddress) {
    return QString::fromLatin1(script).replace(QLatin1String("%ADDRESS%"), pciAddress);
}

PartitionGrowth partitionGrowthFrom(const GuestAgent::ExecResult& result) {
    static const QRegularExpression line(QStringLiteral("^VITRINE ([a-z-]+) ?(.*)$"),
                                         QRegularExpression::MultilineOption |
                                             QRegularExpression::DotMatchesEverythingOption);
    const auto match = line.match(QString::fromUtf8(result.standardOutput).trimmed());
    const QString word = match.captured(1);
    const QString details = shown(match.captured(2));
    const QStringList words = details.split(QLatin1Char(' '));
    if (word == QLatin1String("grown"))
        return {PartitionGrowth::Outcome::Grown,
                Tr::tr("The guest's file system \"%1\" now fills the disk.").arg(words.value(0))};
    if (word == QLatin1String("nothing"))
        return {
            PartitionGrowth::Outcome::NothingToDo,
            Tr::tr("The guest's file system \"%1\" filled the disk already.").arg(words.value(0))};
    const QString larger = Tr::tr("The disk is larger, but the guest's file system is not.");
    if (word == QLatin1String("missing"))
        return notPossible(
            larger + QLatin1Char(' ') +
            Tr::tr("The guest lacks the program \"%1\". Install it there (Debian: %2) and run "
                   "\"%3\" as root.")
                .arg(words.value(0), packageOf(words.value(0)), commandOf(words)));
    if (word == QLatin1String("failed"))
        return notPossible(larger + QLatin1Char(' ') +
                           Tr::tr("The guest's \"%1\" says: %2")
                               .arg(words.value(0), words.mid(1).join(QLatin1Char(' '))));
    if (word == QLatin1String("no-file-system"))
        return notPossible(
            larger + QLatin1Char(' ') +
            Tr::tr("The last partition, %1, is not mounted itself: it may hold LVM or encryption. "
                   "Grow what is in it inside the guest, for LVM with pvresize and lvextend -r.")
                .arg(words.value(0)));
    if (word == QLatin1String("unknown-file-system"))
        return notPossible(larger + QLatin1Char(' ') +
                           Tr::tr("Its kind, %1, cannot be grown from here. Use the guest's own "
                                  "tools.")
                               .arg(words.value(0)));
    return notPossible(larger + QLatin1Char(' ') +
                       Tr::tr("The guest did not say what became of it. Grow the last partition "
                              "inside the guest, for example with growpart and resize2fs."));
}

void growPartition(GuestAgent& agent,
                   const QString& pciAddress,
                   std::function<void(Result<PartitionGrowth>)> reply) {
    agent.run(QStringLiteral("/bin/sh"),
              {QStringLiteral("-c"), partitionGrowthScript(pciAddress)},
              {},
              growthTime,
              [reply = std::move(reply)](const Result<GuestAgent::ExecResult>& result) {
                  if (result) {
                      reply(partitionGrowthFrom(*result));
                      return;
                  }
                  reply(fail(result.error().kind,
                             Tr::tr("The disk is larger, but the guest could not be asked to grow "
                                    "its file system. %1 Grow the last partition inside the guest, "
                                    "for example with growpart and resize2fs.")
                                 .arg(result.error().message),
                             result.error().detail));
              });
}

} // namespace vitrine
