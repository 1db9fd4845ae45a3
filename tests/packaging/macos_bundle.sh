#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What of Vitrine.app can be checked without a Mac: the icon, the property lists, and in what order and with what the
# parts are signed, by a codesign that takes notes.
set -euo pipefail
cd "$(dirname "$0")/../.."
packaging=$PWD/packaging/macos
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*" >&2
  exit 1
}

# The icon has a picture for each size that a Retina and an ordinary screen ask for.
"$packaging/icon.sh" resources/vitrine.svg "$work/Vitrine.icns"
for size in 16 32 128 256 512 1024; do
  icns2png -l "$work/Vitrine.icns" | grep -q "${size}x${size}" || fail "The icon has no picture of $size pixels."
done

# Property lists: well-formed, a value behind every key, what has to be there.
lists=("$packaging"/*.entitlements "$packaging/Info.plist.in")
for list in "${lists[@]}"; do
  python3 - "$list" << 'END' || fail "$list is no property list."
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
stack, pairs = [], re.findall(r"<(/?)(plist|dict|array|key|string|true|false|integer)\b[^>]*?(/?)>", text)
for closing, name, empty in pairs:
    if closing:
        if not stack or stack.pop() != name:
            sys.exit("badly nested: " + name)
    elif not empty:
        stack.append(name)
if stack:
    sys.exit("not closed: " + stack[-1])
body = re.search(r"<dict>(.*)</dict>", text, re.S).group(1)
if re.sub(r"\s*<key>[^<]+</key>\s*(<string>[^<]+</string>|<true/>|<false/>)\s*", "", body):
    sys.exit("a key without a value, or the other way round")
keys = re.findall(r"<key>([^<]+)</key>", body)
if len(keys) != len(set(keys)):
    sys.exit("a key twice")
END
done
for key in CFBundleExecutable CFBundleIdentifier CFBundlePackageType LSMinimumSystemVersion NSHighResolutionCapable NSMicrophoneUsageDescription NSLocalNetworkUsageDescription; do
  grep -q "<key>$key</key>" "$packaging/Info.plist.in" || fail "Info.plist has no $key."
done
for list in "$packaging"/*.entitlements; do
  grep -q '<key>com.apple.security.virtualization</key>' "$list" || fail "$list gives no virtualization."
done
granted() { grep -c '<key>com.apple.vm.networking</key>' "$1" || true; }
[ "$(granted "$packaging/Vitrine.entitlements")" = 0 ] || fail "An ad hoc program with com.apple.vm.networking is not started."
[ "$(granted "$packaging/Vitrine-Bridged.entitlements")" = 1 ] || fail "No bridged networks."

# An application as macdeployqt leaves it.
app=$work/Vitrine.app
mkdir -p "$app/Contents/MacOS" "$app/Contents/Frameworks/QtCore.framework/Versions/A" "$app/Contents/PlugIns/platforms"
touch "$app/Contents/MacOS/Vitrine" "$app/Contents/MacOS/vitrinectl" "$app/Contents/Frameworks/QtCore.framework/Versions/A/QtCore" \
  "$app/Contents/Frameworks/liblz4.1.dylib" "$app/Contents/PlugIns/platforms/libqcocoa.dylib"
mkdir "$work/bin"
cat > "$work/bin/codesign" << 'END'
#!/bin/bash
echo "$*" >> "$NOTES"
case $1 in
  --display) [ -n "${FORGETS-}" ] || echo "<key>com.apple.security.virtualization</key>" ;;
esac
[ -z "${REFUSES-}" ] || [[ "$*" != *"$REFUSES"* ]]
END
chmod +x "$work/bin/codesign"
export NOTES=$work/notes
sign() {
  rm -f "$NOTES"
  PATH=$work/bin:$PATH "$packaging/sign.sh" "$app" "$@" > "$work/said" 2>&1
}
at() { grep -n -- "$1" "$NOTES" | head -n 1 | cut -d: -f1; }

sign || fail "Signing failed: $(cat "$work/said")"
last=$(grep -c -- '--sign' "$NOTES")
[ "$(at "--entitlements $packaging/Vitrine.entitlements $app\$")" = "$last" ] || fail "The application is not signed last."
for part in liblz4.1.dylib QtCore.framework libqcocoa.dylib; do
  [ "$(at "--sign - .*$part\$")" -lt "$(at 'Contents/MacOS/vitrinectl')" ] || fail "$part is signed after a program that loads it."
done
grep -q -- "--entitlements $packaging/Vitrine.entitlements $app/Contents/MacOS/vitrinectl" "$NOTES" || fail "vitrinectl has no entitlements."
! grep -- '--sign' "$NOTES" | grep -q 'Frameworks.*entitlements\|entitlements.*Frameworks' || fail "A library has entitlements."
! grep -q -- '--options runtime' "$NOTES" || fail "An ad hoc signature with the hardened runtime loads no library."
[ "$(at '--verify')" -gt "$last" ] || fail "Nothing is verified."

sign --identity 'Developer ID' --bridged || fail "Signing with an identity failed: $(cat "$work/said")"
[ "$(grep -- '--sign Developer ID' "$NOTES" | grep -c -- '--options runtime --timestamp')" = 5 ] || fail "Not all parts are hardened."
grep -q "Vitrine-Bridged.entitlements $app\$" "$NOTES" || fail "The application may not bridge."

! sign --bridged || fail "Bridged networks without an identity were signed."
! REFUSES=liblz4 sign || fail "A part that could not be signed was passed over."
! FORGETS=1 sign || fail "A program without entitlements was passed over."
! PATH=$work/bin:$PATH "$packaging/sign.sh" "$work" > /dev/null 2>&1 || fail "A folder was signed."
echo "All of it holds."
