// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/apple_lz4_decoder.h"

#include <cstddef>

namespace vitrine {

// The parts of LZ4's block format that liblz4 leaves open: which rule a refused block breaks, and
// match distance 0, which liblz4 1.9.4 accepts. Format: public LZ4 block format description.

// Decodes one block to exactly `decoded` bytes at `target`, in front of which `history` bytes may
// be referred to. Slow and strict; nothing outside is read or written, whatever the payload.
[[nodiscard]] AppleLz4Decoder::Fault decodeLz4BlockStrictly(const char* payload,
                                                            std::size_t encoded,
                                                            char* target,
                                                            std::size_t decoded,
                                                            std::size_t history);

// True when a match of the block has distance 0. The block must be one that liblz4 has accepted;
// with any other the answer is arbitrary, and still nothing outside is read.
[[nodiscard]] bool hasZeroDistance(const char* payload, std::size_t encoded);

} // namespace vitrine
