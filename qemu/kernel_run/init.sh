#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# The first process of a kernel run, in the kernel's first file system: loads modules, puts the root file system together
# and goes there (run.sh). What is wrong is told on port 1 and, where that does not exist yet, on the console.
export PATH=/bin
. /vitrine/config
at= # where /proc and /dev are

give_up() {
  if [ -c $at/dev/vport0p1 ]; then echo "$*" > $at/dev/vport0p1; fi
  echo "vitrine: $*" > $at/dev/console
  sleep 30 # the message is read and this computer ended meanwhile
  reboot -f
}
known() { # known TYPE: of file system
  while read -r first second; do
    [ "$first" != "$1" ] && [ "$second" != "$1" ] || return 0
  done < $at/proc/filesystems
  return 1
}
attach() { # attach TAG FOLDER ro|rw
  local method cache=mmap
  [ "$3" = rw ] || cache=loose
  for method in $methods; do
    known "$method" || continue
    case $method in
      virtiofs) mount -t virtiofs -o "$3" "$1" "$2" && used=$method && return ;;
      9p) mount -t 9p -o "$3,trans=virtio,version=9p2000.L,msize=512000,cache=$cache" "$1" "$2" && used=$method && return ;;
    esac
  done 2> /dev/null
  return 1
}

mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev || give_up "missing CONFIG_DEVTMPFS"
for module in /modules/*.ko; do
  if [ -e "$module" ]; then insmod "$module"; fi
done 2> /dev/null

missing=
[ -d /sys/bus/pci/drivers/virtio-pci ] || missing="$missing CONFIG_VIRTIO_PCI"
[ -d /sys/bus/virtio/drivers/virtio_console ] || missing="$missing CONFIG_VIRTIO_CONSOLE"
mountable=
for method in $methods; do
  if known "$method"; then mountable=1; fi
done
if [ -z "$mountable" ]; then
  for method in $methods; do
    case $method in
      virtiofs) missing="$missing CONFIG_VIRTIO_FS CONFIG_FUSE_FS" ;;
      9p) missing="$missing CONFIG_9P_FS CONFIG_NET_9P CONFIG_NET_9P_VIRTIO" ;;
    esac
  done
fi
known tmpfs || missing="$missing CONFIG_TMPFS"
if [ "$overlay" = 1 ] && ! known overlay; then missing="$missing CONFIG_OVERLAY_FS"; fi
[ -z "$missing" ] || give_up "missing$missing"

tries=0
until [ -c /dev/vport0p1 ] && [ -c /dev/vport0p2 ] && [ -c /dev/vport0p3 ]; do
  tries=$((tries + 1))
  [ $tries -lt 3000 ] || give_up "failed ports"
  usleep 10000
done

used=
if [ "$overlay" = 1 ]; then
  attach root /lower ro || give_up "failed root"
  mount -t tmpfs -o mode=755 upper /upper
  mkdir /upper/files /upper/work
  mount -t overlay -o lowerdir=/lower,upperdir=/upper/files,workdir=/upper/work root /new || give_up "failed overlay"
else
  attach root /new rw || give_up "failed root"
fi
mkdir -p /new/proc /new/sys /new/dev /new/run /new/tmp 2> /dev/null
mount --move /proc /new/proc && mount --move /sys /new/sys && mount --move /dev /new/dev || give_up "failed folders"
at=/new
mount -t tmpfs -o mode=755 run /new/run || give_up "failed folders"
for link in fd:fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do ln -s "/proc/self/${link#*:}" "/new/dev/${link%:*}"; done
mkdir -p /new/dev/shm /new/dev/pts /new/run/vitrine
mount -t tmpfs -o mode=1777 shm /new/dev/shm
mount -t devpts -o mode=620,ptmxmode=666 pts /new/dev/pts
number=0
for access in $mounts; do
  number=$((number + 1))
  eval "folder=\$mount$number"
  mkdir -p "/new$folder" 2> /dev/null
  attach "mount$number" "/new$folder" "$access" || give_up "failed mount $number"
done
cp /bin/busybox /vitrine/config /vitrine/run.sh /new/run/vitrine/
echo "ready $used" > /new/dev/vport0p1
exec switch_root /new /run/vitrine/busybox sh /run/vitrine/run.sh
