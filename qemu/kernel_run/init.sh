#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# The first process of a kernel run, in the kernel's first file system: loads modules, puts the root file system together
# and goes there (run.sh). What is wrong is told on port 1 and, where that does not exist yet, on the console. A process
# takes long where the processor is emulated, so there are as few as can be.
export PATH=/bin
. /files/run/vitrine/config
at= # where /dev is

give_up() {
  if [ -c $at/dev/vport0p1 ]; then echo "$*" > $at/dev/vport0p1; fi
  echo "vitrine: $*" > $at/dev/console
  sleep 30 # the message is read and this computer ended meanwhile
  reboot -f
}
known() { # known TYPE: of file system
  case $types in *" $1 "*) return 0 ;; esac
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
# The kernel's own search for modules takes a second where the processor is emulated, and what is needed is loaded here.
modprobe=
if [ -w /proc/sys/kernel/modprobe ]; then
  read -r modprobe < /proc/sys/kernel/modprobe
  echo > /proc/sys/kernel/modprobe
fi
export modprobe
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev || give_up "missing CONFIG_DEVTMPFS"
for module in /modules/*.ko; do
  if [ -e "$module" ]; then insmod "$module"; fi
done 2> /dev/null

types=$(cat /proc/filesystems)
set -- $types
types=" $* "
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
      virtiofs) missing="$missing CONFIG_FUSE_FS CONFIG_VIRTIO_FS" ;;
      9p) missing="$missing CONFIG_NET_9P CONFIG_NET_9P_VIRTIO CONFIG_9P_FS" ;;
    esac
  done
fi
known tmpfs || missing="$missing CONFIG_TMPFS"
if [ "$overlay" = 1 ] && ! known overlay; then missing="$missing CONFIG_OVERLAY_FS"; fi
[ -z "$missing" ] || give_up "missing$missing"

tries=0
until [ -c /dev/vport0p1 ] && [ -c /dev/vport0p2 ] && [ -c /dev/vport0p3 ]; do
  tries=$((tries + 1))
  [ $tries -lt 10000 ] || give_up "failed ports"
  usleep 3000
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
for folder in /new/proc /new/sys /new/dev /new/run /new/tmp; do
  if [ ! -d $folder ]; then mkdir $folder; fi
done 2> /dev/null
mount --move /proc /new/proc && mount --move /sys /new/sys && mount --move /dev /new/dev || give_up "failed folders"
at=/new
mount -t tmpfs -o mode=755 run /new/run || give_up "failed folders"
cp -a /files/. /new/ 2> /dev/null # into /dev and /run
cp /bin/busybox /new/run/vitrine/bin/
number=0
for access in $mounts; do
  number=$((number + 1))
  eval "folder=\$mount$number"
  mkdir -p "/new$folder" 2> /dev/null
  attach "mount$number" "/new$folder" "$access" || give_up "failed mount $number"
done
echo "ready $used" > /new/dev/vport0p1
exec switch_root /new /run/vitrine/bin/busybox sh /run/vitrine/run.sh
