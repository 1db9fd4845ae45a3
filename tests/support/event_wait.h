// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

#include <functional>

namespace vitrine::test {

// Runs the event loop until the condition holds; false when the time (ms) is over. The condition is
// looked at after every event and at least every 5 ms, so it may be about files and processes too.
inline bool waitUntil(const std::function<bool()>& condition, int timeoutMilliseconds = 60000) {
    const QDeadlineTimer deadline(timeoutMilliseconds);
    QTimer heartbeat;
    heartbeat.start(5);
    while (!condition()) {
        if (deadline.hasExpired()) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    return true;
}

} // namespace vitrine::test
