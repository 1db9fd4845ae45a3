// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/answers/frame_builder.h"
#include "softnet/policy/filter.h"

namespace vitrine::softnet {

// ARP never crosses the helper: each side's questions are answered for the other, so that neither
// can change what the other believes.

// What libslirp uses as its own addresses: 52:55 and the IPv4 address.
[[nodiscard]] Mac aliasMac(Ipv4 address);

// To a request of the guest that the filter called Arp, for the gateway or the DNS address. Nothing
// for other addresses, least of all its own.
[[nodiscard]] std::optional<Frame> answerGuestArp(const Network& network, Bytes frame);

// Tells libslirp where the guest is before it has to ask: what it wants to send meanwhile would
// wait for its next turn and be thrown away after a second.
[[nodiscard]] Frame announceGuest(const Network& network);

// To a request of libslirp for the guest's reserved address: the guest's MAC address.
[[nodiscard]] std::optional<Frame> answerHostArp(const Network& network, Bytes frame);

} // namespace vitrine::softnet
