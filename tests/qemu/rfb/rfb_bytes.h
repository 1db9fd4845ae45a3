// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QRect>
#include <QSize>

namespace vitrine::test {

// What a server sends, byte by byte as RFC 6143 and its registry of extensions say.
class ServerBytes final {
public:
    ServerBytes& u8(int value) {
        m_bytes.append(static_cast<char>(value));
        return *this;
    }
    ServerBytes& u16(int value) { return u8((value >> 8) & 0xff).u8(value & 0xff); }
    ServerBytes& u32(quint32 value) {
        return u16(static_cast<int>(value >> 16U)).u16(static_cast<int>(value & 0xffffU));
    }
    ServerBytes& text(const char* value) {
        m_bytes.append(value);
        return *this;
    }
    ServerBytes& raw(const QByteArray& value) {
        m_bytes.append(value);
        return *this;
    }

    ServerBytes& update(int rectangles) { return u8(0).u8(0).u16(rectangles); }
    ServerBytes& rectangle(int x, int y, int width, int height, int encoding) {
        return u16(x).u16(y).u16(width).u16(height).u32(static_cast<quint32>(encoding));
    }
    // One rectangle of one colour.
    ServerBytes& fill(const QRect& area, quint32 colour) {
        rectangle(area.x(), area.y(), area.width(), area.height(), 0);
        for (int i = 0; i < area.width() * area.height(); ++i) {
            m_bytes.append(reinterpret_cast<const char*>(&colour), 4);
        }
        return *this;
    }
    // Version, security None, its success, and the screen: everything before the first message.
    ServerBytes& greeting(QSize size) {
        return text("RFB 003.008\n").u8(1).u8(1).u32(0).serverInit(size);
    }
    ServerBytes& serverInit(QSize size) {
        u16(size.width()).u16(size.height());
        u8(32).u8(24).u8(0).u8(1).u16(255).u16(255).u16(255).u8(16).u8(8).u8(0).u8(0).u16(0);
        return u32(4).text("QEMU");
    }

    [[nodiscard]] const QByteArray& bytes() const { return m_bytes; }

private:
    QByteArray m_bytes;
};

} // namespace vitrine::test
