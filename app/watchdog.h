// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"

#include <QEvent>
#include <QList>
#include <QObject>
#include <QString>

#include <vector>

namespace vitrine::app {

// Measures how long the window's thread is busy with one event: wall time minus the time it waited
// for a processor (second field of /proc/thread-self/schedstat, nanoseconds), so that a busy
// computer is not held against the window. Painting is counted apart. Window thread only.
class Watchdog final {
public:
    static constexpr double longestOwnTime = 16;   // ms outside painting
    static constexpr double longestWholeTime = 50; // ms with it

    struct Violation {
        QString what;     // event, receiver
        double own = 0;   // ms outside painting
        double whole = 0; // ms
    };

    Watchdog();
    // Around every delivery of an event; nests.
    class Delivery {
    public:
        Delivery(Watchdog* watchdog, const QObject* receiver, const QEvent* event);
        ~Delivery();
        Delivery(const Delivery&) = delete;
        Delivery& operator=(const Delivery&) = delete;

    private:
        Watchdog* m_watchdog;
        bool m_outermost = false;
        bool m_paints = false;
    };
    // While one lives nothing is held against the window (a tour taking its pictures).
    class Excuse {
    public:
        explicit Excuse(Watchdog* watchdog);
        ~Excuse();
        Excuse(const Excuse&) = delete;
        Excuse& operator=(const Excuse&) = delete;

    private:
        Watchdog* m_watchdog;
    };

    [[nodiscard]] const QList<Violation>& violations() const { return m_violations; }
    [[nodiscard]] double longestOwn() const { return m_longestOwn; }
    [[nodiscard]] double longestWhole() const { return m_longestWhole; }
    [[nodiscard]] qint64 deliveries() const { return m_deliveries; }

private:
    struct Frame {
        int loopLevel = 0;
        // Of the outermost event; the receiver may be gone afterwards.
        QEvent::Type type = QEvent::None;
        const char* receiver = "";
        const char* parent = "";
        QString name;
        qint64 began = 0;
        qint64 paintBegan = 0;
        int paintDepth = 0; // painting while above 0
        qint64 painted = 0;
        bool excused = false; // an event loop ran inside
    };
    [[nodiscard]] qint64 busyNow() const; // nanoseconds of this thread
    void finish(const Frame& frame);

    FileDescriptor m_schedstat;
    std::vector<Frame> m_frames;
    QList<Violation> m_violations;
    double m_longestOwn = 0;
    double m_longestWhole = 0;
    qint64 m_deliveries = 0;
    int m_excuses = 0;
};

} // namespace vitrine::app
