// SPDX-License-Identifier: Apache-2.0
#include "qemu/event_log.h"

#include "core/machine/sidecar.h"

#include <QJsonObject>

namespace vitrine::qemu {

namespace {
constexpr qint64 repeatPause = 60000; // ms
constexpr qsizetype maximumEvents = 50;
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
    const QJsonObject event{{QStringLiteral("time"), time.toUTC().toString(Qt::ISODateWithMs)},
                            {QStringLiteral("kind"), kind},
                            {QStringLiteral("text"), text}};
    m_writer.start([directory = m_machineDirectory, event] {
        const Result<> written = Sidecar::update(directory, [&event](Sidecar& sidecar) {
            sidecar.events.append(event);
            while (sidecar.events.size() > maximumEvents) {
                sidecar.events.removeFirst();
            }
        });
        if (!written) {
            qWarning("event not kept: %s", qUtf8Printable(written.error().message));
        }
    });
    return true;
}

void EventLog::flush() {
    m_writer.waitForDone();
}

} // namespace vitrine::qemu
