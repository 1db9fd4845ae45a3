#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Rules of CONTRIBUTING.md that a search or the formatter can tell. Prints what breaks them.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

broken=0
# none TITLE COMMAND: the rule is broken if the command prints something.
none() {
  local lines
  lines=$("$2" 2>&1 | head -n 30)
  [ -n "$lines" ] || return 0
  broken=1
  printf '%s:\n%s\n\n' "$1" "$lines"
}
sources=('*.cpp' '*.h' '*.mm' '*.c')

unformatted() { git ls-files -z "${sources[@]}" | xargs -0 -r clang-format-14 --dry-run -Werror; }
none "Not formatted (clang-format-14 -i FILE)" unformatted

module_includes() {
  git grep -nE '#include <Qt[A-Za-z0-9]*(/[A-Za-z]+)?>' -- "${sources[@]}" |
    grep -vE '#include <Qt(Global|Math|Endian|Numeric|Concurrent|Plugin)>'
}
none "Includes with a Qt module in front (write <QString>, not <QtCore/QString> or <QtCore>)" module_includes

fixed_sleeps() {
  git grep -nE 'sleep_for|sleep_until|QTest::q(Wait|Sleep)\(|QThread::[mu]?sleep\(|\b(u|nano)?sleep\(' -- 'tests/*.cpp' 'tests/*.h'
}
none "Fixed sleeps in tests (wait for a condition with a deadline)" fixed_sleeps

plain_calls() {
  git grep -nE '(^|[^A-Za-z0-9_>])::(fsync|fdatasync|pipe2?|accept4?|renameat2|renamex_np|socket)\(' -- 'app/*.cpp' 'cli/*.cpp' 'core/*.cpp' 'ui/*.cpp' 'vz/*.cpp' \
    'vz/*.mm' ':!core/posix' ':!vz/check'
}
none "System calls that core/posix has for all systems (flush, makePipe, acceptLocal, makeLocalSocket, renameExclusive)" plain_calls

coroutines() { git grep -nE '\bco_(await|yield|return)\b' -- "${sources[@]}"; }
none "Coroutines (docs/adr/0003)" coroutines

left_for_later() {
  git grep -nE 'GTEST_SKIP|DISABLED_|\b(TODO|FIXME|XXX)\b' -- "${sources[@]}" '*.cmake' '*.sh' ':!scripts/check.sh' |
    grep -vE 'GTEST_SKIP\(\) << ".*root.*"' # what holds for one kind of user only; perm runs it for the other
}
none "Left for later or skipped" left_for_later

unlicensed() {
  git ls-files "${sources[@]}" '*.sh' '*.cmake' | while read -r file; do
    [ ! -f "$file" ] || head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || echo "$file"
  done
}
none "No licence line at the top" unlicensed

too_long() {
  git ls-files "${sources[@]}" | while read -r file; do
    [ ! -f "$file" ] || [ "$(wc -l < "$file")" -le 600 ] || echo "$file"
  done
}
none "Longer than 600 lines" too_long

foreign_paths() {
  # The folder around the work tree, unless it is one that every computer has.
  local around
  around=$(dirname "$PWD")/
  case $around in
    // | /tmp/ | /home/ | /root/ | /srv/ | /opt/ | /mnt/) ;;
    *) git grep -nF "$around" ;;
  esac
  git grep -nE '/home/[a-z]+/|/Users/[a-z]+/' -- ':!packaging/sample-guest' ':!tests' ':!scripts/check.sh' |
    grep -vE '/home/(me|user|admin|someone)/'
}
none "Paths of somebody's computer" foreign_paths

package_servers() { git grep -nE '(deb|security|snapshot|ftp\.[a-z]+)\.debian\.org' -- ':!scripts/check.sh'; }
none "A package server (apt is configured by the computer)" package_servers

broken_scripts() {
  git ls-files -z scripts .ci packaging tests | xargs -0 grep -lE '^#!/bin/(ba|busybox )?sh' | while read -r file; do bash -n "$file"; done
}
none "Shell scripts with errors" broken_scripts

if [ $broken = 0 ]; then echo "All rules hold."; fi
exit $broken
