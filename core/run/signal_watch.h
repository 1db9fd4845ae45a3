// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"

#include <QList>
#include <QObject>
#include <QSocketNotifier>

#include <csignal>
#include <memory>
#include <utility>

namespace vitrine {

// Turns signals into calls from the event loop, from its making on: a signal that arrives before
// the loop runs is not lost. Puts the earlier handlers back when it goes. One at a time in a
// process.
class SignalWatch final : public QObject {
    Q_OBJECT
public:
    explicit SignalWatch(const QList<int>& signalNumbers, QObject* parent = nullptr);
    ~SignalWatch() override;

Q_SIGNALS:
    void arrived(int signalNumber);

private:
    void drain();

    FileDescriptor m_readEnd;
    std::unique_ptr<QSocketNotifier> m_notifier;
    QList<std::pair<int, struct sigaction>> m_earlier;
};

} // namespace vitrine
