// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QElapsedTimer>
#include <QHash>
#include <QString>
#include <QThreadPool>

namespace vitrine {

// Writes what happens to a machine into the events of its vitrine.json, newest last, at most 50.
// The writing is done on a thread of its own, because another process may hold the file's lock; a
// file that cannot be written loses events and nothing else. Destroying it waits for what is
// queued.
class EventLog final {
public:
    explicit EventLog(QString machineDirectory);
    ~EventLog();

    // False when the same was said less than a minute ago (a guest can restart, and a disk fail,
    // many times a second): then it should not be shown either.
    bool add(const QString& kind, const QString& text, const QDateTime& time);
    void flush(); // waits for what is queued

private:
    QString m_machineDirectory;
    QHash<QString, QElapsedTimer> m_recent; // by kind and text
    QThreadPool m_writer;
};

} // namespace vitrine
