// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/frame.h"

#include <sys/socket.h>
#include <vector>

namespace vitrine::softnet {

// The machine's end of the wire: one datagram is one Ethernet frame. SOCK_SEQPACKET tells when the
// other side is gone; SOCK_DGRAM is accepted too, and tells it only when something is sent.
class VmSocket final {
public:
    static constexpr unsigned batch = 32;
    static constexpr std::size_t batchBytes = 16 * 1024;

    // Takes the descriptor over, makes it non-blocking and close-on-exec. Frames with more than
    // `mtu` bytes behind their header are dropped.
    [[nodiscard]] static Checked<VmSocket> adopt(int descriptor, std::size_t mtu);
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
    // Keeps the frame for flush(), which comes by itself after `batch` of them. Never sends an
    // empty datagram: QEMU takes it for the end.
    void send(Bytes frame);
    // Drops what the other side does not keep up with.
    void flush();
    // Frames dropped by flush().
    [[nodiscard]] std::uint64_t lost() const { return m_lost; }

private:
    // Memory for one batch.
    struct Batch {
        explicit Batch(std::size_t capacity);
        std::vector<std::uint8_t> buffer;
        std::vector<::iovec> parts;
        std::vector<::mmsghdr> messages;
    };
    VmSocket(int descriptor, bool sequenced, std::size_t capacity);
    [[nodiscard]] unsigned receiveBatch();
    [[nodiscard]] Bytes received(unsigned index) const;

    int m_descriptor = -1;
    bool m_sequenced = false;
    bool m_open = true;
    std::uint64_t m_lost = 0;
    std::size_t m_capacity;
    Batch m_in;
    Batch m_out;
    unsigned m_waiting = 0; // frames in m_out
    std::size_t m_waitingBytes = 0;
};

} // namespace vitrine::softnet
