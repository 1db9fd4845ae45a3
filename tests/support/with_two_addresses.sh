#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program in a network of its own, in which the name "two.test" has an IPv6 and an IPv4 address.
exec unshare --map-root-user --mount --net sh -ec '
  ip link set lo up
  # Not loopback addresses, or the resolver would leave their kind out.
  ip address add 192.0.2.1/32 dev lo
  ip -6 address add 2001:db8::1/128 dev lo
  hosts=$(mktemp)
  printf "127.0.0.1 localhost two.test\n2001:db8::1 two.test\n" > "$hosts"
  mount --bind "$hosts" /etc/hosts
  rm "$hosts"
  exec "$@"' sh "$@"
