// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArrayView>

#include <cstddef>
#include <functional>
#include <memory>

namespace vitrine {

// Streaming decoder of Apple's LZ4 framing, specification section 4 (rules 1 to 7 of 4.4). Feed it
// any cut of the frame. Blocks that lie whole in a fed view are decoded from it without a copy.
// Memory: below 400 KiB, whatever the input. One thread at a time.
//
// Errors are of kind Integrity and name the place in the frame; fault() tells the class.
class AppleLz4Decoder final {
public:
    enum class Fault {
        None,
        Truncated,
        BadMagic,
        BlockTooLarge,
        TrailingData,
        SizeMismatch,
        OutputOverrun,
        LiteralsPastPayload,
        BadOffset,
        TotalTooLarge,
        SinkFailed
    };
    // Gets plain bytes in order, at most 64 KiB a call; the view dies with the call. False stops
    // decoding (SinkFailed).
    using Sink = std::function<bool(QByteArrayView)>;

    AppleLz4Decoder(quint64 maximumPlainSize, Sink sink);
    // For a sink that gathers without copying: views follow one another in one piece of memory of
    // `capacity` bytes (at least 128 KiB), and stay until `beforeReuse` is called, when the memory
    // is about to be used again from its beginning. False stops decoding (SinkFailed). The first
    // view's address has the remainder `phase` by 4096, for direct input and output.
    struct Memory {
        std::size_t capacity = 0;
        std::size_t phase = 0; // below 4096
        std::function<bool()> beforeReuse;
    };
    AppleLz4Decoder(quint64 maximumPlainSize, Sink sink, Memory memory);
    ~AppleLz4Decoder();
    AppleLz4Decoder(AppleLz4Decoder&&) noexcept;
    AppleLz4Decoder& operator=(AppleLz4Decoder&&) noexcept;

    Result<> feed(QByteArrayView compressed); // after an error every further call fails
    Result<> finish();                        // the end mark must have been seen
    [[nodiscard]] Fault fault() const;
    [[nodiscard]] quint64 plainBytes() const;      // given to the sink so far
    [[nodiscard]] quint64 compressedBytes() const; // fed so far, a block still incomplete included
    // Where in the frame the first block that has not been decoded begins.
    [[nodiscard]] quint64 blockOffset() const;

    // The caller checks a digest of everything it gets. Spares the search for matches of distance
    // 0, which liblz4 lets pass: such a frame then yields wrong bytes instead of BadOffset.
    void leaveDistanceZeroToDigest();

    // Goes on where another decoder stopped at a block's beginning: `compressed` is its
    // blockOffset(), `plain` its plainBytes(), `history` what it gave last, 64 KiB or everything.
    // Before the first feed().
    void resume(quint64 compressed, quint64 plain, QByteArrayView history);

private:
    [[nodiscard]] Result<> outcome() const;
    class State;
    std::unique_ptr<State> m_state;
};

} // namespace vitrine
