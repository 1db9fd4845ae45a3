// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/rfb_protocol.h"

#include <QtEndian>

#include <algorithm>
#include <cstring>

namespace vitrine::qemu {

namespace {

constexpr int encodingRaw = 0;
constexpr int encodingDesktopSize = -223;
constexpr int encodingLastRect = -224;
constexpr int encodingRichCursor = -239;
constexpr int encodingPointerTypeChange = -257;
constexpr int encodingExtendedKey = -258;
constexpr int encodingLed = -261;
constexpr int encodingDesktopName = -307;
constexpr int encodingExtendedDesktopSize = -308;
constexpr int encodingAlphaCursor = -314;

quint16 u16(const uchar* bytes) {
    return qFromBigEndian<quint16>(bytes);
}
quint32 u32(const uchar* bytes) {
    return qFromBigEndian<quint32>(bytes);
}

tl::unexpected<Error> violation(const QString& detail) {
    return fail(Error::Kind::Integrity,
                Tr::tr("The machine's screen sent something that makes no sense, so the connection "
                       "was closed. It is opened again by itself."),
                detail);
}

tl::unexpected<Error> refused(const QString& reason) {
    return fail(Error::Kind::Permission,
                Tr::tr("The machine's screen refused the connection. It says: \"%1\"").arg(reason));
}

} // namespace

RfbProtocol::RfbProtocol(RfbListener& listener)
    : m_listener(listener) {}

void RfbProtocol::expect(State state, qsizetype bytes) {
    m_state = state;
    m_needed = bytes;
}

Result<> RfbProtocol::skip(qint64 bytes, State next, qsizetype nextNeeds) {
    if (bytes > rfb::maximumSkipped) {
        return violation(QStringLiteral("a message of %1 bytes").arg(bytes));
    }
    m_skip = bytes;
    m_afterSkip = next;
    m_neededAfterSkip = nextNeeds;
    m_state = State::Skip;
    return {};
}

Result<> RfbProtocol::feed(const uchar* data, qsizetype size) {
    for (;;) {
        if (m_state == State::Skip) {
            const qsizetype part = static_cast<qsizetype>(std::min<qint64>(m_skip, size));
            data += part;
            size -= part;
            m_skip -= part;
            if (m_skip > 0) {
                return {};
            }
            if (m_afterSkip == State::RectangleHeader) {
                nextRectangle();
            } else {
                expect(m_afterSkip, m_neededAfterSkip);
            }
            continue;
        }
        if (m_state == State::Pixels) {
            const qsizetype taken = takePixels(data, size);
            data += taken;
            size -= taken;
            if (m_state == State::Pixels) {
                return {};
            }
            continue;
        }
        const uchar* block = data;
        if (m_block.empty() && size >= m_needed) {
            data += m_needed;
            size -= m_needed;
        } else {
            const qsizetype missing = m_needed - static_cast<qsizetype>(m_block.size());
            const qsizetype part = std::min(missing, size);
            m_block.insert(m_block.end(), data, data + part);
            data += part;
            size -= part;
            if (part < missing) {
                return {};
            }
            block = m_block.data();
        }
        if (auto result = handle(block); !result) {
            return result;
        }
        m_block.clear();
    }
}

Result<> RfbProtocol::handle(const uchar* block) {
    switch (m_state) {
    case State::Version:
        return handleVersion(block);
    case State::SecurityCount:
        if (block[0] == 0) {
            expect(State::ReasonLength, 4);
        } else {
            expect(State::SecurityTypes, block[0]);
        }
        return {};
    case State::SecurityTypes:
        return handleSecurityTypes(block);
    case State::SecurityResult:
        if (u32(block) != 0) {
            expect(State::ReasonLength, 4);
            return {};
        }
        m_listener.answer(QByteArray(1, '\1')); // share the screen with other viewers
        expect(State::ServerInit, 24);
        return {};
    case State::ReasonLength:
        expect(State::Reason, std::min<quint32>(u32(block), rfb::maximumReason));
        return {};
    case State::Reason:
        return refused(QString::fromUtf8(reinterpret_cast<const char*>(block), m_needed));
    case State::ServerInit:
        return handleServerInit(block);
    case State::Message:
        return handleMessage(block[0]);
    case State::UpdateHeader:
        m_rectangles = u16(block + 1);
        nextRectangle();
        return {};
    case State::RectangleHeader:
        return handleRectangle(block);
    case State::ScreenCount:
        expect(State::Screens, 3 + qsizetype{16} * block[0]);
        return {};
    case State::Screens: {
        const quint32 id = m_needed >= 3 + 16 ? u32(block + 3) : 0;
        m_listener.resizeOffered(id);
        // x: who asked (1: this client); y: the answer.
        if (m_rawX == 1) {
            m_listener.resizeAnswered(m_rawY);
        }
        const bool refusal = m_rawX == 1 && m_rawY != 0; // then the size is the old one
        if (!refusal) {
            if (auto result = resize(QSize(m_rawWidth, m_rawHeight)); !result) {
                return result;
            }
        }
        nextRectangle();
        return {};
    }
    case State::AlphaCursorEncoding:
        if (u32(block) != encodingRaw) {
            return violation(QStringLiteral("pointer in encoding %1").arg(u32(block)));
        }
        expect(State::AlphaCursor, qsizetype{4} * m_rawWidth * m_rawHeight);
        return {};
    case State::AlphaCursor:
        finishAlphaCursor(block);
        return {};
    case State::RichCursor:
        finishRichCursor(block);
        return {};
    case State::Led:
        m_listener.ledState(block[0] & 7);
        nextRectangle();
        return {};
    case State::TextLength:
        return skip(u32(block), State::RectangleHeader, 12);
    case State::ColourMap:
        return skip(qint64{6} * u16(block + 3), State::Message, 1);
    case State::CutText: {
        // A negative length marks the extended clipboard: the same number of bytes.
        const qint64 length = static_cast<qint32>(u32(block + 3));
        return skip(length < 0 ? -length : length, State::Message, 1);
    }
    case State::Pixels:
    case State::Skip:
        break;
    }
    return violation(QStringLiteral("state"));
}

Result<> RfbProtocol::handleVersion(const uchar* block) {
    const QByteArray text(reinterpret_cast<const char*>(block), 12);
    // Servers that speak more than 3.8 take 3.8 as well.
    if (!text.startsWith("RFB ") || text.at(11) != '\n' ||
        text.mid(4, 7) < QByteArrayView("003.008")) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine's screen does not speak RFB 3.8, so it cannot be shown."),
                    QString::fromLatin1(text.toPercentEncoding()));
    }
    m_listener.answer("RFB 003.008\n");
    expect(State::SecurityCount, 1);
    return {};
}

Result<> RfbProtocol::handleSecurityTypes(const uchar* block) {
    if (std::find(block, block + m_needed, uchar{1}) == block + m_needed) {
        return fail(Error::Kind::Unauthorized,
                    Tr::tr("The machine's screen asks for a password although it is on a private "
                           "socket, so it cannot be shown. Shut the machine down and start it "
                           "again."));
    }
    m_listener.answer(QByteArray(1, '\1'));
    expect(State::SecurityResult, 4);
    return {};
}

Result<> RfbProtocol::handleServerInit(const uchar* block) {
    if (auto result = resize(QSize(u16(block), u16(block + 2))); !result) {
        return result;
    }
    m_established = true;
    m_listener.answer(rfb::setPixelFormat() + rfb::setEncodings());
    m_listener.established();
    return skip(u32(block + 20), State::Message, 1); // the server's name
}

Result<> RfbProtocol::handleMessage(quint8 type) {
    switch (type) {
    case 0:
        expect(State::UpdateHeader, 3);
        return {};
    case 1:
        expect(State::ColourMap, 5);
        return {};
    case 2: // bell
        expect(State::Message, 1);
        return {};
    case 3:
        expect(State::CutText, 7);
        return {};
    default:
        return violation(QStringLiteral("message %1").arg(type));
    }
}

void RfbProtocol::nextRectangle() {
    if (m_rectangles > 0) {
        --m_rectangles;
        expect(State::RectangleHeader, 12);
        return;
    }
    m_listener.updateFinished();
    expect(State::Message, 1);
}

Result<> RfbProtocol::handleRectangle(const uchar* block) {
    m_rawX = u16(block);
    m_rawY = u16(block + 2);
    m_rawWidth = u16(block + 4);
    m_rawHeight = u16(block + 6);
    const auto encoding = static_cast<qint32>(u32(block + 8));
    switch (encoding) {
    case encodingRaw:
        if (m_rawX + m_rawWidth > m_size.width() || m_rawY + m_rawHeight > m_size.height()) {
            return violation(QStringLiteral("rectangle outside of the screen"));
        }
        m_rectangle = QRect(m_rawX, m_rawY, m_rawWidth, m_rawHeight);
        m_pixelBytes = 0;
        if (m_rectangle.isEmpty()) {
            nextRectangle();
        } else {
            m_state = State::Pixels;
        }
        return {};
    case encodingDesktopSize:
        if (auto result = resize(QSize(m_rawWidth, m_rawHeight)); !result) {
            return result;
        }
        nextRectangle();
        return {};
    case encodingExtendedDesktopSize:
        expect(State::ScreenCount, 1);
        return {};
    case encodingLastRect:
        m_rectangles = 0;
        nextRectangle();
        return {};
    case encodingRichCursor:
    case encodingAlphaCursor:
        return beginPointerShape(encoding);
    case encodingPointerTypeChange:
        m_listener.pointerMode(m_rawX == 1);
        nextRectangle();
        return {};
    case encodingExtendedKey:
        m_listener.extendedKeysOffered();
        nextRectangle();
        return {};
    case encodingLed:
        expect(State::Led, 1);
        return {};
    case encodingDesktopName:
        expect(State::TextLength, 4);
        return {};
    default:
        return violation(QStringLiteral("encoding %1").arg(encoding));
    }
}

Result<> RfbProtocol::beginPointerShape(int encoding) {
    if (m_rawWidth > rfb::maximumPointerSide || m_rawHeight > rfb::maximumPointerSide) {
        return violation(QStringLiteral("pointer of %1x%2").arg(m_rawWidth).arg(m_rawHeight));
    }
    if (encoding == encodingAlphaCursor) {
        expect(State::AlphaCursorEncoding, 4);
        return {};
    }
    const qsizetype mask = qsizetype{(m_rawWidth + 7) / 8} * m_rawHeight;
    expect(State::RichCursor, qsizetype{4} * m_rawWidth * m_rawHeight + mask);
    return {};
}

void RfbProtocol::finishAlphaCursor(const uchar* block) {
    PointerShape shape;
    shape.width = m_rawWidth;
    shape.height = m_rawHeight;
    shape.hotSpot = QPoint(m_rawX, m_rawY);
    shape.pixels.resize(m_needed);
    // The bytes are red, green, blue, alpha, colours multiplied by alpha.
    auto* out = reinterpret_cast<uchar*>(shape.pixels.data());
    for (qsizetype i = 0; i < m_needed; i += 4) {
        const quint32 alpha = block[i + 3];
        const auto plain = [alpha](quint32 colour) -> quint32 {
            return alpha == 0 ? 0 : std::min<quint32>(255, (colour * 255 + alpha / 2) / alpha);
        };
        const quint32 pixel = (alpha << 24U) | (plain(block[i]) << 16U) |
                              (plain(block[i + 1]) << 8U) | plain(block[i + 2]);
        std::memcpy(out + i, &pixel, sizeof(pixel));
    }
    m_listener.pointerShape(shape);
    nextRectangle();
}

void RfbProtocol::finishRichCursor(const uchar* block) {
    PointerShape shape;
    shape.width = m_rawWidth;
    shape.height = m_rawHeight;
    shape.hotSpot = QPoint(m_rawX, m_rawY);
    const qsizetype pixels = qsizetype{m_rawWidth} * m_rawHeight;
    shape.pixels.resize(4 * pixels);
    auto* out = reinterpret_cast<uchar*>(shape.pixels.data());
    const uchar* mask = block + 4 * pixels;
    const qsizetype maskStride = (m_rawWidth + 7) / 8;
    for (qsizetype y = 0; y < m_rawHeight; ++y) {
        for (qsizetype x = 0; x < m_rawWidth; ++x) {
            quint32 pixel = 0;
            const qsizetype at = 4 * (y * m_rawWidth + x);
            std::memcpy(&pixel, block + at, sizeof(pixel));
            const bool visible = ((mask[y * maskStride + x / 8] >> (7 - x % 8)) & 1) != 0;
            pixel = visible ? (pixel | 0xff000000U) : 0U;
            std::memcpy(out + at, &pixel, sizeof(pixel));
        }
    }
    m_listener.pointerShape(shape);
    nextRectangle();
}

Result<> RfbProtocol::resize(QSize size) {
    const qint64 bytes = qint64{4} * size.width() * size.height();
    if (size.isEmpty() || size.width() > rfb::maximumSide || size.height() > rfb::maximumSide ||
        bytes > rfb::maximumFrameBytes) {
        return violation(QStringLiteral("screen of %1x%2").arg(size.width()).arg(size.height()));
    }
    if (size == m_size) {
        return {};
    }
    if (!m_listener.frameResized(size)) {
        return fail(Error::Kind::Internal,
                    Tr::tr("There is not enough memory to show a screen of %1 x %2 pixels. Close "
                           "other programs; it is tried again by itself.")
                        .arg(size.width())
                        .arg(size.height()));
    }
    m_size = size;
    return {};
}

qsizetype RfbProtocol::takePixels(const uchar* data, qsizetype size) {
    const qsizetype row = qsizetype{4} * m_rectangle.width();
    const qsizetype taken = std::min<qsizetype>(size, row * m_rectangle.height() - m_pixelBytes);
    qsizetype left = taken;
    while (left > 0) {
        const int y = m_rectangle.y() + static_cast<int>(m_pixelBytes / row);
        const qsizetype inRow = m_pixelBytes % row;
        const qsizetype x = qsizetype{4} * m_rectangle.x() + inRow;
        qsizetype part = std::min(left, row - inRow);
        int rows = 1;
        if (inRow == 0 && left >= row) {
            rows = static_cast<int>(left / row);
            part = row;
        }
        m_listener.pixels(x, y, part, rows, data);
        data += part * rows;
        left -= part * rows;
        m_pixelBytes += part * rows;
    }
    pixelsTaken();
    return taken;
}

void RfbProtocol::pixelsTaken() {
    if (m_pixelBytes == qint64{4} * m_rectangle.width() * m_rectangle.height()) {
        m_listener.rectangleFinished(m_rectangle);
        nextRectangle();
    }
}

RfbProtocol::DirectRead RfbProtocol::directRead() const {
    if (m_state != State::Pixels || m_rectangle.width() != m_size.width()) {
        return {};
    }
    const qint64 row = qint64{4} * m_rectangle.width();
    return {static_cast<qsizetype>(row * m_rectangle.y() + m_pixelBytes),
            static_cast<qsizetype>(row * m_rectangle.height() - m_pixelBytes)};
}

Result<> RfbProtocol::skipPixels(qsizetype bytes) {
    if (bytes < 0 || bytes > directRead().bytes) {
        return violation(QStringLiteral("direct read"));
    }
    m_pixelBytes += bytes;
    pixelsTaken();
    return {};
}

} // namespace vitrine::qemu
