// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>

class QThread;

namespace vitrine {

// A QFileSystemWatcher on a thread of its own: adding a thousand paths, or one on a hung volume,
// never holds the caller. Belongs to one thread; signals arrive there.
class LibraryWatch final : public QObject {
    Q_OBJECT
public:
    explicit LibraryWatch(QObject* parent = nullptr);
    ~LibraryWatch() override;

    // Replaces what is watched. Paths that do not exist are left out.
    void watch(const QStringList& paths);

Q_SIGNALS:
    void changed(const QString& path);
    // After watch(): whether paths came under watch that were not before (what happened to them
    // between being read and being watched is not known), and whether all could be watched.
    void watching(bool anyNew, bool complete);

private:
    class Worker;
    QThread* m_thread;
    Worker* m_worker;
};

} // namespace vitrine
