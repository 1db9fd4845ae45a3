# SPDX-License-Identifier: Apache-2.0
# The first process of a kernel run, in the root file system: runs the command and tells how it ended. Output goes through
# pipes, so that it can be opened again by its name (/dev/stderr), and ends with a mark.
. /run/vitrine/config
usual=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
PATH=/run/vitrine/bin:$usual
export HOME="$home" TERM="$term"
rm -f /run/vitrine/config # the command does not know the mark
ip link set lo up 2> /dev/null
mount -a -T /run/vitrine/fstab 2> /dev/null
[ -z "$modprobe" ] || echo "$modprobe" > /proc/sys/kernel/modprobe
unset modprobe
cd "$folder" 2> /dev/null || cd /

if [ "$interactive" = 1 ]; then
  stty rows "$rows" cols "$columns" < /dev/hvc0
  shell=/bin/sh
  [ ! -x /bin/bash ] || shell=/bin/bash
  PATH=$usual /run/vitrine/bin/busybox setsid -c $shell -i < /dev/hvc0 > /dev/hvc0 2>&1
  code=$?
  [ "$overlay" = 1 ] || sync
  printf %s "$mark" > /dev/hvc0
  echo "exit $code" > /dev/vport0p1
  read -r wait < /dev/vport0p1
fi

cat < /run/vitrine/out > /dev/vport0p2 &
first=$!
cat < /run/vitrine/err > /dev/vport0p3 &
second=$!
PATH=$usual /bin/sh -c "$command" < /dev/null > /run/vitrine/out 2> /run/vitrine/err
code=$?
# What the command left behind ends too, and with it the pipes.
others=
for process in /proc/[0-9]*; do
  process=${process#/proc/}
  case $process in
    1 | "$first" | "$second") ;;
    *) others="$others $process" ;;
  esac
done
kill -9 $others 2> /dev/null
wait
[ "$overlay" = 1 ] || sync
printf %s "$mark" > /dev/vport0p2
printf %s "$mark" > /dev/vport0p3
echo "exit $code" > /dev/vport0p1
read -r wait < /dev/vport0p1 # nothing comes: this computer is ended now
