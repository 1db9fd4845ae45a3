// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"
#include "core/result/result.h"

#include <QByteArray>
#include <QPoint>
#include <QRect>
#include <QSize>

#include <cstdint>
#include <vector>

namespace vitrine::qemu {

// What an RFB server is allowed to make us keep. A server that asks for more is refused.
namespace rfb {
inline constexpr int maximumSide = 8192;             // pixels
inline constexpr qint64 maximumFrameBytes = 1 << 28; // 256 MiB
inline constexpr int maximumPointerSide = 512;       // pixels
inline constexpr int maximumReason = 4096;           // bytes of a refusal's text that are kept
inline constexpr qint64 maximumSkipped = 1 << 26;    // bytes of one message that is passed over
inline constexpr QSize smallestRequest{640, 480};    // below it guests lose their preferred mode
inline constexpr QSize largestRequest{2560, 2048};   // QEMU 7.2 crops beyond it

// Messages to the server. Formats: RFC 6143; 251 and 255: the RFB community specification.
[[nodiscard]] QByteArray setPixelFormat(); // 32 bits, depth 24, host byte order, red at bit 16
[[nodiscard]] QByteArray setEncodings();
[[nodiscard]] QByteArray updateRequest(bool incremental, QSize size);
[[nodiscard]] QByteArray extendedKey(quint32 keysym, quint32 qnum, bool pressed);
[[nodiscard]] QByteArray plainKey(quint32 keysym, bool pressed);
[[nodiscard]] QByteArray pointer(quint16 x, quint16 y, quint8 buttons);
[[nodiscard]] QByteArray setDesktopSize(QSize size, quint32 screenId); // clamps to the range above
} // namespace rfb

// Receives what the server says. Called from RfbProtocol::feed() only, on its thread.
class RfbListener {
public:
    virtual ~RfbListener() = default;
    virtual void answer(const QByteArray& bytes) = 0; // to be sent to the server as it is
    virtual void established() = 0; // the handshake is over; updates may be requested
    // A new, empty screen. False: there is no memory for it.
    [[nodiscard]] virtual bool frameResized(QSize size) = 0;
    // `rows` rows of `bytes` bytes each, packed, for byte `x` of row `y` and the rows below it;
    // inside the frame. In bytes because input may be cut within a pixel. Several calls make one
    // rectangle.
    virtual void pixels(qsizetype x, int y, qsizetype bytes, int rows, const uchar* data) = 0;
    virtual void rectangleFinished(const QRect& rectangle) = 0;
    virtual void updateFinished() = 0;
    virtual void pointerShape(const PointerShape& shape) = 0;
    virtual void pointerMode(bool absolute) = 0;
    virtual void ledState(int state) = 0;
    virtual void extendedKeysOffered() = 0;
    virtual void resizeOffered(quint32 screenId) = 0;
    virtual void resizeAnswered(int status) = 0;
};

// The client's side of RFB 3.8 as QEMU speaks it: bytes in, calls of the listener out. No socket,
// no clock; bytes may be cut anywhere. Encodings: Raw, DesktopSize, ExtendedDesktopSize,
// RichCursor, AlphaCursor, PointerTypeChange, ExtendedKey, LED state, LastRect, DesktopName.
// Security: None.
class RfbProtocol final {
public:
    explicit RfbProtocol(RfbListener& listener);

    // The error ends the session: nothing may be fed after it.
    [[nodiscard]] Result<> feed(const uchar* data, qsizetype size);

    [[nodiscard]] bool isEstablished() const { return m_established; }

    // While a raw rectangle as wide as the frame is being received, its rows lie one after another
    // in the frame: `bytes` of them may be read from the socket straight to byte `offset` of the
    // frame (stride = 4 * width) and told with skipPixels() instead of feed(). 0 bytes otherwise.
    struct DirectRead {
        qsizetype offset = 0;
        qsizetype bytes = 0;
    };
    [[nodiscard]] DirectRead directRead() const;
    [[nodiscard]] Result<> skipPixels(qsizetype bytes);

private:
    enum class State {
        Version,
        SecurityCount,
        SecurityTypes,
        SecurityResult,
        ReasonLength,
        Reason,
        ServerInit,
        Message,
        UpdateHeader,
        RectangleHeader,
        Pixels,
        ScreenCount,
        Screens,
        AlphaCursorEncoding,
        AlphaCursor,
        RichCursor,
        Led,
        TextLength,
        ColourMap,
        CutText,
        Skip
    };

    [[nodiscard]] Result<> handle(const uchar* block);
    [[nodiscard]] Result<> handleVersion(const uchar* block);
    [[nodiscard]] Result<> handleSecurityTypes(const uchar* block);
    [[nodiscard]] Result<> handleServerInit(const uchar* block);
    [[nodiscard]] Result<> handleMessage(quint8 type);
    [[nodiscard]] Result<> handleRectangle(const uchar* block);
    [[nodiscard]] Result<> beginPointerShape(int encoding);
    void finishAlphaCursor(const uchar* block);
    void finishRichCursor(const uchar* block);
    [[nodiscard]] Result<> resize(QSize size);
    [[nodiscard]] Result<> skip(qint64 bytes, State next, qsizetype nextNeeds);
    void expect(State state, qsizetype bytes);
    void nextRectangle();
    [[nodiscard]] qsizetype takePixels(const uchar* data, qsizetype size);
    void pixelsTaken();

    RfbListener& m_listener;
    State m_state = State::Version;
    qsizetype m_needed = 12;    // bytes of the next block
    std::vector<uchar> m_block; // the part of it that has come, when it came in pieces
    qint64 m_skip = 0;          // bytes still to pass over
    State m_afterSkip = State::Message;
    qsizetype m_neededAfterSkip = 1;
    bool m_established = false;
    QSize m_size;
    int m_rectangles = 0; // still to come in this update
    QRect m_rectangle;
    qint64 m_pixelBytes = 0; // of m_rectangle, received
    quint16 m_rawX = 0;      // of the header, before any check
    quint16 m_rawY = 0;
    quint16 m_rawWidth = 0;
    quint16 m_rawHeight = 0;
};

} // namespace vitrine::qemu
