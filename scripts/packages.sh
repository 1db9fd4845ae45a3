# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2086,SC2016
# To be sourced: install_missing LIST… installs those packages of the lists beside this file that are not there.
# Asks apt for nothing if nothing is missing. Only apt is used, with the machine's own configuration.

install_missing() {
  local folder wanted missing as_root=()
  folder=$(dirname "${BASH_SOURCE[0]}")
  wanted=$(for list; do sed -e 's/#.*//' "$folder/packages-$list.txt"; done | tr -s '[:space:]' '\n' | sort -u | grep .)
  command -v dpkg-query > /dev/null || {
    echo "This computer has no dpkg. Vitrine is built here with Debian's packages:" $wanted >&2
    return 1
  }
  missing=$(comm -23 <(echo "$wanted") <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2> /dev/null |
    sed -n 's/^installed //p' | sort -u))
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo > /dev/null; then
      echo "These packages are missing, and this user is not root and has no sudo. As root: apt-get install" $missing >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing $(echo "$missing" | wc -l) packages:" $missing
  local services
  services=$(echo "$missing" | grep -x -e docker-registry -e nginx-light || true)
  if [ -n "$services" ]; then keep_services_off; fi
  local status=0
  apt_install $missing || status=$?
  if [ -n "$services" ]; then leave_services_off; fi
  [ $status = 0 ] || echo "apt could not install what is missing; its message is above." >&2
  return $status
}

apt_install() {
  local log apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=false -o Acquire::Retries=3)
  log=$(mktemp)
  if "${as_root[@]}" "${apt[@]}" update > "$log" 2>&1 &&
    "${as_root[@]}" "${apt[@]}" install --yes --no-install-recommends "$@" >> "$log" 2>&1 < /dev/null; then
    rm -f "$log"
    return 0
  fi
  tail -n 30 "$log" >&2
  rm -f "$log"
  return 1
}

# The tests start the programs of these two packages themselves, on loopback. As services of the computer,
# which Debian starts and enables at once, nobody asked for them.
keep_services_off() {
  policy=
  if [ ! -e /usr/sbin/policy-rc.d ]; then
    policy=/usr/sbin/policy-rc.d
    printf '#!/bin/sh\ncase $1 in docker-registry | nginx) exit 101 ;; esac\nexit 0\n' | "${as_root[@]}" tee $policy > /dev/null
    "${as_root[@]}" chmod 755 $policy
  fi
}

leave_services_off() {
  local service
  for service in ${services//-light/}; do
    if command -v systemctl > /dev/null; then
      "${as_root[@]}" systemctl disable "$service" > /dev/null 2>&1 || true
    elif command -v update-rc.d > /dev/null; then
      "${as_root[@]}" update-rc.d "$service" disable > /dev/null 2>&1 || true
    fi
  done
  if [ -n "$policy" ]; then "${as_root[@]}" rm -f "$policy"; fi
}
