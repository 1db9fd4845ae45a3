// SPDX-License-Identifier: Apache-2.0
#include "core/run/event_log.h"

#include "core/disk/real_path.h"
#include "core/machine/sidecar.h"

namespace vitrine {

namespace {
constexpr qint64 repeatPause = 60000; // ms
constexpr qsizetype maximumRecent = 200;
} // namespace

EventLog::EventLog(QString machineDirectory)
    : m_machineDirectory(std::move(machineDirectory)) {
    m_writer.setMaxThreadCount(1);
}

EventLog::~EventLog() {
    flush();
}

bool EventLog::add(const QString& kind, const QString& text, const QDateTime& time) {
    const QString key = kind + QLatin1Char('\n') + text;
    if (const auto found = m_recent.constFind(key);
        found != m_recent.constEnd() && found->elapsed() < repeatPause) {
        return false;
    }
    if (m_recent.size() >= maximumRecent) {
        m_recent.clear();
    }
    m_recent[key].start();
    m_writer.start([directory = m_machineDirectory, kind, text, time] {
        const Result<> written = Sidecar::addEvent(directory, kind, text, time);
        if (!written) {
            qWarning("event not kept: %s", qUtf8Printable(withRealPaths(written.error().message)));
        }
    });
    return true;
}

void EventLog::flush() {
    m_writer.waitForDone();
}

} // namespace vitrine
