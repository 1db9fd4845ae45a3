// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/control/control_channel.h"

#include <poll.h>

namespace vitrine::softnet {

// The client's end is gone when it likes: the rules in force stay, and so does the machine's
// network.
class ControlSocket final {
public:
    // A connected Unix stream socket. It stays open until this process ends, because it may have
    // the number of a standard stream.
    [[nodiscard]] static Checked<ControlSocket> adopt(int descriptor);

    // What to wait for; without a descriptor once there is nothing to expect any more.
    [[nodiscard]] ::pollfd wait(const ControlChannel& channel) const;
    // Reads a bounded amount, so that a busy client does not keep the machine's frames waiting,
    // and sends what can be sent.
    void serve(const ::pollfd& state, ControlChannel& channel, Time now);

private:
    explicit ControlSocket(int descriptor)
        : m_descriptor(descriptor) {}
    void read(ControlChannel& channel, Time now);
    void write(ControlChannel& channel);
    void end(ControlChannel& channel);

    int m_descriptor;
    bool m_reads = true;
    bool m_open = true;
};

} // namespace vitrine::softnet
