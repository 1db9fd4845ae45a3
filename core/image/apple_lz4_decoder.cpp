// SPDX-License-Identifier: Apache-2.0
#include "core/image/apple_lz4_decoder.h"

#include "core/image/lz4_block.h"

#include <QByteArray>
#include <QtEndian>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <lz4.h>

namespace vitrine {

namespace {

constexpr std::size_t blockLimit = 65536; // both size fields, and the history a match can reach
constexpr std::size_t usualCapacity = 4 * blockLimit;
constexpr std::size_t pageSize = 4096;
constexpr std::size_t longestHeader = 12;

QString describe(AppleLz4Decoder::Fault fault) {
    using Fault = AppleLz4Decoder::Fault;
    switch (fault) {
    case Fault::Truncated:
        return Tr::tr("The compressed data ends too early.");
    case Fault::BadMagic:
        return Tr::tr("The compressed data holds a block of an unknown kind.");
    case Fault::BlockTooLarge:
        return Tr::tr("The compressed data holds a block of more than 64 KiB.");
    case Fault::TrailingData:
        return Tr::tr("The compressed data goes on after its end mark.");
    case Fault::TotalTooLarge:
        return Tr::tr("The compressed data holds more than was declared.");
    case Fault::SinkFailed:
        return Tr::tr("The unpacked data could not be taken.");
    default:
        return Tr::tr("The compressed data is damaged.");
    }
}

const char* name(AppleLz4Decoder::Fault fault) {
    static constexpr std::array names{"none",
                                      "truncated",
                                      "bad-magic",
                                      "block-too-large",
                                      "trailing-data",
                                      "size-mismatch",
                                      "output-overrun",
                                      "literal-overrun",
                                      "bad-offset",
                                      "too-large",
                                      "sink-failed"};
    return names.at(static_cast<std::size_t>(fault));
}

} // namespace

class AppleLz4Decoder::State {
public:
    State(quint64 maximumPlainSize, Sink sink, Memory memory)
        : m_maximum(maximumPlainSize)
        , m_sink(std::move(sink))
        , m_beforeReuse(std::move(memory.beforeReuse))
        // Whole pages: a history of at most 64 KiB behind a rest of a page, then the capacity.
        , m_capacity((std::max(memory.capacity, 2 * blockLimit) + blockLimit + 2 * pageSize) &
                     ~(pageSize - 1))
        , m_position(memory.phase & (pageSize - 1))
        , m_output(static_cast<char*>(std::aligned_alloc(pageSize, m_capacity)))
        , m_start(m_position) {}

    // Both return Fault::None or what ended the decoding.
    Fault feed(const char* data, std::size_t size);
    Fault finish();
    void resume(quint64 compressed, quint64 plain, QByteArrayView history);
    [[nodiscard]] quint64 blockOffset() const { return compressedBytes - m_pendingSize; }

    bool searchDistanceZero = true;
    Fault fault = Fault::None;
    quint64 plainBytes = 0;
    quint64 compressedBytes = 0;

private:
    enum class Kind { Compressed, Stored, End };
    struct Header {
        Kind kind = Kind::End;
        std::size_t length = 0; // of the header itself
        std::size_t decoded = 0;
        std::size_t encoded = 0;
    };

    static Fault readMagic(const char* bytes, Header& header);
    Fault readSizes(const char* bytes, Header& header) const;
    Fault decode(const Header& header, const char* payload);
    bool makeRoom(std::size_t size);

    quint64 m_maximum;
    Sink m_sink;
    std::function<bool()> m_beforeReuse;
    bool m_ended = false;
    struct Free {
        void operator()(char* memory) const { std::free(memory); }
    };
    // Output in one piece: each block is written right behind the up to 64 KiB it may refer to.
    std::size_t m_capacity;
    std::size_t m_position; // of the next block in m_output
    std::unique_ptr<char, Free> m_output;
    std::size_t m_start; // of the output, or of what is left of it
    // A block whose bytes came in several pieces.
    std::unique_ptr<char[]> m_pending = std::make_unique<char[]>(blockLimit + longestHeader);
    std::size_t m_pendingSize = 0;
};

AppleLz4Decoder::Fault AppleLz4Decoder::State::readMagic(const char* bytes, Header& header) {
    if (std::memcmp(bytes, "bv41", 4) == 0) {
        header.kind = Kind::Compressed;
        header.length = 12;
    } else if (std::memcmp(bytes, "bv4-", 4) == 0) {
        header.kind = Kind::Stored;
        header.length = 8;
    } else if (std::memcmp(bytes, "bv4$", 4) == 0) {
        header.kind = Kind::End;
        header.length = 4;
    } else {
        return Fault::BadMagic;
    }
    return Fault::None;
}

AppleLz4Decoder::Fault AppleLz4Decoder::State::readSizes(const char* bytes, Header& header) const {
    if (header.kind == Kind::End)
        return Fault::None;
    header.decoded = qFromLittleEndian<quint32>(bytes + 4);
    header.encoded = header.kind == Kind::Compressed ? qFromLittleEndian<quint32>(bytes + 8)
                                                     : static_cast<quint32>(header.decoded);
    // Before anything is waited for.
    if (header.decoded > blockLimit || header.encoded > blockLimit)
        return Fault::BlockTooLarge;
    if (header.decoded > m_maximum - plainBytes)
        return Fault::TotalTooLarge;
    return Fault::None;
}

AppleLz4Decoder::Fault AppleLz4Decoder::State::feed(const char* data, std::size_t size) {
    if (size == 0)
        return Fault::None;
    compressedBytes += size;
    while (size > 0) {
        if (m_ended)
            return Fault::TrailingData;
        // Bytes that the header and then the payload still lack are moved to m_pending, unless the
        // whole block lies in `data`.
        const auto gather = [&](std::size_t wanted) {
            const std::size_t n = std::min(wanted - m_pendingSize, size);
            std::memcpy(m_pending.get() + m_pendingSize, data, n);
            m_pendingSize += n;
            data += n;
            size -= n;
            return m_pendingSize == wanted;
        };
        Header header;
        const char* block = data;
        const bool direct = m_pendingSize == 0 && size >= longestHeader;
        if (!direct) {
            block = m_pending.get();
            if (m_pendingSize < 4 && !gather(4))
                return Fault::None;
        }
        if (const Fault bad = readMagic(block, header); bad != Fault::None)
            return bad;
        if (!direct && m_pendingSize < header.length && !gather(header.length))
            return Fault::None;
        if (const Fault bad = readSizes(block, header); bad != Fault::None)
            return bad;
        const std::size_t whole = header.length + header.encoded;
        if (direct && size >= whole) {
            data += whole;
            size -= whole;
        } else {
            if (m_pendingSize < whole && !gather(whole))
                return Fault::None;
            block = m_pending.get();
            m_pendingSize = 0;
        }
        if (header.kind == Kind::End) {
            m_ended = true;
            continue;
        }
        if (const Fault bad = decode(header, block + header.length); bad != Fault::None)
            return bad;
    }
    return Fault::None;
}

bool AppleLz4Decoder::State::makeRoom(std::size_t size) {
    if (m_position + size <= m_capacity)
        return true;
    if (m_beforeReuse && !m_beforeReuse())
        return false;
    // The history moves to the beginning and keeps its place within a page.
    const std::size_t history = std::min(m_position - m_start, blockLimit);
    const std::size_t from = m_position - history;
    m_start = from & (pageSize - 1);
    std::memmove(m_output.get() + m_start, m_output.get() + from, history);
    m_position = m_start + history;
    return true;
}

AppleLz4Decoder::Fault AppleLz4Decoder::State::decode(const Header& header, const char* payload) {
    if (!makeRoom(header.decoded))
        return Fault::SinkFailed;
    char* const target = m_output.get() + m_position;
    const std::size_t history = std::min(m_position - m_start, blockLimit);
    if (header.kind == Kind::Stored) {
        std::memcpy(target, payload, header.decoded);
    } else {
        const int produced = LZ4_decompress_safe_usingDict(payload,
                                                           target,
                                                           static_cast<int>(header.encoded),
                                                           static_cast<int>(header.decoded),
                                                           target - history,
                                                           static_cast<int>(history));
        if (produced < 0 || static_cast<std::size_t>(produced) != header.decoded) {
            // liblz4 says only that something is wrong, and refuses some harmless endings.
            const Fault bad =
                decodeLz4BlockStrictly(payload, header.encoded, target, header.decoded, history);
            if (bad != Fault::None)
                return bad;
        } else if (searchDistanceZero && hasZeroDistance(payload, header.encoded)) {
            return Fault::BadOffset; // liblz4 lets it pass
        }
    }
    m_position += header.decoded;
    plainBytes += header.decoded;
    if (header.decoded > 0 &&
        !m_sink(QByteArrayView(target, static_cast<qsizetype>(header.decoded))))
        return Fault::SinkFailed;
    return Fault::None;
}

AppleLz4Decoder::Fault AppleLz4Decoder::State::finish() {
    return m_ended ? Fault::None : Fault::Truncated;
}

void AppleLz4Decoder::State::resume(quint64 compressed, quint64 plain, QByteArrayView history) {
    const std::size_t size = std::min(static_cast<std::size_t>(history.size()), blockLimit);
    // The place of the next byte within its page stays as it was asked for.
    m_start = (m_position - size) & (pageSize - 1);
    if (size > 0) // an empty view may hold no pointer
        std::memcpy(m_output.get() + m_start, history.data() + history.size() - size, size);
    m_position = m_start + size;
    compressedBytes = compressed;
    plainBytes = plain;
}

AppleLz4Decoder::AppleLz4Decoder(quint64 maximumPlainSize, Sink sink)
    : AppleLz4Decoder(maximumPlainSize, std::move(sink), Memory{usualCapacity, 0, {}}) {}
AppleLz4Decoder::AppleLz4Decoder(quint64 maximumPlainSize, Sink sink, Memory memory)
    : m_state(std::make_unique<State>(maximumPlainSize, std::move(sink), std::move(memory))) {}
AppleLz4Decoder::~AppleLz4Decoder() = default;
AppleLz4Decoder::AppleLz4Decoder(AppleLz4Decoder&&) noexcept = default;
AppleLz4Decoder& AppleLz4Decoder::operator=(AppleLz4Decoder&&) noexcept = default;

Result<> AppleLz4Decoder::feed(QByteArrayView compressed) {
    if (m_state->fault == Fault::None)
        m_state->fault =
            m_state->feed(compressed.data(), static_cast<std::size_t>(compressed.size()));
    return outcome();
}

Result<> AppleLz4Decoder::finish() {
    if (m_state->fault == Fault::None)
        m_state->fault = m_state->finish();
    return outcome();
}

Result<> AppleLz4Decoder::outcome() const {
    if (m_state->fault == Fault::None)
        return {};
    return fail(Error::Kind::Integrity,
                describe(m_state->fault),
                QStringLiteral("Apple LZ4: %1; %2 bytes in, %3 bytes out")
                    .arg(QLatin1String(name(m_state->fault)))
                    .arg(m_state->compressedBytes)
                    .arg(m_state->plainBytes));
}

AppleLz4Decoder::Fault AppleLz4Decoder::fault() const {
    return m_state->fault;
}

quint64 AppleLz4Decoder::plainBytes() const {
    return m_state->plainBytes;
}

quint64 AppleLz4Decoder::blockOffset() const {
    return m_state->blockOffset();
}

void AppleLz4Decoder::leaveDistanceZeroToDigest() {
    m_state->searchDistanceZero = false;
}

void AppleLz4Decoder::resume(quint64 compressed, quint64 plain, QByteArrayView history) {
    m_state->resume(compressed, plain, history);
}

quint64 AppleLz4Decoder::compressedBytes() const {
    return m_state->compressedBytes;
}

} // namespace vitrine
