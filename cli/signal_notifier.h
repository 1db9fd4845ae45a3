// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"

#include <QObject>

#include <csignal>
#include <memory>
#include <utility>
#include <vector>

class QSocketNotifier;

namespace vitrine::cli {

// Tells signals from the event loop instead of their effect, for the life of the value; the earlier
// handlers come back when it goes. One at a time in a process; main thread.
class SignalNotifier final : public QObject {
    Q_OBJECT
public:
    explicit SignalNotifier(std::initializer_list<int> signalNumbers);
    ~SignalNotifier() override;

Q_SIGNALS:
    void arrived(int signalNumber);

private:
    void drain();

    FileDescriptor m_readEnd;
    FileDescriptor m_writeEnd;
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::vector<std::pair<int, struct sigaction>> m_earlier;
};

} // namespace vitrine::cli
