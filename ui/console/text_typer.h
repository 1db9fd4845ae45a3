// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/keyboard_layout.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::ui {

// Types strokes into a guest one after another, no faster than a guest's keyboard takes them (QEMU
// drops keys that its queues have no room for). Window thread.
class TextTyper final : public QObject {
    Q_OBJECT
public:
    using Send = std::function<void(const KeyStroke& stroke)>;

    explicit TextTyper(Send send, QObject* parent = nullptr);

    void start(const QList<KeyStroke>& strokes); // what was under way is given up
    void stop();
    [[nodiscard]] bool isRunning() const { return m_timer.isActive(); }
    [[nodiscard]] qsizetype left() const { return m_strokes.size() - m_next; }
    void setPace(int milliseconds) { m_timer.setInterval(milliseconds); } // between strokes; 20

Q_SIGNALS:
    void progressed(); // after each stroke
    void finished();   // all were sent

private:
    void typeNext();

    Send m_send;
    QTimer m_timer{this};
    QList<KeyStroke> m_strokes;
    qsizetype m_next = 0;
};

} // namespace vitrine::ui
