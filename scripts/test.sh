#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests need, builds and runs them.
#
#   scripts/test.sh [--preset release|asan|dev] [--without LABEL] [LABEL…]
#
# Labels: unit, service, vm, gui; without one all four, and everything is built. perm: those that also hold for an
# ordinary user; anyone: those of them that as root need not be run besides. With labels only what their tests need is built.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/build.sh
. scripts/build.sh

preset=release without=()
while [[ ${1-} == --* ]]; do
  case $1 in
    --preset) preset=${2:?which preset} ;;
    --without) without=(--label-exclude "^(${2:?which label})\$") ;;
    *)
      echo "scripts/test.sh: there is no option '$1'. There are --preset and --without." >&2
      exit 2
      ;;
  esac
  shift 2
done
labels=("$@")
targets=("${labels[@]/#/tests_}")
[ ${#labels[@]} -gt 0 ] || labels=(unit service vm gui)
for label in "${labels[@]}"; do
  case $label in
    unit | service | vm | gui | perm) ;;
    *)
      echo "scripts/test.sh: there is no label '$label'. There are unit, service, vm, gui and perm." >&2
      exit 2
      ;;
  esac
done

install_missing run test
build "$preset" "${targets[@]}"

# The quick ones come first: whoever changed something knows soon. They wait more than they compute. Many guests at once
# would take the memory of most computers.
failed=()
run() { # run LABEL…
  local wanted jobs
  jobs=$(nproc)
  if [ "$*" = unit ]; then
    jobs=$((jobs * 2))
  elif [ "$jobs" -gt 4 ]; then
    jobs=4
  fi
  wanted=$(IFS='|' && echo "$*")
  echo "== tests labelled $*"
  ctest --test-dir "build/$preset" --label-regex "^($wanted)\$" "${without[@]}" --output-on-failure --no-tests=error --parallel "$jobs" ||
    failed+=("$@")
}
others=()
for label in "${labels[@]}"; do
  if [ "$label" = unit ]; then run unit; else others+=("$label"); fi
done
if [ ${#others[@]} -gt 0 ]; then run "${others[@]}"; fi
if [ ${#failed[@]} -gt 0 ]; then
  echo "Failed: among the tests labelled ${failed[*]}." >&2
  exit 1
fi
