// SPDX-License-Identifier: Apache-2.0
// A hostile client of DHCP. The payload comes as a datagram from port 68 to port 67 whose headers
// are right, so that the fuzzer need not guess them.
#include "softnet/answers/arp_responder.h"
#include "softnet/answers/dhcp_message.h"
#include "softnet/answers/dhcp_server.h"
#include "softnet/answers/frame_builder.h"
#include "softnet/policy/frame.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace vitrine::softnet;
    const auto require = [](bool good, const char* what) {
        if (!good) {
            std::fprintf(stderr, "It is not so: %s\n", what);
            std::abort();
        }
    };
    Network network;
    network.guestMac = Mac{{2, 0, 0, 0, 0, 1}};
    const DhcpServer server(network, aliasMac(network.gateway), {600, 1500});
    const Bytes payload(data, std::min<std::size_t>(size, 1472));
    const auto answer = server.answer(
        buildUdp({network.guestMac, Mac::broadcast(), Ipv4{}, Ipv4::broadcast(), 68, 67}, payload));
    if (!answer) {
        return 0;
    }
    require(answer->size() <= 1514, "an answer is one frame");
    const auto ethernet = EthernetFrame::parse(*answer);
    const auto packet = ethernet ? Ipv4Packet::parse(ethernet->payload) : std::nullopt;
    const auto datagram = packet ? UdpDatagram::parse(packet->payload) : std::nullopt;
    require(datagram && datagram->sourcePort == 67 && datagram->destinationPort == 68,
            "an answer is a datagram to port 68");
    require(internetChecksum(ethernet->payload.first(20)) == 0, "its header has the right sum");
    require(packet->source == network.gateway, "it comes from the gateway");
    const Bytes message = datagram->payload;
    require(message.size() >= 300 && message[0] == 2, "it is an answer");
    require(macAt(message, 28) == network.guestMac, "it is for the guest");
    const Ipv4 yours{be32(message, 16)};
    require(yours == Ipv4{} || yours == network.guest, "it gives the one address or none");
    // Its options end before the message does.
    std::size_t at = dhcpFixedLength;
    while (at < message.size() && message[at] != 255) {
        require(at + 1 < message.size(), "an option has a length");
        at += 2 + std::size_t{message[at + 1]};
    }
    require(at < message.size(), "the options have an end");
    return 0;
}
