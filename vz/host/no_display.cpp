// SPDX-License-Identifier: Apache-2.0
#include "vz/host/no_display.h"

#include <QTimer>

namespace vitrine::vz {

namespace {

class NoDisplay final : public Display {
public:
    void connectToGuest() override {
        QTimer::singleShot(0, this, [this] {
            Q_EMIT failed(tr("On a Mac only the program that runs the machine can show its screen. "
                             "Shut the machine down and start it in this window."));
        });
    }
    void disconnectFromGuest() override {}
    [[nodiscard]] State state() const override { return State::Disconnected; }
    [[nodiscard]] QSize size() const override { return {}; }
    void withFrame(const std::function<void(const FrameView&)>&) const override {}
    QList<QRect> takeDamage() override { return {}; }
    void sendKey(quint32, quint32, bool) override {}
    void sendPointer(QPoint, quint8) override {}
    void requestSize(QSize) override {}
    [[nodiscard]] QSize closestSize(QSize size) const override { return size; }
    [[nodiscard]] bool pointerIsAbsolute() const override { return true; }
    [[nodiscard]] int ledState() const override { return -1; }
};

} // namespace

std::unique_ptr<Display> makeNoDisplay() {
    return std::make_unique<NoDisplay>();
}

} // namespace vitrine::vz
