// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

#include <sys/socket.h>
#include <vector>

namespace vitrine::softnet {

// The machine's end of the wire: one datagram is one Ethernet frame. SOCK_SEQPACKET tells when the
// other side is gone; SOCK_DGRAM is accepted too, and tells it only when something is sent.
class VmSocket final {
public:
    static constexpr std::size_t frameCapacity = 2048; // longer ones are dropped
    static constexpr unsigned batch = 32;

    // Takes the descriptor over, makes it non-blocking and close-on-exec.
    [[nodiscard]] static Checked<VmSocket> adopt(int descriptor);
    VmSocket(VmSocket&& other) noexcept;
    VmSocket& operator=(VmSocket&&) = delete;
    ~VmSocket();

    [[nodiscard]] int descriptor() const { return m_descriptor; }
    [[nodiscard]] bool isOpen() const { return m_open; }
    void hungUp() { m_open = false; }

    // Reads until there is nothing more, at most `batch` frames, and calls take(Bytes) for each.
    // Returns how many were read; 0 with isOpen() false after the end.
    template <class Take>
    unsigned receive(Take take) {
        const unsigned count = receiveBatch();
        for (unsigned i = 0; i < count; ++i) {
            if (const Bytes frame = received(i); !frame.empty()) {
                take(frame);
            }
        }
        return count;
    }
    // Drops the frame if the other side does not keep up. Never sends an empty datagram: QEMU takes
    // it for the end.
    void send(Bytes frame);

private:
    VmSocket(int descriptor, bool sequenced);
    [[nodiscard]] unsigned receiveBatch();
    [[nodiscard]] Bytes received(unsigned index) const;

    int m_descriptor = -1;
    bool m_sequenced = false;
    bool m_open = true;
    std::vector<std::uint8_t> m_buffer;
    std::vector<::iovec> m_parts;
    std::vector<::mmsghdr> m_messages;
};

} // namespace vitrine::softnet
