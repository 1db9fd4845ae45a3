#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reads the C++ that is compiled on a Mac (core, cli, ui, app, vz/plan, vz/host, vz/view, softnet/policy) as a Mac's compiler would, on Linux:
# clang for macOS 13 with the headers of this computer, from which vz/check/darwin takes what Linux alone has and to which
# it adds what macOS has. Links nothing.
#
#   scripts/mac-check.sh            the files that speak to the system: those with a header of its own or a condition
#   scripts/mac-check.sh --all      every file, and the tests that are built there
#   scripts/mac-check.sh FILE…      these
#   scripts/mac-check.sh --mistakes shows that each of the files in vz/check/mac_mistakes is found out
#   scripts/mac-check.sh --libcxx … the same with LLVM's C++ library and compiler 19, which Xcode 16.3 has: what the library lacks, what
#                                   macOS 13's has not (it says so of its functions), new warnings. Debian's clang-19 and libc++-19-dev.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

libcxx=
if [ "${1-}" = --libcxx ]; then
  shift
  libcxx=${VZ_LIBCXX:-/usr/lib/llvm-19/include/c++/v1}
  VZ_CLANG=${VZ_CLANG:-clang++-19}
  [ -e "$libcxx/__config_site" ] || {
    echo "scripts/mac-check.sh: there is no $libcxx. Debian's packages are clang-19 and libc++-19-dev." >&2
    exit 1
  }
fi
clang=${VZ_CLANG:-$(command -v clang++-14 || command -v clang++)}
[ -n "$clang" ] || {
  echo "scripts/mac-check.sh: there is no clang++. Debian's package is clang-14." >&2
  exit 1
}
darwin=vz/check/darwin
qt=$(qmake6 -query QT_INSTALL_HEADERS 2> /dev/null || echo "/usr/include/$(gcc -print-multiarch)/qt6")
library=$(g++ -dumpversion)
multiarch=$(gcc -print-multiarch)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Types as wide and as signed as Apple's, so that what overloads, templates and formats make of them is seen.
mkdir -p "$work/types/bits/types" "$work/absent"
types=/usr/include/$multiarch/bits
sed -E 's/(__DEV_T_TYPE)\s.*/\1 __S32_TYPE/; s/(__(MODE|NLINK)_T_TYPE)\s.*/\1 __U16_TYPE/; s/(__(OFF|OFF64|BLKCNT|BLKCNT64)_T_TYPE)\s.*/\1 long long int/
  s/(__(INO|INO64)_T_TYPE)\s.*/\1 unsigned long long int/; s/(__(SUSECONDS|BLKSIZE)_T_TYPE)\s.*/\1 __S32_TYPE/' "$types/typesizes.h" > "$work/types/bits/typesizes.h"
sed -E 's/^typedef signed long int __int64_t/typedef signed long long int __int64_t/; s/^typedef unsigned long int __uint64_t/typedef unsigned long long int __uint64_t/' \
  "$types/types.h" > "$work/types/bits/types.h"
echo '#pragma once
typedef unsigned int __sigset_t;' > "$work/types/bits/types/__sigset_t.h"
# Headers that a Mac lacks. The C library's own need some of them; those have been read by then.
for header in /usr/include/linux/*.h /usr/include/linux/*/*.h asm/unistd.h attr/xattr.h error.h linux/input.h malloc.h mntent.h pty.h \
  sys/auxv.h sys/epoll.h sys/eventfd.h sys/fsuid.h sys/inotify.h sys/pidfd.h sys/prctl.h sys/random.h sys/sendfile.h sys/signalfd.h \
  sys/statfs.h sys/sysinfo.h sys/sysmacros.h sys/timerfd.h sys/vfs.h utmp.h values.h byteswap.h endian.h xcb/xcb.h; do
  header=${header#/usr/include/}
  mkdir -p "$work/absent/$(dirname "$header")"
  echo "#error <$header> is not there on a Mac" > "$work/absent/$header"
done

# QEMU and the network's program are not built there. Who chooses the backend may name it.
git ls-files 'qemu/*.h' 'softnet/program/*.h' | while read -r header; do
  mkdir -p "$work/absent/$(dirname "$header")"
  echo "#error \"$header\" is not built on a Mac" > "$work/absent/$header"
done

flags=(--target=x86_64-apple-macosx13.0 -x c++ -std=c++20 -nostdinc++ -nostdlibinc -U__nonnull -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Werror -Wno-pragma-once-outside-header
  -DQT_NO_KEYWORDS -DQT_NO_CAST_FROM_ASCII -DQT_NO_CAST_TO_ASCII -DQT_NO_CAST_FROM_BYTEARRAY -DQT_NO_FOREACH
  -DQT_NO_URL_CAST_FROM_STRING -DQT_NO_NARROWING_CONVERSIONS_IN_CONNECT -DQT_DISABLE_DEPRECATED_BEFORE=0x060400 -DVITRINE_VERSION='"0"'
  -DVITRINE_TEST_DATA='"tests/data"' -DVITRINE_BIN_DIR='"bin"'
  -isystem "$darwin" -isystem vz/check/stubs/sys -isystem "$work/types")
cxx=(-isystem "/usr/include/c++/$library" -isystem "/usr/include/$multiarch/c++/$library" -isystem "/usr/include/c++/$library/backward")
if [ -n "$libcxx" ]; then
  # As Apple configures it: with what each macOS brought, without time zones.
  mkdir -p "$work/libcxx"
  sed -E 's/^#define (_LIBCPP_HAS_NO_VENDOR_AVAILABILITY_ANNOTATIONS)/#undef \1/; s/.*#undef (_LIBCPP_HAS_NO_TIME_ZONE_DATABASE).*/#define \1/' \
    "$libcxx/__config_site" > "$work/libcxx/__config_site"
  cxx=(-isystem "$work/libcxx" -isystem "$darwin/libcxx" -isystem "$libcxx" -D_LIBCPP_ENABLE_EXPERIMENTAL)
fi
headers=(-isystem "$qt" -isystem "$qt/QtCore" -isystem "$qt/QtGui" -isystem "$qt/QtWidgets" -isystem "$qt/QtNetwork"
  -isystem "$qt/QtTest" -isystem "$qt/QtSvg" -isystem "$qt/QtCharts" "${cxx[@]}" -isystem "/usr/include/$multiarch" -isystem /usr/include -I.)

# What only Linux compiles has its name, but for the kernel runs and the portal.
only_linux='_linux\.cpp$|^(app|cli)/backend_qemu\.|^cli/kernel_(command|session)\.|^ui/theme/portal_watch\.'

# Everything that one of the files of a kind includes of the system, C++ and Qt is read once.
prelude() { # prelude KIND FOLDER…
  local kind=$1
  shift
  {
    git ls-files --cached --others --exclude-standard -- "${@/%//*.h}" "${@/%//*.cpp}" | grep -vE "$only_linux" |
      xargs sed -nE 's/^(#include <(Q[A-Za-z]+|[a-z_]+|CLI\/.*|tl\/.*)>).*/\1/p' | sort -u |
      while read -r _ header; do
        header=${header:1:-1}
        [[ $header == C* ]] || [ ! -e "$work/absent/$header" ] && echo "#include <$header>"
      done
    echo '#include "system.h"' # last: some of the C++ library is written for Linux
  } > "$work/$kind.h"
  "$clang" "${flags[@]}" "${headers[@]}" -x c++-header "$work/$kind.h" -o "$work/$kind.pch"
}

kind_of() {
  case $1 in
    ui/* | app/* | vz/view/* | "$work"/window.*) echo window ;;
    cli/* | "$work"/cli.*) echo cli ;;
    vz/check/*) echo mistakes ;;
    *) echo core ;;
  esac
}
read_as_mac() { # read_as_mac FILE
  "$clang" -fsyntax-only "${flags[@]}" -iquote "$work/absent" -isystem "$work/absent" "${headers[@]}" -include-pch "$work/$(kind_of "$1").pch" "$1"
}

speaks_to_system() {
  xargs grep -lE '#include <([a-z]+/[a-z_]+|[a-z_]+)\.h>|^#(if|elif).*(__APPLE__|__linux__|Q_OS_)|/proc/' 
}
every() {
  git ls-files --cached --others --exclude-standard -- 'core/*.cpp' 'cli/*.cpp' 'ui/*.cpp' 'app/*.cpp' 'vz/plan/*.cpp' 'vz/host/*.cpp' 'vz/native/*.cpp' 'vz/view/*.cpp' \
    'softnet/policy/*.cpp' | grep -vE "$only_linux"
}

failed=0
case ${1-} in
  --mistakes) mapfile -t files < <(ls vz/check/mac_mistakes/*.cpp ${libcxx:+vz/check/mac_mistakes/libcxx/*.cpp}) ;;
  --all) mapfile -t files < <(
    every
    git ls-files 'tests/core/'{result,value,job,posix}'/*.cpp' 'tests/vz/plan/*.cpp' tests/core/library/short_folder_test.cpp \
      tests/core/guest/apple_network_test.cpp tests/support/test_main.cpp | grep -vE 'control_pipe|mac_creation|machine_run|softnet_session'
  ) ;;
  '') mapfile -t files < <(every | speaks_to_system) ;;
  *) files=("$@") ;;
esac
needed=$(for file in "${files[@]}"; do kind_of "$file"; done | sort -u)
for kind in $needed; do
  case $kind in
    core) prelude core core vz/plan softnet/policy & ;;
    cli) prelude cli core cli & ;;
    mistakes) prelude mistakes vz/check/mac_mistakes & ;;
    window) prelude window core vz/plan ui app vz/view & ;;
  esac
done
for job in $(jobs -p); do wait "$job" || failed=1; done
[ $failed = 0 ] || exit 1

if [ "${1-}" = --mistakes ]; then
  for file in "${files[@]}"; do
    # The first line says the words it is found out with.
    IFS='|' read -r _ words < "$file"
    if said=$(read_as_mac "$file" 2>&1); then
      echo "$file was not found out."
      failed=1
    elif ! grep -qF -- "$words" <<< "$said"; then
      printf '%s was refused for another reason than "%s":\n%s\n' "$file" "$words" "$said"
      failed=1
    fi
  done
  [ $failed = 1 ] || echo "All ${#files[@]} mistakes were found out."
  exit $failed
fi

# Most of the time goes into headers, so a dozen files of a folder are read together, but for those that cannot be (CMake's unity
# builds leave them out too), those that only a Mac compiles and tests.
together() {
  [[ $1 != *_mac.cpp && $1 != tests/* ]] && ! grep -qxF -- "$1" cmake/compiled_alone.txt
}
batches=()
declare -A batch_of=() count_of=()
for file in "${files[@]}"; do
  if [ ${#files[@]} -lt 3 ] || ! together "$file"; then
    batches+=("$file")
    continue
  fi
  folder=$(dirname "$file")
  count=$((${count_of[$folder]:-0}))
  if [ $((count % 12)) = 0 ]; then
    batch_of[$folder]=$work/$(kind_of "$file").${folder//\//_}.$count.cpp
    batches+=("${batch_of[$folder]}")
    echo '#pragma clang diagnostic ignored "-Wshadow"' > "${batch_of[$folder]}"
  fi
  echo "#include \"$file\"" >> "${batch_of[$folder]}"
  count_of[$folder]=$((count + 1))
done

# What fails together is read again file by file: only names that two of them have may have been the reason.
read_batch() { # read_batch FILE
  local file
  if [[ $1 == "$work"/* ]]; then
    read_as_mac "$1" > /dev/null 2>&1 || sed -n 's/^#include "\(.*\)"$/\1/p' "$1" | while read -r file; do read_batch "$file"; done
  else
    read_as_mac "$1" || echo "$1, read for macOS: see above."
  fi
}
jobs=$(nproc)
number=0
for file in "${batches[@]}"; do
  number=$((number + 1))
  (read_batch "$file" > "$work/$number.said" 2>&1) &
  while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
done
wait
if [ -n "$(cat "$work"/*.said)" ]; then
  cat "$work"/*.said
  failed=1
fi
[ $failed = 1 ] || echo "${#files[@]} files read."
exit $failed
