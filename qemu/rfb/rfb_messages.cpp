// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/rfb_protocol.h"

#include <QtEndian>

#include <array>

namespace vitrine::qemu::rfb {

namespace {

class Writer {
public:
    explicit Writer(int reserve) { m_bytes.reserve(reserve); }
    Writer& u8(quint8 value) {
        m_bytes.append(static_cast<char>(value));
        return *this;
    }
    Writer& u16(quint16 value) { return big(value); }
    Writer& u32(quint32 value) { return big(value); }
    Writer& zeros(int count) {
        m_bytes.append(count, '\0');
        return *this;
    }
    [[nodiscard]] QByteArray bytes() const { return m_bytes; }

private:
    template <class T>
    Writer& big(T value) {
        std::array<char, sizeof(T)> buffer{};
        qToBigEndian(value, buffer.data());
        m_bytes.append(buffer.data(), buffer.size());
        return *this;
    }
    QByteArray m_bytes;
};

quint16 toU16(int value) {
    return static_cast<quint16>(qBound(0, value, 0xffff));
}

} // namespace

QByteArray setPixelFormat() {
    constexpr quint8 bigEndian = Q_BYTE_ORDER == Q_BIG_ENDIAN ? 1 : 0;
    return Writer(20)
        .u8(0)
        .zeros(3)
        .u8(32)
        .u8(24)
        .u8(bigEndian)
        .u8(1)
        .u16(255)
        .u16(255)
        .u16(255)
        .u8(16)
        .u8(8)
        .u8(0)
        .zeros(3)
        .bytes();
}

QByteArray setEncodings() {
    // Raw first: on a socket of this computer every compression only costs (measured).
    static constexpr std::array<qint32, 9> encodings{
        0, -308, -223, -258, -261, -257, -314, -239, -224};
    Writer writer(4 + 4 * static_cast<int>(encodings.size()));
    writer.u8(2).zeros(1).u16(static_cast<quint16>(encodings.size()));
    for (const qint32 encoding : encodings) {
        writer.u32(static_cast<quint32>(encoding));
    }
    return writer.bytes();
}

QByteArray updateRequest(bool incremental, QSize size) {
    return Writer(10)
        .u8(3)
        .u8(incremental ? 1 : 0)
        .u16(0)
        .u16(0)
        .u16(toU16(size.width()))
        .u16(toU16(size.height()))
        .bytes();
}

QByteArray extendedKey(quint32 keysym, quint32 qnum, bool pressed) {
    return Writer(12).u8(255).u8(0).u16(pressed ? 1 : 0).u32(keysym).u32(qnum).bytes();
}

QByteArray plainKey(quint32 keysym, bool pressed) {
    return Writer(8).u8(4).u8(pressed ? 1 : 0).zeros(2).u32(keysym).bytes();
}

QByteArray pointer(quint16 x, quint16 y, quint8 buttons) {
    return Writer(6).u8(5).u8(buttons).u16(x).u16(y).bytes();
}

QByteArray setDesktopSize(QSize size, quint32 screenId) {
    const QSize clamped = size.expandedTo(smallestRequest).boundedTo(largestRequest);
    const auto width = toU16(clamped.width());
    const auto height = toU16(clamped.height());
    return Writer(24)
        .u8(251)
        .zeros(1)
        .u16(width)
        .u16(height)
        .u8(1)
        .zeros(1)
        .u32(screenId)
        .u16(0)
        .u16(0)
        .u16(width)
        .u16(height)
        .u32(0)
        .bytes();
}

} // namespace vitrine::qemu::rfb
