// SPDX-License-Identifier: Apache-2.0
#include "core/library/library_watch.h"

#include <QFileInfo>
#include <QFileSystemWatcher>
#include <QSet>
#include <QThread>

namespace vitrine {

namespace {
constexpr int patience = 3000; // milliseconds for the thread to end before it is left to itself
}

class LibraryWatch::Worker final : public QObject {
public:
    explicit Worker(LibraryWatch* front)
        : m_front(front) {}

    void watch(const QStringList& paths) {
        if (!m_watcher) {
            m_watcher = new QFileSystemWatcher(this);
            connect(
                m_watcher, &QFileSystemWatcher::directoryChanged, m_front, &LibraryWatch::changed);
            connect(m_watcher, &QFileSystemWatcher::fileChanged, m_front, &LibraryWatch::changed);
        }
        const QStringList current = m_watcher->directories() + m_watcher->files();
        const QSet<QString> before(current.cbegin(), current.cend());
        const QSet<QString> wanted(paths.cbegin(), paths.cend());
        const QSet<QString> gone = before - wanted;
        if (!gone.isEmpty())
            m_watcher->removePaths(gone.values());
        QStringList fresh;
        for (const QString& path : paths)
            if (!before.contains(path) && QFileInfo::exists(path))
                fresh.append(path);
        const QStringList failed = fresh.isEmpty() ? QStringList() : m_watcher->addPaths(fresh);
        Q_EMIT m_front->watching(failed.size() < fresh.size(), failed.isEmpty());
    }

private:
    LibraryWatch* m_front;
    QFileSystemWatcher* m_watcher = nullptr;
};

LibraryWatch::LibraryWatch(QObject* parent)
    : QObject(parent)
    , m_thread(new QThread)
    , m_worker(new Worker(this)) {
    m_thread->setObjectName(QStringLiteral("library-watch"));
    m_worker->moveToThread(m_thread);
    m_thread->start();
}

LibraryWatch::~LibraryWatch() {
    QObject::connect(m_thread, &QThread::finished, m_worker, &QObject::deleteLater);
    m_thread->quit();
    // A thread that hangs in a dead volume keeps its object; the program does not wait for it.
    if (m_thread->wait(patience))
        delete m_thread;
}

void LibraryWatch::watch(const QStringList& paths) {
    QMetaObject::invokeMethod(
        m_worker, [worker = m_worker, paths] { worker->watch(paths); }, Qt::QueuedConnection);
}

} // namespace vitrine
