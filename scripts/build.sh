# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# To be sourced from the top folder: build PRESET [TARGET…] configures once and builds.

build() {
  local preset=$1 folder=build/$1 targets=()
  shift
  if [ $# -gt 0 ]; then targets=(--target "$@"); fi
  mkdir -p "$folder"
  if [ ! -f "$folder/build.ninja" ]; then
    echo "Configuring $folder"
    cmake --preset "$preset" > "$folder/configure.log" 2>&1 || {
      cat "$folder/configure.log" >&2
      return 1
    }
  fi
  cmake --build "$folder" "${targets[@]}"
}
