// SPDX-License-Identifier: Apache-2.0
// A hostile RFB server. The first byte says in what pieces the rest arrives.
#include "qemu/rfb/rfb_protocol.h"
#include "qemu/rfb/shared_frame.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace {

using namespace vitrine;

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

class Listener final : public qemu::RfbListener {
public:
    void answer(const QByteArray& bytes) override { require(bytes.size() < 4096); }
    void established() override { require(!frame.size().isEmpty()); }
    bool frameResized(QSize size) override {
        require(size.width() > 0 && size.height() > 0);
        require(qint64{4} * size.width() * size.height() <= qemu::rfb::maximumFrameBytes);
        // Large frames are refused here as if there was no memory: they only make this slow.
        return qint64{size.width()} * size.height() <= 1 << 16 && frame.resize(size);
    }
    void pixels(qsizetype x, int y, qsizetype bytes, int rows, const uchar* data) override {
        const QSize size = frame.size();
        require(x >= 0 && y >= 0 && bytes > 0 && rows > 0);
        require(x + bytes <= qsizetype{4} * size.width() && y + rows <= size.height());
        frame.write(x, y, bytes, rows, data);
    }
    void rectangleFinished(const QRect& rectangle) override {
        require(QRect(QPoint(0, 0), frame.size()).contains(rectangle));
        frame.damage(rectangle);
    }
    void updateFinished() override {
        require(frame.takeDamage().size() <= qemu::DamageBands::count);
    }
    void pointerShape(const PointerShape& shape) override {
        require(shape.pixels.size() == qsizetype{4} * shape.width * shape.height);
        require(shape.width <= qemu::rfb::maximumPointerSide);
        require(shape.height <= qemu::rfb::maximumPointerSide);
    }
    void pointerMode(bool) override {}
    void ledState(int state) override { require(state >= 0 && state <= 7); }
    void extendedKeysOffered() override {}
    void resizeOffered(quint32) override {}
    void resizeAnswered(int) override {}

    qemu::SharedFrame frame;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 1) {
        return 0;
    }
    const auto piece = static_cast<qsizetype>(data[0]) + 1;
    const bool direct = (data[0] & 1) != 0;
    Listener listener;
    qemu::RfbProtocol protocol(listener);
    auto left = static_cast<qsizetype>(size) - 1;
    const uchar* at = data + 1;
    while (left > 0) {
        const qsizetype part = std::min(piece, left);
        const auto straight = protocol.directRead();
        if (direct && straight.bytes > 0) {
            const auto written = listener.frame.fill(
                straight.offset, std::min(part, straight.bytes), [at](char* out, qint64 most) {
                    std::memcpy(out, at, static_cast<size_t>(most));
                    return most;
                });
            require(written > 0);
            require(protocol.skipPixels(written).has_value());
            at += written;
            left -= written;
            continue;
        }
        if (!protocol.feed(at, part)) {
            return 0;
        }
        at += part;
        left -= part;
    }
    return 0;
}
