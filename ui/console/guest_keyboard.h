// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/key_combination.h"

#include <QHash>
#include <QList>

#include <functional>

class QKeyEvent;

namespace vitrine::ui {

// Turns key events into keys of the guest and remembers which of them are down, so that none stays
// down when the keyboard leaves. Right Ctrl pressed and released alone gives the keyboard back;
// together with another key it is a Ctrl key like any other.
class GuestKeyboard final {
public:
    using Send = std::function<void(const GuestKey& key, bool pressed)>;
    explicit GuestKeyboard(Send send);

    enum class Outcome { Taken, GiveBack };
    void press(const QKeyEvent& event);
    [[nodiscard]] Outcome release(const QKeyEvent& event);
    void releaseAll();
    void sendCombination(const KeyCombination& combination);
    [[nodiscard]] bool isEmpty() const { return m_down.isEmpty(); }

private:
    [[nodiscard]] static GuestKey keyOf(const QKeyEvent& event);
    [[nodiscard]] static quint64 identity(const QKeyEvent& event);

    Send m_send;
    struct Down {
        quint64 identity = 0;
        GuestKey key;
    };
    QList<Down> m_down;         // in the order they were pressed
    bool m_hostKeyHeld = false; // Right Ctrl is down and the guest does not know
};

} // namespace vitrine::ui
