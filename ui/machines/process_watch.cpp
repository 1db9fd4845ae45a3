// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/process_watch.h"

#include "core/posix/processes.h"

#include <QSocketNotifier>
#include <QTimer>

#include <cerrno>
#include <csignal>

namespace vitrine::ui {

namespace {

constexpr int pollInterval = 500; // ms, on kernels before 5.3

} // namespace

ProcessWatch::ProcessWatch(qint64 processId, QObject* parent)
    : QObject(parent) {
    const auto pid = static_cast<pid_t>(processId);
    m_process = FileDescriptor(posix::watchProcess(pid));
    if (m_process.isValid()) {
        m_notifier = std::make_unique<QSocketNotifier>(m_process.get(), QSocketNotifier::Read);
        connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
            m_notifier->setEnabled(false);
            Q_EMIT ended();
        });
        return;
    }
    if (errno == ESRCH || processId <= 0) {
        QTimer::singleShot(0, this, &ProcessWatch::ended);
        return;
    }
    auto* timer = new QTimer(this);
    connect(timer, &QTimer::timeout, this, [this, timer, pid] {
        if (::kill(pid, 0) != 0 && errno == ESRCH) {
            timer->stop();
            Q_EMIT ended();
        }
    });
    timer->start(pollInterval);
}

ProcessWatch::~ProcessWatch() = default;

} // namespace vitrine::ui
