#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# boot_times.sh BIN SAMPLE-GUESTS [RUNS]: seconds from `vitrinectl run` to the guest's "ready" on its serial line, by
# firmware and by kernel, in turn; every run and the medians. Wanted on a quiet computer: 25 s and 10 s under TCG.
set -euo pipefail
bin=${1:?the folder of vitrinectl}
samples=${2:?the folder made by packaging/sample-guest/build.sh for each architecture}
runs=${3:-5}
samples=$(realpath "$samples")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export VITRINE_HOME=$work/library

make_machine() { # NAME ARCH
  mkdir -p "$VITRINE_HOME/vms/$1"
  cp --sparse=always "$samples/$2/machine/"* "$VITRINE_HOME/vms/$1/"
}
make_machine firmware amd64
make_machine kernel amd64
make_machine arm64 arm64
cat > "$VITRINE_HOME/vms/kernel/vitrine.json" <<JSON
{ "run": { "kernel": { "kernel": "$samples/amd64/boot/vmlinux", "initrd": "$samples/amd64/boot/initrd",
                       "commandLine": "$(tr -d '\n' < "$samples/amd64/boot/cmdline")" } } }
JSON

boot() { # NAME: prints the seconds
  local begin end log
  rm -rf "$VITRINE_HOME/run"
  begin=$(date +%s%N)
  "$bin/vitrinectl" run "$1" --no-graphics > "$work/said" 2>&1 &
  local pid=$!
  until log=$(echo "$VITRINE_HOME"/run/*/serial.log) && grep -q VITRINE-GUEST-READY "$log" 2> /dev/null; do
    kill -0 $pid 2> /dev/null || { cat "$work/said" >&2; exit 1; }
    [ $(($(date +%s%N) - begin)) -lt 300000000000 ] || { echo "$1 is not ready after 300 s" >&2; exit 1; }
    sleep 0.05
  done
  end=$(date +%s%N)
  kill -INT $pid
  wait $pid || true
  echo "$(((end - begin) / 1000000))"
}

for name in firmware kernel arm64; do : > "$work/$name.times"; done
for ((run = 1; run <= runs; ++run)); do
  for name in firmware kernel arm64; do
    boot "$name" >> "$work/$name.times"
    printf '%s %s: %s ms\n' "$run" "$name" "$(tail -n 1 "$work/$name.times")"
  done
done
for name in firmware kernel arm64; do
  printf 'median %s: %s ms\n' "$name" "$(sort -n "$work/$name.times" | sed -n "$(((runs + 1) / 2))p")"
done
