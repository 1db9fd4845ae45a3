#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Signs Vitrine.app from the inside out and verifies it. A signature without --entitlements drops those that were there,
# and a signature of the whole covers its parts: so parts first, programs with their entitlements, the application last.
#
#   packaging/macos/sign.sh APP [--identity NAME] [--bridged]
#
# Without an identity the signature is ad hoc, which is enough for virtual machines on this Mac. --bridged adds
# com.apple.vm.networking, which Apple has to grant: with an ad hoc signature such a program is not started.
set -euo pipefail
app=${1:?which application}
shift
folder=$(cd "$(dirname "$0")" && pwd)
identity=- entitlements=$folder/Vitrine.entitlements
while [ $# -gt 0 ]; do
  case $1 in
    --identity)
      identity=${2:?which identity}
      shift
      ;;
    --bridged) entitlements=$folder/Vitrine-Bridged.entitlements ;;
    *)
      echo "sign.sh: what is $1?" >&2
      exit 64
      ;;
  esac
  shift
done
if [ "$identity" = - ] && [ "$entitlements" != "$folder/Vitrine.entitlements" ]; then
  echo "sign.sh: bridged networks need an identity and a provisioning profile of Apple's." >&2
  exit 64
fi
[ -d "$app/Contents/MacOS" ] || {
  echo "sign.sh: $app is no application." >&2
  exit 66
}
# An ad hoc signature has no team, and the hardened runtime loads only libraries of the program's own.
options=(--force --sign "$identity")
[ "$identity" = - ] || options+=(--options runtime --timestamp)

parts=("$app/Contents/Frameworks" "$app/Contents/PlugIns")
for part in "${parts[@]}"; do
  [ -d "$part" ] || continue
  find "$part" -type f \( -name '*.dylib' -o -name '*.so' \) -print0 |
    while IFS= read -r -d '' file; do codesign "${options[@]}" "$file"; done
  find "$part" -depth -type d -name '*.framework' -print0 |
    while IFS= read -r -d '' file; do codesign "${options[@]}" "$file"; done
done
main=$(basename "$app" .app)
for program in "$app"/Contents/MacOS/*; do
  [ "$(basename "$program")" != "$main" ] || continue
  codesign "${options[@]}" --entitlements "$entitlements" "$program"
done
codesign "${options[@]}" --entitlements "$entitlements" "$app"

codesign --verify --deep --strict --verbose=2 "$app"
for program in "$app"/Contents/MacOS/*; do
  codesign --display --entitlements - --xml "$program" | grep -q com.apple.security.virtualization || {
    echo "sign.sh: $program is signed without its entitlements and could start no machine." >&2
    exit 1
  }
done
echo "$app is signed."
