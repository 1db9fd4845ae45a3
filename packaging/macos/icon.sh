#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Makes the icon of Vitrine.app from our drawing.
#
#   packaging/macos/icon.sh SVG ICNS
#
# Needs rsvg-convert (Debian librsvg2-bin, Homebrew librsvg), and iconutil on macOS or png2icns elsewhere (Debian
# icnsutils).
set -euo pipefail
svg=${1:?which drawing} icns=${2:?which file to make}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
set=$work/Vitrine.iconset
mkdir "$set"
for size in 16 32 128 256 512; do
  rsvg-convert --width $size --height $size "$svg" --output "$set/icon_${size}x${size}.png"
  rsvg-convert --width $((size * 2)) --height $((size * 2)) "$svg" --output "$set/icon_${size}x${size}@2x.png"
done
if command -v iconutil > /dev/null; then
  iconutil --convert icns --output "$icns" "$set"
else
  # It takes one picture of each size and knows no 64.
  png2icns "$icns" "$set"/icon_{16x16,32x32,128x128,256x256,512x512,512x512@2x}.png > /dev/null
fi
