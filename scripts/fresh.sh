#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs the two commands of the README inside a Debian 12 that has nothing but its base, so that a missing package shows:
# run.sh and test.sh as root, then run.sh and the unit tests as an ordinary user with sudo.
#
#   scripts/fresh.sh [root] [user]     one of the two parts, or both
#
# What is committed is cloned; changes that are not committed do not count. Mirror, proxy, keys and certificates are those
# of this computer's apt. Needs root (or sudo) and 12 GB in $TMPDIR (else /var/tmp). Packages are kept for the next time
# in $XDG_CACHE_HOME/vitrine-fresh (else ~/.cache/vitrine-fresh). Nothing stays mounted or running, whatever happens.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD

if [ "$(id -u)" != 0 ]; then
  exec sudo --preserve-env=TMPDIR,XDG_CACHE_HOME,http_proxy,https_proxy,no_proxy scripts/fresh.sh "$@"
fi

if [ "${1-}" != --inside ]; then
  # shellcheck source=scripts/packages.sh
  . scripts/packages.sh
  install_missing fresh
  place=$(mktemp -d -p "${TMPDIR:-/var/tmp}" vitrine-fresh.XXXXXX)
  trap 'rm -rf --one-file-system "$place"' EXIT
  # Mounts and processes live in namespaces that end with the inner call.
  unshare --mount --propagation private --pid --fork --kill-child scripts/fresh.sh --inside "$place" "$@"
  exit
fi

place=$2
shift 2
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(root user)
for part in "${parts[@]}"; do
  case $part in
    root | user) ;;
    *)
      echo "scripts/fresh.sh: there is no part '$part'. There are root and user." >&2
      exit 2
      ;;
  esac
done
system=$place/system
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrine-fresh
mkdir -p "$cache"/{base,archives/partial,guest-root,guest-user}

began=$SECONDS
told=()
tell() { # tell WHAT: notes the minutes since the last call
  told+=("$(printf '%4d:%02d  %s' $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) "$1")")
  began=$SECONDS
}

# ------------------------------------------------------------------------------------------ a new Debian 12
# Sources of Debian itself only: nothing else belongs to a fresh system.
sources=$(apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)|$(SIGNED_BY)' 'Created-By: Packages' |
  awk -F'|' '$1 == "Debian" && $2 ~ /^bookworm/' | sort -u)
mirror=$(echo "$sources" | awk -F'|' '$2 == "bookworm" { print $3; exit }')
if [ -z "$mirror" ]; then
  echo "The apt of this computer knows no mirror of Debian 12 (bookworm). Is it set up, and was 'apt-get update' run?" >&2
  exit 1
fi
eval "$(apt-config shell proxy Acquire::http::Proxy proxy_https Acquire::https::Proxy)"
if [ -n "${proxy-}" ] && [ "$proxy" != DIRECT ]; then export http_proxy=$proxy; fi
if [ -n "${proxy_https-}" ] && [ "$proxy_https" != DIRECT ]; then export https_proxy=$proxy_https; fi

echo "Making a Debian 12 in $system"
mkdir "$system"
mount --bind "$system" "$system" # a mount of its own can become the root of a command, see within()
debootstrap --variant=minbase --cache-dir="$cache/base" bookworm "$system" "$mirror" > "$place/debootstrap.log" 2>&1 || {
  tail -n 20 "$place/debootstrap.log" >&2
  exit 1
}

# apt of the new system: the same sources, keys, sign-in, certificates and ways of fetching, but no hooks.
rm -f "$system"/etc/apt/sources.list "$system"/etc/apt/sources.list.d/*
echo "$sources" | while IFS='|' read -r _ _ uri suite component key; do
  case $key in
    /*)
      mkdir -p "$system$(dirname "$key")"
      [ -e "$system$key" ] || cp "$key" "$system$key"
      echo "deb [signed-by=$key] $uri $suite $component"
      ;;
    *) echo "deb $uri $suite $component" ;;
  esac
done > "$system/etc/apt/sources.list"
cp -a /etc/apt/trusted.gpg.d/. "$system/etc/apt/trusted.gpg.d/"
cp -a /etc/apt/auth.conf /etc/apt/auth.conf.d "$system/etc/apt/" 2> /dev/null || true
apt-config dump | grep '^Acquire::' > "$system/etc/apt/apt.conf.d/90computer"
for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt /usr/local/share/ca-certificates; do
  [ -e "$file" ] || continue
  mkdir -p "$system$(dirname "$file")"
  cp -RL "$file" "$system$(dirname "$file")/"
done

mkdir -p "$system/var/cache/vitrine-debs"
mount --bind "$cache/archives" "$system/var/cache/apt/archives"
mount --bind "$cache" "$system/var/cache/vitrine-debs"
mount -t proc proc "$system/proc"
mount -t sysfs -o ro sysfs "$system/sys"
mount --rbind /dev "$system/dev"
tell "debootstrap"

within() { # within USER DIRECTORY COMMAND…
  local user=$1 directory=$2 home=/root
  shift 2
  [ "$user" = root ] || home=/home/$user
  env -i "HOME=$home" "USER=$user" "LOGNAME=$user" LANG=C.UTF-8 "TERM=${TERM:-dumb}" \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "VITRINE_DEB_CACHE=/var/cache/vitrine-debs/guest-$([ "$user" = root ] && echo root || echo user)" \
    ${http_proxy+"http_proxy=$http_proxy"} ${https_proxy+"https_proxy=$https_proxy"} \
    unshare --mount --propagation private /bin/bash -c '
      system=$1 user=$2 directory=$3
      shift 3
      # chroot would forbid user namespaces, which shared folders and their tests need.
      cd "$system" && pivot_root . mnt && cd / && umount --lazy /mnt && cd "$directory" &&
        exec setpriv --reuid="$user" --regid="$user" --init-groups -- "$@"' - "$system" "$user" "$directory" "$@" < /dev/null
}
step() { # step TITLE USER DIRECTORY COMMAND…
  local title=$1
  shift
  local status=0
  printf '\n######## %s\n' "$title"
  within "$@" || status=$?
  # 3: all of the tour was seen, but the window's thread was busy for some milliseconds too long. Packages do not show that.
  if [ $status = 3 ]; then
    title="$title (too slow, see the lines of the watchdog)"
  elif [ $status != 0 ]; then
    echo "FAILED in a fresh Debian 12: $title" >&2
    exit 1
  fi
  tell "$title"
}

for part in "${parts[@]}"; do
  if [ "$part" = root ]; then
    git clone -q --no-hardlinks "$top" "$system/root/vitrine"
    step "run.sh as root" root /root/vitrine scripts/run.sh
    step "run.sh as root, the second time" root /root/vitrine scripts/run.sh
    step "test.sh as root" root /root/vitrine scripts/test.sh
  else
    within root / apt-get -qq update
    within root / env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes --no-install-recommends sudo > /dev/null
    within root / useradd --create-home --shell /bin/bash someone
    echo 'someone ALL=(ALL:ALL) NOPASSWD: ALL' > "$system/etc/sudoers.d/someone"
    # So that something is missing for this user too if root was here before.
    within root / env DEBIAN_FRONTEND=noninteractive apt-get -qq purge --yes libcli11-dev fakeroot > /dev/null 2>&1 || true
    git clone -q --no-hardlinks "$top" "$system/home/someone/vitrine"
    within root / chown -R someone: /home/someone /var/cache/vitrine-debs/guest-user
    step "run.sh as an ordinary user" someone /home/someone/vitrine scripts/run.sh
    step "unit tests as an ordinary user" someone /home/someone/vitrine scripts/test.sh unit
  fi
done

printf '\n######## all of it works on a fresh Debian 12. Minutes:\n'
printf '%s\n' "${told[@]}"
