// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"

#include <cstring>
#include <vector>

namespace vitrine::test {

// A screen in memory that keeps what is sent to it.
class FakeDisplay final : public Display {
    Q_OBJECT
public:
    struct Key {
        quint32 keysym = 0;
        quint32 qnum = 0;
        bool pressed = false;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Pointer {
        QPoint position;
        int buttons = 0;
        friend bool operator==(const Pointer&, const Pointer&) = default;
    };

    void connectToGuest() override {
        ++connects;
        setState(connectsAtOnce ? State::Connected : State::Connecting);
    }
    void disconnectFromGuest() override {
        ++disconnects;
        setState(State::Disconnected);
    }
    State state() const override { return m_state; }
    QSize size() const override { return m_size; }
    void withFrame(const std::function<void(const FrameView&)>& read) const override {
        read({m_size.isEmpty() ? nullptr : reinterpret_cast<const uchar*>(m_pixels.data()),
              m_size.width(),
              m_size.height(),
              4 * m_size.width()});
    }
    QList<QRect> takeDamage() override {
        ++damageTaken;
        return std::exchange(m_damage, {});
    }
    void sendKey(quint32 keysym, quint32 qnum, bool pressed) override {
        keys.append({keysym, qnum, pressed});
    }
    void sendPointer(QPoint position, quint8 buttons) override {
        pointers.append({position, buttons});
    }
    void requestSize(QSize size) override { wantedSizes.append(size); }
    QSize closestSize(QSize size) const override {
        return size.expandedTo({640, 480}).boundedTo({2560, 2048});
    }
    bool pointerIsAbsolute() const override { return true; }
    int ledState() const override { return -1; }

    void setState(State state) {
        if (state != m_state) {
            m_state = state;
            Q_EMIT stateChanged();
        }
    }
    void resize(QSize size, quint32 colour = 0) {
        m_size = size;
        m_pixels.assign(static_cast<size_t>(size.width()) * static_cast<size_t>(size.height()),
                        colour);
        m_damage = {QRect(QPoint(0, 0), size)};
        Q_EMIT sizeChanged();
        Q_EMIT damaged();
    }
    void fill(const QRect& area, quint32 colour) {
        for (int y = area.top(); y <= area.bottom(); ++y) {
            for (int x = area.left(); x <= area.right(); ++x) {
                m_pixels[static_cast<size_t>(y * m_size.width() + x)] = colour;
            }
        }
        m_damage.append(area);
        Q_EMIT damaged();
    }

    bool connectsAtOnce = true;
    int connects = 0;
    int disconnects = 0;
    int damageTaken = 0;
    QList<Key> keys;
    QList<Pointer> pointers;
    QList<QSize> wantedSizes;

private:
    State m_state = State::Disconnected;
    QSize m_size{0, 0};
    std::vector<quint32> m_pixels;
    QList<QRect> m_damage;
};

} // namespace vitrine::test
