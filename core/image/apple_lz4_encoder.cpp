// SPDX-License-Identifier: Apache-2.0
#include "core/image/apple_lz4_encoder.h"

#include <QtEndian>

#include <algorithm>
#include <lz4.h>
#include <memory>

namespace vitrine {

namespace {

constexpr qsizetype blockSize = 65536;

void appendNumber(QByteArray& out, qsizetype number) {
    const quint32 little = qToLittleEndian(static_cast<quint32>(number));
    out.append(reinterpret_cast<const char*>(&little), sizeof little);
}

struct FreeStream {
    void operator()(LZ4_stream_t* stream) const { LZ4_freeStream(stream); }
};

} // namespace

QByteArray encodeAppleLz4(QByteArrayView plain) {
    // The plain bytes lie in one piece, so the stream finds its history right before each block.
    const std::unique_ptr<LZ4_stream_t, FreeStream> stream(LZ4_createStream());
    // Room for the worst case: a call that fails leaves the stream unusable.
    QByteArray payload(LZ4_compressBound(blockSize), Qt::Uninitialized);
    QByteArray frame;
    for (qsizetype position = 0; position < plain.size(); position += blockSize) {
        const qsizetype size = std::min(blockSize, plain.size() - position);
        const char* block = plain.data() + position;
        const int encoded = LZ4_compress_fast_continue(stream.get(),
                                                       block,
                                                       payload.data(),
                                                       static_cast<int>(size),
                                                       static_cast<int>(payload.size()),
                                                       1);
        if (encoded > 0 && encoded < size) {
            frame.append("bv41", 4);
            appendNumber(frame, size);
            appendNumber(frame, encoded);
            frame.append(payload.constData(), encoded);
        } else {
            frame.append("bv4-", 4);
            appendNumber(frame, size);
            frame.append(block, size);
        }
    }
    frame.append("bv4$", 4);
    return frame;
}

} // namespace vitrine
