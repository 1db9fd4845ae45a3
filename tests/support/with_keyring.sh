#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program in a D-Bus session of its own with a home of its own and an unlocked gnome-keyring.
# Usage: with_keyring.sh PROGRAM [ARGUMENT…]
set -eu

if [ "${1:-}" != --inside ]; then
    home=$(mktemp -d)
    trap 'rm -rf "$home"' EXIT INT TERM
    mkdir -m 700 "$home/run" "$home/data" "$home/config" "$home/cache"
    unset DISPLAY WAYLAND_DISPLAY GNOME_KEYRING_CONTROL
    HOME=$home XDG_RUNTIME_DIR=$home/run XDG_DATA_HOME=$home/data XDG_CONFIG_HOME=$home/config \
        XDG_CACHE_HOME=$home/cache dbus-run-session -- "$0" --inside "$@"
    exit
fi
shift

# The daemon stays in the foreground of a job of ours, so that it ends with the session.
printf 'test password' | gnome-keyring-daemon --foreground --unlock --components=secrets >/dev/null 2>&1 &
keyring=$!
trap 'kill "$keyring" 2>/dev/null || true; wait "$keyring" 2>/dev/null || true' EXIT

# Ready when the service owns its name (asking it before would start a second one) and its default
# collection is there and open.
ready() {
    dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus \
        org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets | grep -q 'boolean true' || return 1
    dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets/aliases/default \
        org.freedesktop.DBus.Properties.Get string:org.freedesktop.Secret.Collection string:Locked |
        grep -q 'boolean false'
}
tries=0
until ready 2>/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt 100 ]; then
        echo "with_keyring.sh: the keyring did not start within 10 s" >&2
        exit 1
    fi
    sleep 0.1
done
"$@"
