// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vitrine {

// Scripts for /bin/sh of a Linux guest, as root. Exit codes: 0 done, busyShareCode in use (the
// processes are on standard output: name and number, one a line), else failed, with the reason on
// standard error.
inline constexpr int busyShareCode = 3;

// $1 tag, $2 place, $3 type, $4 options. Already mounted there is done. The device is there as soon
// as the host says so, but the guest finds it a moment later.
inline constexpr const char* mountShareScript = R"sh(
tag=$1 place=$2 type=$3 options=$4
grep -q " $place $type " /proc/mounts && exit 0
mkdir -p "$place" || exit 1
tries=0
until error=$(mount -t "$type" -o "$options" "$tag" "$place" 2>&1); do
  tries=$((tries + 1))
  if [ $tries -ge 50 ]; then echo "$error" >&2; exit 1; fi
  sleep 0.1
done
)sh";

// $1 place, $2 not empty: only looks whether it, which may be a part of a mount, is in use.
inline constexpr const char* unmountShareScript = R"sh(
place=$1 look=$2
if [ -z "$look" ] && ! grep -q " $place " /proc/mounts; then rmdir "$place" 2>/dev/null; exit 0; fi
# Names of links, then those below a heading "/proc/12/fd:"; forks are dear in an emulated guest. A holder that ends
# between the attempt and the look leaves nobody to name: then it is tried again.
tries=0
while :; do
  if [ -z "$look" ] && error=$(umount "$place" 2>&1); then rmdir "$place" 2>/dev/null; exit 0; fi
  list=$({
    ls -ln /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe
    ls -ln /proc/[0-9]*/fd /proc/[0-9]*/map_files
  } 2>/dev/null | sed -n \
    -e "s,.* /proc/\([0-9]*\)/[a-z]* -> $place\(/.*\)*\$,\1,p" \
    -e '/^\/proc\/[0-9]*\/[a-z_]*:$/{s,[^0-9],,g;h;d;}' \
    -e "\\, -> $place\(/.*\)*\$,{x;p;x;}" |
    sort -u | head -n 5 | while read -r process; do
      read -r name < "/proc/$process/comm" && echo "$name $process"
    done)
  if [ -n "$list" ]; then echo "$list"; exit 3; fi
  if [ -n "$look" ]; then exit 0; fi
  tries=$((tries + 1))
  [ $tries -lt 5 ] || break
  sleep 0.1
done
echo "$error" >&2
exit 1
)sh";

} // namespace vitrine
