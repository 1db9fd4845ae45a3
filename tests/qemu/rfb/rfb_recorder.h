// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/rfb/rfb_protocol.h"
#include "qemu/rfb/shared_frame.h"

#include <QStringList>

namespace vitrine::test {

// Keeps what the protocol says; pixels go to a real frame. Anything outside of it is counted.
class RfbRecorder final : public qemu::RfbListener {
public:
    void answer(const QByteArray& bytes) override { answers += bytes; }
    void established() override { isEstablished = true; }
    bool frameResized(QSize size) override {
        sizes.append(size);
        return memoryLeft && frame.resize(size);
    }
    void pixels(qsizetype x, int y, qsizetype bytes, int rows, const uchar* data) override {
        const QSize size = frame.size();
        if (x < 0 || y < 0 || bytes <= 0 || rows <= 0 || x + bytes > 4 * qsizetype{size.width()} ||
            y + rows > size.height()) {
            ++outside;
        }
        frame.write(x, y, bytes, rows, data);
    }
    void rectangleFinished(const QRect& rectangle) override {
        rectangles.append(rectangle);
        frame.damage(rectangle);
    }
    void updateFinished() override { ++updates; }
    void pointerShape(const PointerShape& shape) override { shapes.append(shape); }
    void pointerMode(bool absolute) override { modes.append(absolute); }
    void ledState(int state) override { leds.append(state); }
    void extendedKeysOffered() override { extendedKeys = true; }
    void resizeOffered(quint32 screenId) override { screens.append(screenId); }
    void resizeAnswered(int status) override { resizeStatuses.append(status); }

    [[nodiscard]] quint32 pixel(int x, int y) const {
        quint32 value = 0;
        frame.read([&](const FrameView& view) {
            memcpy(&value, view.data + qsizetype{y} * view.stride + qsizetype{4} * x, 4);
        });
        return value & 0xffffffU;
    }

    qemu::SharedFrame frame;
    QByteArray answers;
    QList<QSize> sizes;
    QList<QRect> rectangles;
    QList<PointerShape> shapes;
    QList<bool> modes;
    QList<int> leds;
    QList<quint32> screens;
    QList<int> resizeStatuses;
    bool memoryLeft = true;
    bool isEstablished = false;
    bool extendedKeys = false;
    int updates = 0;
    int outside = 0;
};

} // namespace vitrine::test
