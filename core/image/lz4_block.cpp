// SPDX-License-Identifier: Apache-2.0
#include "core/image/lz4_block.h"

#include <cstring>

namespace vitrine {

using Fault = AppleLz4Decoder::Fault;

namespace {

constexpr std::size_t shortestMatch = 4;

// Adds the bytes of an extended length; false when the payload ends inside it.
bool extend(const unsigned char*& in, const unsigned char* end, std::size_t& length) {
    unsigned char byte = 255;
    while (byte == 255) {
        if (in == end)
            return false;
        byte = *in++;
        length += byte;
    }
    return true;
}

} // namespace

Fault decodeLz4BlockStrictly(const char* payload,
                             std::size_t encoded,
                             char* target,
                             std::size_t decoded,
                             std::size_t history) {
    const auto* in = reinterpret_cast<const unsigned char*>(payload);
    const unsigned char* const end = in + encoded;
    std::size_t written = 0;
    for (;;) {
        if (in == end)
            return Fault::Truncated; // a block ends with literals, not with a match
        const unsigned char token = *in++;
        std::size_t literals = token >> 4;
        if (literals == 15 && !extend(in, end, literals))
            return Fault::Truncated;
        if (literals > static_cast<std::size_t>(end - in))
            return Fault::LiteralsPastPayload;
        if (literals > decoded - written)
            return Fault::OutputOverrun;
        std::memcpy(target + written, in, literals);
        in += literals;
        written += literals;
        if (in == end)
            break;
        if (end - in < 2)
            return Fault::Truncated;
        const std::size_t distance = static_cast<std::size_t>(in[0] | (in[1] << 8));
        in += 2;
        if (distance == 0 || distance > history + written)
            return Fault::BadOffset;
        std::size_t match = token & 15;
        if (match == 15 && !extend(in, end, match))
            return Fault::Truncated;
        match += shortestMatch;
        if (match > decoded - written)
            return Fault::OutputOverrun;
        char* const to = target + written;
        for (std::size_t i = 0; i < match; ++i) // byte by byte: source and target may overlap
            to[i] = *(to + i - distance);
        written += match;
    }
    return written == decoded ? Fault::None : Fault::SizeMismatch;
}

bool hasZeroDistance(const char* payload, std::size_t encoded) {
    const auto* in = reinterpret_cast<const unsigned char*>(payload);
    const unsigned char* const end = in + encoded;
    while (in != end) {
        const unsigned char token = *in++;
        std::size_t literals = token >> 4;
        if (literals == 15 && !extend(in, end, literals))
            return false;
        if (static_cast<std::size_t>(end - in) < literals + 2)
            return false; // the last literals
        in += literals;
        if ((in[0] | in[1]) == 0)
            return true;
        in += 2;
        std::size_t match = token & 15;
        if (match == 15 && !extend(in, end, match))
            return false;
    }
    return false;
}

} // namespace vitrine
