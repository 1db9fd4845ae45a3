#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of the settings panes and of the benchmarks in docs/images/ again, from the program itself, without a display.
#
#   scripts/docs-pictures.sh [BUILD FOLDER]
#
# The build folder is build/release unless another one is given.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1-build/release}
largest=81920 # bytes: pictures are small enough to be kept beside the text

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for test in ui_settings_test ui_bench_test; do
  cmake --build "$build" --target "$test"
  program=$(find "$build" -name "$test" -type f -perm -u+x -print -quit)
  [ -n "$program" ] || { echo "There is no $test in $build. Configure it with the tests." >&2; exit 1; }
  QT_QPA_PLATFORM=offscreen VITRINE_TEST_PICTURES=$folder "$program" \
    --gtest_filter='*.PicturesOfTheDocumentation' --gtest_brief=1 || true # the first time none is there
done
for picture in "$folder"/docs-benchmarks-*.png; do
  convert "$picture" +dither -colors 255 "PNG8:$picture" # imagemagick, of packages-test.txt; a third of the size
done
for picture in "$folder"/docs-*.png; do
  name=$(basename "$picture")
  name=${name#docs-}
  size=$(stat -c %s "$picture")
  if [ "$size" -gt "$largest" ]; then
    echo "$name has $size bytes, more than $largest." >&2
    exit 1
  fi
  cp "$picture" "docs/images/$name"
  echo "docs/images/$name, $size bytes"
done
