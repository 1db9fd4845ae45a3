// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"

#include <QFlags>
#include <QString>

#include <mutex>

namespace vitrine::qemu {

// What the connection's thread has to tell the display's: the newest value of every fact and which
// of them changed since it was last collected. However fast a server talks, at most one event waits
// in the display's queue. Thread-safe.
class RfbNews final {
public:
    enum Change {
        StateChange = 0x01,
        SizeChange = 0x02,
        Damage = 0x04,
        ShapeChange = 0x08,
        ModeChange = 0x10,
        LedChange = 0x20,
        ResizeAnswer = 0x40,
        Failure = 0x80
    };
    Q_DECLARE_FLAGS(Changes, Change)

    struct Facts {
        Display::State state = Display::State::Disconnected;
        PointerShape shape;
        bool absolute = true; // until the server says otherwise
        int ledState = -1;
        int resizeStatus = 0;
        QString failure;
    };

    // True when the display has to be woken: nothing was waiting before.
    template <class Write>
    [[nodiscard]] bool tell(Change change, Write write) {
        const std::lock_guard lock(m_mutex);
        write(m_facts);
        const bool first = !m_changes;
        m_changes |= change;
        return first;
    }
    [[nodiscard]] Changes collect() {
        const std::lock_guard lock(m_mutex);
        const Changes changes = m_changes;
        m_changes = {};
        return changes;
    }
    [[nodiscard]] Facts facts() const {
        const std::lock_guard lock(m_mutex);
        return m_facts;
    }
    template <class Read>
    [[nodiscard]] auto get(Read read) const {
        const std::lock_guard lock(m_mutex);
        return read(m_facts);
    }

private:
    mutable std::mutex m_mutex;
    Facts m_facts;
    Changes m_changes;
};

Q_DECLARE_OPERATORS_FOR_FLAGS(RfbNews::Changes)

} // namespace vitrine::qemu
