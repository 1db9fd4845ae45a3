#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# build.sh OUT [ARCH]: makes the sample guest from Debian packages. See README.md beside this file.
#   OUT/machine/  config.json, disk.img, nvram.bin: a machine directory
#   OUT/boot/     vmlinux, initrd, cmdline: the same guest to be started without firmware; vmlinuz as it is packed; busybox
#   OUT/modules/  RELEASE: the kernel's modules that the guest has
# Needs no root, no loop device and no network but apt's own. Does nothing if OUT is up to date.
# VITRINE_DEB_CACHE names the folder that keeps the packages between runs.
set -Eeuo pipefail
trap 'echo "sample guest: build.sh failed at line $LINENO" >&2' ERR
export LC_ALL=C TZ=UTC
umask 022

here=$(cd "$(dirname "$0")" && pwd)
epoch=1704067200 # all times in the image: 2024-01-01

fail() { echo "sample guest: $*" >&2; exit 1; }
note() { printf 'sample guest: %s\n' "$*"; }

inside=
if [ "${1-}" = --inside-fakeroot ]; then
  inside=1
  shift
fi
[ $# = 1 ] || [ $# = 2 ] || fail "usage: build.sh OUT [amd64|arm64]"
export PATH="$PATH:/usr/sbin:/sbin"
host=$(dpkg --print-architecture)
arch=${2:-$host}
case $arch in
  amd64) serial=ttyS0 efi=x64 vars=usr/share/OVMF/OVMF_VARS_4M.fd root_type=4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709 ;;
  arm64) serial=ttyAMA0 efi=aa64 vars=usr/share/AAVMF/AAVMF_VARS.fd root_type=B921B045-1DF0-41C3-AF44-4C6F280D3FAE ;;
  *) fail "the architecture '$arch' is not known; amd64 and arm64 are." ;;
esac
mkdir -p "$1" 2> /dev/null || fail "the folder '$1' cannot be made."
out=$(cd "$1" && pwd)
work=$out/work
root=$work/root

# ---------------------------------------------------------------------------------------------- packages
# Everything of apt is the machine's own (sources, keys, proxies) except where it keeps its state, so that
# another architecture and an ordinary user are possible and nothing of the machine changes.
cache=${VITRINE_DEB_CACHE:-${XDG_CACHE_HOME:-${HOME:-$out}/.cache}/vitrine/debs}
private_apt() {
  local command=$1
  shift
  "$command" -o Dir::State="$cache/state-$arch" -o Dir::State::Lists="$cache/state-$arch/lists" \
    -o Dir::State::status=/dev/null -o Dir::State::extended_states=/dev/null \
    -o Dir::Cache="$cache/state-$arch" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o APT::Architecture="$arch" -o APT::Architectures::="$arch" -o APT::Sandbox::User=root \
    -o APT::Install-Recommends=false -o APT::Get::Assume-Yes=true -o Dpkg::Use-Pty=false \
    -o Acquire::Languages=none -o Acquire::Retries=3 "$@"
}

# list FILE: the lines of a list that hold for this architecture, without comments.
list() { sed -e 's/#.*//' -e "s/^$arch://" -e '/^[a-z0-9]*:/d' -e 's/[[:space:]]*$//' -e '/^$/d' "$1"; }

fetch_packages() {
  mkdir -p "$cache/state-$arch/lists/partial" "$cache/state-$arch/archives/partial" "$cache/$arch"
  exec 9> "$cache/lock"
  flock 9
  private_apt apt-get -q -q update || note "the package lists could not be renewed; the ones from before are used"
  local wanted excluded
  wanted=$(list "$here/packages.txt" | grep -v '^-')
  excluded=$(list "$here/packages.txt" | sed -n 's/^-//p')
  # Lines: 'URI' FILE SIZE HASH. An excluded package is only skipped here: apt need not agree.
  # shellcheck disable=SC2086
  private_apt apt-get -q -q --print-uris install $wanted |
    sed -n "s/^'[^']*' \\([^ ]*\\.deb\\) \\([0-9]*\\).*/\\1 \\2/p" |
    awk -v excluded="$excluded" 'BEGIN { n = split(excluded, a); for (i = 1; i <= n; i++) skip[a[i]] = 1 }
      { split($1, part, "_"); if (!(part[1] in skip)) print }' | sort > "$work/files"
  [ -s "$work/files" ] || fail "apt found none of the packages. Do the machine's apt sources work (apt-get update)?"
  local missing=() file size
  while read -r file size; do
    [ "$(stat -c %s "$cache/$arch/$file" 2>/dev/null)" = "$size" ] && continue
    rm -f "$cache/$arch/$file"
    file=${file%_*.deb}
    file=${file/_/=}
    missing+=("${file//%3a/:}")
  done < "$work/files"
  if [ ${#missing[@]} -gt 0 ]; then
    note "fetching ${#missing[@]} packages for $arch"
    (cd "$cache/$arch" && private_apt apt-get -q -q download "${missing[@]}")
  fi
  while read -r file size; do
    [ -f "$cache/$arch/$file" ] || fail "the package $file was not fetched."
  done < "$work/files"
  flock -u 9
}

package_file() { grep "^$1_" "$work/files" | head -n 1 | cut -d' ' -f1; }
unpack() { # unpack FILE DIRECTORY [tar option…]
  local file=$1 into=$2
  shift 2
  dpkg-deb --fsys-tarfile "$cache/$arch/$file" | tar -x -C "$into" --keep-directory-symlink "$@"
}

# ------------------------------------------------------------------------------------------ root file system
unpack_root() {
  mkdir -p "$root"/usr/{bin,sbin,lib,lib64}
  local name file
  for name in bin sbin lib lib64; do ln -s "usr/$name" "$root/$name"; done
  while read -r file _; do
    case $file in
      linux-image-* | systemd-boot-efi_* | ovmf_* | qemu-efi-aarch64_*) continue ;;
    esac
    unpack "$file" "$root" --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/info/*' \
      --exclude='./usr/share/locale/*' --exclude='./usr/share/lintian' --exclude='./usr/share/bug' \
      --exclude='./usr/share/bash-completion' --exclude='./usr/share/initramfs-tools' --exclude='./usr/lib/*/gconv' \
      --exclude='./usr/lib/systemd' --exclude='./lib/systemd' --exclude='./etc/systemd' --exclude='./etc/init.d'
  done < "$work/files"
}

# Names of busybox, only where no package brought the real program. They stand in the program in one piece,
# so they can be read from one that does not run here.
link_busybox() {
  local name count=0
  while read -r name; do
    count=$((count + 1))
    [ -e "$root/bin/$name" ] || [ -e "$root/sbin/$name" ] || ln -s busybox "$root/bin/$name"
  done < <(tr '\0' '\n' < "$root/bin/busybox" | sed -n '/^\[\[$/,/^zcat$/p'; echo '[')
  [ $count -gt 100 ] || fail "cannot tell the names of busybox."
  # Places that the kernel, the guest agent and scripts name in full.
  for name in init mdev acpid udhcpc ip ifconfig poweroff reboot halt; do
    [ -e "$root/sbin/$name" ] || ln -s ../bin/busybox "$root/sbin/$name"
  done
}

configure_root() {
  local etc=$root/etc
  mkdir -p "$root"/{proc,sys,dev,run,tmp,mnt,boot,root,home/admin,var/tmp,var/log} "$etc/dropbear"
  sed 's/^\([^:]*\):\*:/\1:x:/' "$root/usr/share/base-passwd/passwd.master" > "$etc/passwd"
  sed 's/^sudo:.*/&admin/' "$root/usr/share/base-passwd/group.master" > "$etc/group"
  cut -d: -f1 "$etc/passwd" | sed 's/$/:*:19700:0:99999:7:::/' > "$etc/shadow"
  echo 'admin:x:1000:1000:admin:/home/admin:/bin/bash' >> "$etc/passwd"
  echo 'admin:x:1000:' >> "$etc/group"
  # The password is "admin", as in images of this kind everywhere: it is known to all and protects nothing.
  printf 'admin:%s:19700:0:99999:7:::\n' "$(openssl passwd -6 -salt vitrine admin)" >> "$etc/shadow"
  cp -R --no-preserve=ownership "$here/files/." "$root/"
  sed -i "s/@SERIAL@/$serial/g" "$etc/inittab"
  cp "$root/usr/share/base-files/profile" "$etc/profile"
  cp "$root/usr/share/base-files/dot.bashrc" "$root/root/.bashrc"
  printf 'PS1='"'"'\\u@\\h:\\w\\$ '"'"'\nexport PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin\n' > "$root/home/admin/.profile"
  ln -sf /proc/self/mounts "$etc/mtab"
  ln -sf /run/resolv.conf "$etc/resolv.conf"
  if [ "$arch" = "$host" ]; then
    ${CC:-cc} -std=gnu11 -O2 -static -s -o "$root/usr/bin/screen-demo" "$here/screen-demo.c"
  else
    sed -i '/screen-demo/d' "$etc/inittab" "$etc/motd" # nothing here compiles for it
  fi
  chown -hR 0:0 "$etc" "$root/root"
  chown 0:42 "$etc/shadow"
  chmod 640 "$etc/shadow"
  chmod 440 "$etc/sudoers.d/admin"
  chmod 1777 "$root/tmp" "$root/var/tmp"
  chmod 700 "$root/root"
  chown -R 1000:1000 "$root/home/admin"
}

# A dependency left out by mistake would only show when the program runs in the guest.
check_libraries() {
  local missing
  rm "$root/usr/sbin/update-passwd" "$root"/usr/lib/*/security/pam_userdb.so # nothing calls them
  missing=$( (find "$root/usr" -type f \( -path '*/bin/*' -o -path '*/sbin/*' -o -name '*.so*' \) -exec readelf -d {} + 2> /dev/null || true) |
    sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' | sort -u |
    comm -23 - <(find "$root/usr" -name '*.so*' -printf '%f\n' | sort -u))
  [ -z "$missing" ] || fail "these libraries are missing in the guest: ${missing//$'\n'/, }"
}

# --------------------------------------------------------------------------------------- kernel and its modules
unpack_kernel() {
  kernel_tree=$work/kernel
  mkdir -p "$kernel_tree"
  local file
  file=$(grep '^linux-image-[0-9]' "$work/files" | head -n 1 | cut -d' ' -f1)
  [ -n "$file" ] || fail "apt named no kernel."
  unpack "$file" "$kernel_tree" --exclude='*/drivers/media' --exclude='*/drivers/net/wireless' --exclude='*/drivers/iio' \
    --exclude='*/drivers/gpu/drm/amd' --exclude='*/drivers/gpu/drm/nouveau' --exclude='*/drivers/gpu/drm/i915' \
    --exclude='*/drivers/infiniband' --exclude='*/drivers/staging' --exclude='*/usr/share/doc'
  release=$(cd "$kernel_tree/lib/modules" && echo *)
  depmod -b "$kernel_tree" "$release" 2>/dev/null
}

# Files of the named modules with what they depend on, in loading order, relative to the tree.
module_files() {
  local name
  for name; do
    modprobe -d "$kernel_tree" -S "$release" --show-depends "$name" 2>/dev/null |
      sed -n "s#^insmod $kernel_tree/\\([^ ]*\\).*#\\1#p" || true
  done | awk '!seen[$0]++'
}

install_modules() {
  local all boot file
  all=$(list "$here/modules.txt" | awk '{ print $NF }')
  boot=$(list "$here/modules.txt" | sed -n 's/^boot //p')
  # shellcheck disable=SC2086
  module_files $all > "$work/modules"
  (cd "$kernel_tree" && tar -c -T "$work/modules" --owner=0 --group=0) | tar -x -C "$root" --keep-directory-symlink
  cp "$kernel_tree/lib/modules/$release"/modules.{builtin,builtin.modinfo,order} "$root/lib/modules/$release/"
  depmod -b "$root" "$release" 2>/dev/null
  mkdir -p "$work/modules-out" "$work/boot"
  cp -R "$root/lib/modules/$release" "$work/modules-out/"
  cp "$root/bin/busybox" "$work/boot/busybox"
  for file in $boot; do
    if [ -n "$(module_files "$file")" ]; then echo "$file"; fi
  done > "$root/etc/modules"
}

# The bzImage of amd64 holds an XZ stream whose place its header tells; the ELF file in it has a PVH entry, so
# QEMU starts it without unpacking, which takes seconds when emulated. The image of arm64 is not packed.
install_kernel_files() {
  local image=$kernel_tree/boot/vmlinuz-$release
  mkdir -p "$work/boot"
  cp "$image" "$work/boot/vmlinuz"
  if [ "$arch" = amd64 ]; then
    number() { od -A n -t "u$2" -j "$1" -N "$2" "$image" | tr -d ' '; }
    local start length
    start=$((($(number $((0x1f1)) 1) + 1) * 512 + $(number $((0x248)) 4)))
    length=$(number $((0x24c)) 4)
    dd if="$image" bs=64K iflag=skip_bytes,count_bytes skip="$start" count=$((length - 4)) status=none | xz -dc > "$work/boot/vmlinux" ||
      fail "the kernel image is not packed the way this script knows."
  else
    cp "$image" "$work/boot/vmlinux"
  fi
  # no_timer_check: the kernel counts timer interrupts while it starts, and an emulator that is kept waiting by a busy
  # computer delivers too few of them, which the kernel takes for a broken board and panics. Other architectures ignore it.
  printf 'root=LABEL=root rw console=tty1 console=%s quiet panic=-1 no_timer_check\n' "$serial" > "$work/boot/cmdline"
}

make_initrd() {
  local tree=$work/initrd file modules
  mkdir -p "$tree"/{bin,proc,sys,dev,root,modules}
  cp "$root/bin/busybox" "$tree/bin/"
  for file in sh mount insmod findfs switch_root usleep cat; do ln -s busybox "$tree/bin/$file"; done
  cp "$here/initrd/init" "$tree/init"
  chmod 755 "$tree/init"
  modules=$(list "$here/modules.txt" | sed -n 's/^initrd //p')
  # shellcheck disable=SC2086
  for file in $(module_files $modules); do
    cp "$kernel_tree/$file" "$tree/modules/"
    basename "$file" .ko >> "$tree/modules/list"
  done
  [ -s "$tree/modules/list" ] || fail "the kernel's modules are not plain .ko files."
  find "$tree" -exec touch -h -d "@$epoch" {} +
  (cd "$tree" && find . | sort | cpio -o -H newc -R 0:0 --reproducible --quiet) > "$work/boot/initrd"
}

# ------------------------------------------------------------------------------------------------------- disk
make_disk() {
  local size=2000000000 start=1048576 esp_size=$((96 * 1048576)) esp=$work/esp.img ext4=$work/root.img disk=$work/disk.img
  local root_start=$((start + esp_size)) root_size tree=$work/loader
  root_size=$(((size - root_start - 1048576) / 1048576 * 1048576))

  mkdir -p "$tree"
  unpack "$(package_file systemd-boot-efi)" "$tree"
  printf 'timeout 0\ndefault sample.conf\neditor no\n' > "$tree/loader.conf"
  printf 'title Vitrine sample guest\nlinux /vmlinuz\ninitrd /initrd\noptions %s' "$(cat "$work/boot/cmdline")" > "$tree/sample.conf"
  touch -d "@$epoch" "$tree"/*.conf "$work"/boot/*
  truncate -s "$esp_size" "$esp"
  mkfs.vfat -F 32 -n ESP -i 56495452 --invariant "$esp" > /dev/null
  mmd -i "$esp" ::/EFI ::/EFI/BOOT ::/loader ::/loader/entries
  mcopy -m -i "$esp" "$tree/usr/lib/systemd/boot/efi/systemd-boot$efi.efi" "::/EFI/BOOT/BOOT${efi^^}.EFI"
  mcopy -m -i "$esp" "$work/boot/vmlinuz" "$work/boot/initrd" ::/
  mcopy -m -i "$esp" "$tree/loader.conf" ::/loader/
  mcopy -m -i "$esp" "$tree/sample.conf" ::/loader/entries/

  find "$root" -newermt "@$epoch" -exec touch -h -d "@$epoch" {} +
  truncate -s "$root_size" "$ext4"
  E2FSPROGS_FAKE_TIME=$epoch mkfs.ext4 -q -F -L root -U 5a3c6f10-7d0e-4f39-9b52-56495452494e -m 1 -N 65536 -J size=16 \
    -E "root_owner=0:0,hash_seed=5a3c6f10-7d0e-4f39-9b52-56495452494f,lazy_itable_init=0,lazy_journal_init=0" \
    -d "$root" "$ext4"

  truncate -s "$size" "$disk"
  sfdisk -q "$disk" << END
label: gpt
label-id: 5A3C6F10-7D0E-4F39-9B52-564954524901
start=$((start / 512)), size=$((esp_size / 512)), type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B, uuid=5A3C6F10-7D0E-4F39-9B52-564954524902
start=$((root_start / 512)), size=$((root_size / 512)), type=$root_type, uuid=5A3C6F10-7D0E-4F39-9B52-564954524903
END
  dd if="$esp" of="$disk" bs=1M seek=$((start / 1048576)) conv=notrunc,sparse status=none
  dd if="$ext4" of="$disk" bs=1M seek=$((root_start / 1048576)) conv=notrunc,sparse status=none
  rm -f "$esp" "$ext4"
}

make_machine() {
  local machine=$work/machine tree=$work/firmware package=ovmf
  [ "$arch" = arm64 ] && package=qemu-efi-aarch64
  mkdir -p "$machine" "$tree"
  unpack "$(package_file $package)" "$tree"
  cp --sparse=always "$tree/$vars" "$machine/nvram.bin"
  chmod 644 "$machine/nvram.bin"
  mv "$work/disk.img" "$machine/disk.img"
  cat > "$machine/config.json" << END
{
  "version" : 1,
  "os" : "linux",
  "arch" : "$arch",
  "cpuCountMin" : 1,
  "cpuCount" : 2,
  "memorySizeMin" : 536870912,
  "memorySize" : 1073741824,
  "macAddress" : "5a:94:ef:56:49:54",
  "display" : {
    "width" : 1280,
    "height" : 800
  },
  "diskFormat" : "raw"
}
END
}

# -------------------------------------------------------------------------------------------------------- main
if [ -n "$inside" ]; then
  unpack_root
  link_busybox
  configure_root
  check_libraries
  unpack_kernel
  install_modules
  install_kernel_files
  make_initrd
  make_disk
  exit 0
fi

stamp=$( (cd "$here" && find . -type f ! -name README.md | sort | xargs sha256sum; echo "$arch $host") | sha256sum | cut -d' ' -f1)
up_to_date() {
  [ "$(cat "$out/stamp" 2> /dev/null)" = "$stamp" ] && [ -f "$out/machine/disk.img" ] && [ -f "$out/boot/vmlinux" ]
}
if up_to_date; then exit 0; fi
exec 8> "$out/lock"
flock 8
if up_to_date; then exit 0; fi # another call made it meanwhile
for program in apt-get fakeroot sfdisk mkfs.vfat mcopy mkfs.ext4 cpio depmod xz openssl ${CC:-cc}; do
  command -v "$program" > /dev/null || fail "the program '$program' is missing (scripts/packages-run.txt names its package)."
done
rm -rf "$work"
mkdir -p "$work"
began=$SECONDS
fetch_packages
fakeroot "$here/build.sh" --inside-fakeroot "$out" "$arch"
make_machine
rm -rf "${out:?}"/{machine,boot,modules,stamp}
mv "$work/machine" "$work/boot" "$out/"
mv "$work/modules-out" "$out/modules"
if [ "$arch" = arm64 ]; then rm -f "$out/boot/vmlinuz"; fi # vmlinux is the same
rm -rf "$work"
echo "$stamp" > "$out/stamp"
note "made $out for $arch in $((SECONDS - began)) s, $(du -sm "$out/machine" | cut -f1) MB on disk"
