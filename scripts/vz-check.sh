#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Reads the Objective-C++ of vz/ as a Mac's compiler would, on Linux: clang compiles for macOS 13 against our own
# declarations of Apple's frameworks (vz/check/stubs), once for Apple silicon and once for Intel, with warnings as
# errors; an unguarded call of a newer system's interface is one. Then scripts/vz-lint.py. Links nothing.
#
#   scripts/vz-check.sh            everything
#   scripts/vz-check.sh --mistakes shows that each of the files in vz/check/mistakes is found out
set -uo pipefail
cd "$(dirname "$0")/.." || exit

clang=${VZ_CLANG:-$(command -v clang++-14 || command -v clang++)}
[ -n "$clang" ] || {
  echo "scripts/vz-check.sh: there is no clang++. Debian's package is clang-14." >&2
  exit 1
}
stubs=vz/check/stubs
qt=$(qmake6 -query QT_INSTALL_HEADERS 2> /dev/null || echo "/usr/include/$(gcc -print-multiarch)/qt6")
library=$(g++ -dumpversion)
multiarch=$(gcc -print-multiarch)
# The headers of the C library are those of this computer; Apple's compiler knows __nonnull as a word of its own.
flags=(--target=x86_64-apple-macosx13.0 -x objective-c++ -std=c++20 -fsyntax-only -fobjc-arc -fblocks
  -nostdinc++ -nostdlibinc -U__nonnull -D_GNU_SOURCE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast -Werror -Wunguarded-availability -Wmethod-signatures
  -Woverriding-method-mismatch -Wundeclared-selector -Wswitch-enum
  -DQT_NO_KEYWORDS -DQT_NO_CAST_FROM_ASCII -DQT_NO_CAST_TO_ASCII -DQT_NO_CAST_FROM_BYTEARRAY -DQT_NO_FOREACH
  -DQT_NO_URL_CAST_FROM_STRING -DQT_NO_NARROWING_CONVERSIONS_IN_CONNECT -DQT_DISABLE_DEPRECATED_BEFORE=0x060400
  -isystem "$stubs/sys" -isystem "$stubs/foundation" -isystem "$stubs/apple"
  -isystem "$qt" -isystem "$qt/QtCore" -isystem "$qt/QtGui" -isystem "$qt/QtWidgets" -isystem "$qt/QtNetwork"
  -isystem "/usr/include/c++/$library" -isystem "/usr/include/$multiarch/c++/$library" -isystem "/usr/include/c++/$library/backward"
  -isystem "/usr/include/$multiarch" -isystem /usr/include -I.)
silicon=(-D__arm64__=1)

read_as_mac() { # read_as_mac intel|silicon FILE
  local more=()
  [ "$1" = intel ] || more=("${silicon[@]}")
  [ ! -f "${work-}/$1.pch" ] || more+=(-include-pch "$work/$1.pch")
  "$clang" "${flags[@]}" "${more[@]}" "$2"
}

failed=0
if [ "${1-}" = --mistakes ]; then
  for file in vz/check/mistakes/*.mm; do
    # The first line says which of the two finds it out, and the words it is found out with.
    IFS='|' read -r _ by words < "$file"
    case $by in
      lint) said=$(python3 scripts/vz-lint.py --declarations "$stubs" --sources "$file" 2>&1) ;;
      *) said=$(read_as_mac "$by" "$file" 2>&1) ;;
    esac && {
      echo "$file was not found out by $by."
      failed=1
      continue
    }
    if ! grep -qF -- "$words" <<< "$said"; then
      printf '%s was refused for another reason than "%s":\n%s\n' "$file" "$words" "$said"
      failed=1
    fi
  done
  [ $failed = 1 ] || echo "All $(find vz/check/mistakes -name '*.mm' | wc -l) mistakes were found out."
  exit $failed
fi

mapfile -t files < <(find vz -name '*.mm' -not -path 'vz/check/*' | sort)
mapfile -t headers < <(find vz/shell vz/view -name '*.h' | sort)
[ ${#files[@]} -gt 0 ] || {
  echo "scripts/vz-check.sh: there is nothing to read below vz/." >&2
  exit 1
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What all of them include is read once for each kind. That a file includes what it uses is seen by vz_shell_test.
printf '#import <AppKit/AppKit.h>\n#import <Virtualization/Virtualization.h>\n#include <QImage>\n#include <QPointer>\n#include "vz/plan/%s.h"\n#include "vz/plan/%s.h"\n' \
  machine host_services > "$work/prelude.h"
prelude() { # prelude intel|silicon
  local more=()
  [ "$1" = intel ] || more=("${silicon[@]}")
  "$clang" "${flags[@]/-fsyntax-only/-Wno-pragma-once-outside-header}" "${more[@]}" -x objective-c++-header "$work/prelude.h" -o "$work/$1.pch"
}
prelude intel && prelude silicon || exit 1
jobs=$(nproc)
number=0
for file in "${files[@]}"; do
  for kind in intel silicon; do
    number=$((number + 1))
    (read_as_mac "$kind" "$file" > "$work/$number.said" 2>&1 || echo "$file, read for $kind: see above." >> "$work/$number.said") &
    [ $((number % jobs)) != 0 ] || wait
  done
done
wait
if [ -n "$(cat "$work"/*.said)" ]; then
  cat "$work"/*.said
  failed=1
fi
python3 scripts/vz-lint.py --declarations "$stubs" vz/shell vz/view --sources "${files[@]}" "${headers[@]}" || failed=1
[ $failed = 1 ] || echo "${#files[@]} files read twice."
exit $failed
