// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QPoint>
#include <QRect>
#include <QSize>

#include <functional>

namespace vitrine {

// Pixels of a guest's screen: 32 bits a pixel, 0xffRRGGBB in host byte order. Bytes, stride and
// size only: no Gui type.
struct FrameView {
    const uchar* data = nullptr;
    int width = 0;  // pixels
    int height = 0; // pixels
    int stride = 0; // bytes from one row to the next
};

// Shape of the guest's pointer, 32 bits a pixel 0xAARRGGBB, not premultiplied. Empty pixels:
// hidden.
struct PointerShape {
    int width = 0;
    int height = 0;
    QPoint hotSpot;
    QByteArray pixels;
};

// The screen of a running machine: role of a backend, used by the console page. All functions and
// signals belong to the thread the object lives on (the window's); the work happens on another.
class Display : public QObject {
    Q_OBJECT
public:
    enum class State { Disconnected, Connecting, Connected };
    Q_ENUM(State)
    using QObject::QObject;

    virtual void connectToGuest() = 0; // reconnecting is automatic until disconnectFromGuest()
    virtual void disconnectFromGuest() = 0;
    [[nodiscard]] virtual State state() const = 0;
    [[nodiscard]] virtual QSize size() const = 0; // empty before the first frame

    // Calls `read` with the current frame while no update can change it. Keep it short.
    virtual void withFrame(const std::function<void(const FrameView&)>& read) const = 0;
    // The regions changed since the last call; asks the server for the next update.
    virtual QList<QRect> takeDamage() = 0;

    // `qnum` is QEMU's keyboard number (XT scan code, 0x80 set for e0-prefixed keys).
    virtual void sendKey(quint32 keysym, quint32 qnum, bool pressed) = 0;
    // Position in guest pixels; buttons bit 0 left, 1 middle, 2 right, 3 wheel up, 4 wheel down, 5
    // wheel left, 6 wheel right.
    virtual void sendPointer(QPoint position, quint8 buttons) = 0;
    // Asks the guest for another resolution (clamped to 640x480 … 2560x2048 for QEMU 7.2).
    virtual void requestSize(QSize size) = 0;
    // What becomes of a requested size: the nearest that may be asked for.
    [[nodiscard]] virtual QSize closestSize(QSize size) const = 0;
    [[nodiscard]] virtual bool pointerIsAbsolute() const = 0;
    [[nodiscard]] virtual int ledState() const = 0; // bit 0 scroll, 1 num, 2 caps; -1 unknown

Q_SIGNALS:
    void stateChanged();
    void sizeChanged();
    void damaged(); // at least one region waits in takeDamage(); not repeated before it is taken
    void pointerShapeChanged(const vitrine::PointerShape& shape);
    void pointerModeChanged();
    void ledStateChanged();
    void resizeAnswered(int status);     // 0 done, 4 forwarded to the guest, 3 refused
    void failed(const QString& message); // translated
};

} // namespace vitrine
