#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sample_guest_system.sh VITRINECTL GUESTS: starts the sample guest with Vitrine's command line, signs in over ssh as people
# do and checks what the guest promises (packaging/sample-guest/README.md).
set -uo pipefail
export LC_ALL=C
vitrinectl=$1
guest=$2/$(dpkg --print-architecture)
scratch=$(mktemp -d)
export VITRINE_HOME=$scratch/library
runner=
leave() {
  "$vitrinectl" stop --timeout 0 sample > /dev/null 2>&1
  [ -z "$runner" ] || wait "$runner"
  rm -rf "$scratch"
}
trap leave EXIT

failures=0
rule() { # rule SENTENCE COMMAND…
  local sentence=$1
  shift
  if "$@" > "$scratch/output" 2>&1; then
    echo "holds: $sentence"
  else
    failures=$((failures + 1))
    echo "FAILS: $sentence"
    tail -n 20 "$scratch/output"
  fi
}
inside() { sshpass -p admin "$vitrinectl" ssh sample "$1"; }
shuts_down() { "$vitrinectl" stop --timeout 60 sample 2>&1 | tee /dev/stderr | grep -q 'has shut down'; }
answers() {
  local deadline=$((SECONDS + 120))
  until inside true; do
    [ $SECONDS -lt $deadline ] || return 1
    kill -0 "$runner" || return 1
    sleep 1
  done
}

mkdir -p "$VITRINE_HOME/vms/sample"
cp --sparse=always "$guest"/machine/* "$VITRINE_HOME/vms/sample/"
truncate -s 3000000000 "$VITRINE_HOME/vms/sample/disk.img"
"$vitrinectl" run --no-graphics sample > "$scratch/log" 2>&1 < /dev/null &
runner=$!

rule "admin signs in over ssh with the password admin" answers
[ $failures = 0 ] || { cat "$scratch/log"; exit 1; }
rule "admin becomes root without a password" inside '[ "$(sudo -n id -u)" = 0 ]'
rule "the root partition grows with the disk" inside 'sudo growpart /dev/vda 2 && sudo resize2fs /dev/vda2 && [ "$(df -m / | tail -1 | tr -s " " | cut -d" " -f2)" -gt 2500 ]'
rule "fio measures the disk" inside 'sudo fio --name=t --filename=/var/tmp/t --size=4M --rw=randwrite --bs=4k --direct=1 --unlink=1'
rule "iperf3, nc and tar are there" inside 'iperf3 --version && command -v nc && tar --version | grep -q GNU'
rule "the shell is bash" inside '[ -n "$BASH_VERSION" ]'
rule "folders can be shared over virtiofs and 9P" inside 'sudo modprobe -a virtiofs 9p 9pnet_virtio && grep -q virtiofs /proc/filesystems && grep -q 9p /proc/filesystems'
rule "a panic would be told" inside 'lsmod | grep -q pvpanic_pci'
rule "the clock is that of the computer" inside "[ \$((\$(date +%s) - $(date +%s))) -lt 60 ] && sudo hwclock -r"
rule "the guest looks up names at the address that DHCP told" inside 'grep -q "^nameserver " /etc/resolv.conf && ip route | grep -q "^default "'
if inside 'command -v screen-demo' > /dev/null 2>&1; then
  rule "the demo draws on the screen" inside 'sudo screen-demo -s 1 | grep -E "^mode [0-9]+x[0-9]+"'
fi
rule "it shuts down when asked" shuts_down
[ $failures = 0 ]
