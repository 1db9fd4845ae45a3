// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"

#include <QObject>

#include <memory>

class QSocketNotifier;

namespace vitrine::ui {

// Tells when a process that need not be a child ends (posix::watchProcess). Lives on one thread.
class ProcessWatch final : public QObject {
    Q_OBJECT
public:
    // A process that is already gone is told by ended() from the event loop.
    explicit ProcessWatch(qint64 processId, QObject* parent = nullptr);
    ~ProcessWatch() override;

Q_SIGNALS:
    void ended(); // once

private:
    FileDescriptor m_process;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace vitrine::ui
