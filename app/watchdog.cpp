// SPDX-License-Identifier: Apache-2.0
#include "app/watchdog.h"

#include <QMetaEnum>
#include <QThread>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::app {

namespace {

constexpr double nanosecondsInMillisecond = 1e6;
constexpr int keptViolations = 100;

QString typeText(QEvent::Type type) {
    const char* key = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
    return key != nullptr ? QString::fromLatin1(key)
                          : QStringLiteral("event %1").arg(static_cast<int>(type));
}

bool isPainting(QEvent::Type type) {
    return type == QEvent::Paint || type == QEvent::UpdateRequest || type == QEvent::Expose;
}

} // namespace

Watchdog::Watchdog()
    : m_schedstat(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

qint64 Watchdog::busyNow() const {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const qint64 wall = qint64(now.tv_sec) * 1000000000 + now.tv_nsec;
    if (!m_schedstat.isValid())
        return wall;
    // "time on a processor, time waiting for one, number of slices"
    std::array<char, 96> text{};
    const ssize_t got = ::pread(m_schedstat.get(), text.data(), text.size() - 1, 0);
    if (got <= 0)
        return wall;
    char* rest = nullptr;
    std::strtoull(text.data(), &rest, 10);
    return wall - static_cast<qint64>(std::strtoull(rest, nullptr, 10));
}

Watchdog::Delivery::Delivery(Watchdog* watchdog, const QObject* receiver, const QEvent* event)
    : m_watchdog(watchdog) {
    if (m_watchdog == nullptr)
        return;
    std::vector<Frame>& frames = m_watchdog->m_frames;
    const int level = QThread::currentThread()->loopLevel();
    if (frames.empty() || level > frames.back().loopLevel) {
        // A loop inside (a menu that is open) is not work of the event that opened it.
        if (!frames.empty())
            frames.back().excused = true;
        m_outermost = true;
        Frame frame;
        frame.loopLevel = level;
        frame.type = event->type();
        frame.receiver = receiver->metaObject()->className();
        if (const QObject* parent = receiver->parent())
            frame.parent = parent->metaObject()->className();
        frame.name = receiver->objectName();
        frame.excused = m_watchdog->m_excuses > 0;
        frames.push_back(std::move(frame));
        frames.back().began = m_watchdog->busyNow();
    }
    m_paints = isPainting(event->type());
    if (m_paints && frames.back().paintDepth++ == 0)
        frames.back().paintBegan = m_watchdog->busyNow();
}

Watchdog::Delivery::~Delivery() {
    if (m_watchdog == nullptr || m_watchdog->m_frames.empty())
        return;
    Frame& frame = m_watchdog->m_frames.back();
    if (m_paints && --frame.paintDepth == 0)
        frame.painted += m_watchdog->busyNow() - frame.paintBegan;
    if (!m_outermost)
        return;
    const Frame over = std::move(frame);
    m_watchdog->m_frames.pop_back();
    m_watchdog->finish(over);
}

void Watchdog::finish(const Frame& frame) {
    ++m_deliveries;
    if (frame.excused || m_excuses > 0)
        return;
    const double whole = double(busyNow() - frame.began) / nanosecondsInMillisecond;
    const double own = std::max(0.0, whole - double(frame.painted) / nanosecondsInMillisecond);
    m_longestOwn = std::max(m_longestOwn, own);
    m_longestWhole = std::max(m_longestWhole, whole);
    if (own <= longestOwnTime && whole <= longestWholeTime)
        return;
    QString what =
        typeText(frame.type) + QStringLiteral(" for ") + QString::fromLatin1(frame.receiver);
    if (!frame.name.isEmpty())
        what += QStringLiteral(" \"%1\"").arg(frame.name);
    if (*frame.parent != '\0')
        what += QStringLiteral(" in ") + QString::fromLatin1(frame.parent);
    if (m_violations.size() < keptViolations)
        m_violations.append({what, own, whole});
    qWarning("vitrine: the window's thread was busy for %.1f ms (%.1f ms outside painting): %s",
             whole,
             own,
             qPrintable(what));
}

Watchdog::Excuse::Excuse(Watchdog* watchdog)
    : m_watchdog(watchdog) {
    if (m_watchdog == nullptr)
        return;
    ++m_watchdog->m_excuses;
    for (Frame& frame : m_watchdog->m_frames)
        frame.excused = true;
}

Watchdog::Excuse::~Excuse() {
    if (m_watchdog != nullptr)
        --m_watchdog->m_excuses;
}

} // namespace vitrine::app
