#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# sample_guest_layout.sh GUEST: what a built sample guest must look like on disk. Prints each rule that does not hold.
set -uo pipefail
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin"
guest=$1
disk=$guest/machine/disk.img
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

rule() { # rule SENTENCE COMMAND…
  local sentence=$1
  shift
  if "$@" > "$scratch/output" 2>&1; then
    echo "holds: $sentence"
  else
    failures=$((failures + 1))
    echo "FAILS: $sentence"
    head -n 20 "$scratch/output"
  fi
}
inspect() { debugfs -R "$1" "$disk?offset=$offset" 2> /dev/null; }
partition_field() { sfdisk -J "$disk" | tr -d ' \n' | grep -o '"node":[^}]*' | sed -n "$1p" | grep -o "\"$2\":[^,]*" | cut -d: -f2 | tr -d '"'; }

offset=$(($(partition_field 2 start) * 512))

two_partitions() { [ "$(sfdisk -J "$disk" | grep -c '"node"')" = 2 ] && [ -z "$(partition_field 3 start)" ]; }
table_is_sound() { sfdisk -V "$disk"; }
first_is_esp() { [ "$(partition_field 1 type)" = C12A7328-F81F-11D2-BA4B-00A0C93EC93B ]; }
esp_has() { mdir -b -i "$disk@@1M" "::/$1"; }
root_is_clean() { e2fsck -fn "$disk?offset=$offset"; }
at_most() { local used; used=$(du -sm "$1" | cut -f1); echo "$used MB"; [ "$used" -le "$2" ]; }
free_space() { inspect stats | awk '/^Free blocks:/ { free = $3 } /^Block size:/ { size = $3 } END { exit !(free * size > 1000000000) }'; }

# Lines "UID MODE PATH" of every file of the root file system.
list_files() {
  local level=(/)
  while [ ${#level[@]} -gt 0 ]; do
    printf 'ls -p "%s"\n' "${level[@]}" > "$scratch/commands"
    debugfs -f "$scratch/commands" "$disk?offset=$offset" 2> /dev/null | awk -F/ '
      /^debugfs: ls -p/ { split($0, quoted, "\""); directory = quoted[2]; sub(/\/$/, "", directory); next }
      NF >= 7 && $6 != "." && $6 != ".." && $2 != 0 { print $4, $3, directory "/" $6 }' > "$scratch/level"
    cat "$scratch/level" >> "$scratch/files"
    mapfile -t level < <(awk '$2 ~ /^04/ { sub(/^[^ ]* [^ ]* /, ""); print }' "$scratch/level")
  done
}
many_files() { wc -l < "$scratch/files"; [ "$(wc -l < "$scratch/files")" -gt 1000 ]; }
owned_by_root() { ! awk '$1 != 0 && $3 !~ "^/home/admin(/|$)"' "$scratch/files" | grep .; }
home_is_admins() { ! awk '$3 ~ "^/home/admin(/|$)" && $1 != 1000' "$scratch/files" | grep .; }
has_mode() { grep -x "$1 $2 $3" "$scratch/files" || { grep " $3\$" "$scratch/files"; false; }; }
nothing_for_all_to_write() { ! awk '$2 ~ /[2367]$/ && $2 !~ /^12/ && $2 !~ /^041/' "$scratch/files" | grep .; }

list_files
rule "the disk has a sound partition table" table_is_sound
rule "there are two partitions" two_partitions
rule "the first is an EFI system partition" first_is_esp
rule "firmware finds a boot loader" esp_has EFI/BOOT
rule "the boot loader finds the kernel" esp_has vmlinuz
rule "the root file system has no errors" root_is_clean
rule "the root file system has 1 GB of free space" free_space
rule "the machine takes at most 190 MB on disk" at_most "$guest/machine" 190
rule "the system is complete" many_files
rule "every file belongs to root" owned_by_root
rule "the home directory belongs to admin" home_is_admins
rule "sudo is set-user-id" has_mode 0 104755 /usr/bin/sudo
rule "the rights of admin are read by root only" has_mode 0 100440 /etc/sudoers.d/admin
rule "passwords are not readable by all" has_mode 0 100640 /etc/shadow
rule "nothing but temporary folders can be written by all" nothing_for_all_to_write
rule "the kernel for a direct start is there" test -s "$guest/boot/vmlinux" -a -s "$guest/boot/initrd" -a -s "$guest/boot/cmdline"
rule "the machine has its configuration and variables" test -s "$guest/machine/config.json" -a -s "$guest/machine/nvram.bin"
[ $failures = 0 ]
