#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the pictures of the settings panes in docs/images/ again, from the program itself, without a display.
#
#   scripts/docs-pictures.sh [BUILD FOLDER]
#
# The build folder is build/release unless another one is given.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1-build/release}
largest=81920 # bytes: pictures are small enough to be kept beside the text

cmake --build "$build" --target ui_settings_test
program=$(find "$build" -name ui_settings_test -type f -perm -u+x -print -quit)
[ -n "$program" ] || { echo "There is no ui_settings_test in $build. Configure it with the tests." >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
QT_QPA_PLATFORM=offscreen VITRINE_TEST_PICTURES=$folder "$program" \
  --gtest_filter=SettingsLayoutTest.PicturesOfTheDocumentation --gtest_brief=1 || true # the first time none is there
for picture in "$folder"/docs-settings-*.png; do
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
