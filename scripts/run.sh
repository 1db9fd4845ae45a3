#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, puts a sample machine into the library and opens the window.
#
#   scripts/run.sh [--tour] [OPTION OF vitrine…]
#
# Without a display, or with --tour, the same is shown on a virtual one in a library of its own, and pictures of it are
# left in build/demo/.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
# shellcheck source=scripts/build.sh
. scripts/build.sh

tour=
if [ "${1-}" = --tour ]; then
  tour=1
  shift
elif [ -z "${DISPLAY-}${WAYLAND_DISPLAY-}" ]; then
  tour=1
  echo "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set): the window is shown on a virtual one, and"
  echo "pictures of it are left in build/demo/."
fi

if [ -n "$tour" ]; then
  install_missing run tour
  build release vitrine vitrinectl push_image
else
  install_missing run
  build release vitrine vitrinectl
fi
arch=$(dpkg --print-architecture)
sample=build/sample-guest/$arch
packaging/sample-guest/build.sh "$sample" "$arch"

# Copies the sample machine into a library. A machine of that name that is there already stays as it is.
add_sample() {
  local home=$1 part
  [ ! -e "$home/vms/sample" ] && [ ! -L "$home/vms/sample" ] || return 0
  mkdir -p "$home/vms" "$home/tmp"
  part=$(mktemp -d "$home/tmp/sample.XXXXXX")
  (
    flock 9 # a folder in tmp/ that nobody holds counts as left behind
    cp --sparse=always --reflink=auto "$sample"/machine/* "$part/"
    mv -n -T "$part" "$home/vms/sample"
  ) 9< "$part"
  rm -rf "$part"
}

if [ -n "${VITRINE_HOME-}" ]; then
  library=$VITRINE_HOME
elif [ -n "${TART_HOME-}" ]; then
  library=$TART_HOME
else
  library=${XDG_DATA_HOME:-$HOME/.local/share}/vitrine
fi
add_sample "$library"

if [ -z "$tour" ]; then
  exec build/release/bin/vitrine "$@"
fi

# ---------------------------------------------------------------------------------------------------- the tour
scratch=$(mktemp -d)
registry=
leave() {
  local name
  if [ -d "$scratch/library/vms" ]; then
    for name in $(build/release/bin/vitrinectl list --quiet --source local 2> /dev/null); do
      build/release/bin/vitrinectl stop --timeout 1 "$name" > /dev/null 2>&1 || true
    done
  fi
  if [ -n "$registry" ]; then
    kill "$registry" 2> /dev/null || true
    wait "$registry" 2> /dev/null || true
  fi
  rm -rf "$scratch"
}
trap leave EXIT
export VITRINE_HOME=$scratch/library XDG_CONFIG_HOME=$scratch/config XDG_DATA_HOME=$scratch/data
unset TART_HOME
add_sample "$VITRINE_HOME"

# A registry on loopback with the sample machine as an image, on a port that the system chooses.
cat > "$scratch/registry.yml" << END
version: 0.1
storage:
  filesystem:
    rootdirectory: $scratch/registry
http:
  addr: 127.0.0.1:0
END
: > "$scratch/registry.log" # the child may come to it later than the first look
docker-registry serve "$scratch/registry.yml" > "$scratch/registry.log" 2>&1 &
registry=$!
port=
for _ in $(seq 100); do
  port=$(sed -n 's/.*listening on 127\.0\.0\.1:\([0-9]*\).*/\1/p' "$scratch/registry.log" | head -n 1)
  [ -z "$port" ] || break
  kill -0 "$registry" 2> /dev/null || break
  sleep 0.1
done
if [ -z "$port" ]; then
  echo "The registry for the tour did not start. Its last words:" >&2
  tail -n 5 "$scratch/registry.log" >&2
  exit 1
fi
build/release/bin/vitrine-push-image "$sample/machine" "127.0.0.1:$port/vitrine/sample:latest" > /dev/null

rm -rf build/demo
mkdir -p build/demo
status=0
timeout --kill-after=10 600 xvfb-run --auto-servernum --server-args="-screen 0 1440x960x24 -nolisten tcp" \
  build/release/bin/vitrine --tour build/demo --tour-image "127.0.0.1:$port/vitrine/sample:latest" \
  --insecure-registry "127.0.0.1:$port" "$@" || status=$?
if [ $status = 0 ]; then
  echo "The tour is done. Its pictures:"
else
  echo "The tour ended with code $status. Pictures until then:" >&2
fi
find build/demo -name '*.png' | sort | sed 's/^/  /'
exit $status
