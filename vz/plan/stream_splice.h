// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"

#include <QByteArray>
#include <QObject>

#include <array>
#include <memory>

class QSocketNotifier;

namespace vitrine::vz {

// Passes raw bytes between two connected stream sockets, both ways, until both have ended. The end
// of one direction is passed on as such (shutdown) while the other goes on. Keeps at most 64 KiB a
// direction: a side that does not read makes the other wait. Lives on one thread; nothing blocks.
class StreamSplice final : public QObject {
    Q_OBJECT
public:
    StreamSplice(FileDescriptor first, FileDescriptor second, QObject* parent = nullptr);
    ~StreamSplice() override;

Q_SIGNALS:
    void finished(); // once, from the event loop; it can be deleted then

private:
    struct Direction {
        int from = -1; // index of the side
        int to = -1;
        QByteArray bytes;
        qsizetype start = 0;
        bool sourceEnded = false;
        bool done = false;
    };
    void move();
    void move(Direction& direction);
    void watch();

    std::array<FileDescriptor, 2> m_sides;
    std::array<std::unique_ptr<QSocketNotifier>, 2> m_readable;
    std::array<std::unique_ptr<QSocketNotifier>, 2> m_writable;
    std::array<Direction, 2> m_directions;
};

} // namespace vitrine::vz
