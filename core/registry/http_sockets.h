// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

#include <map>
#include <sys/types.h>

class QThread;

namespace vitrine {

// The connections of the network managers of the thread that makes this value. Qt 6.4 takes in what
// comes before the body (the head, answers of 1xx, the sizes of chunks) without a limit and, while
// bytes keep coming, looks at nothing else, not even at an abort. Only the sockets tell how much
// came, and only their end ends it. Not copied; by that thread alone.
class HttpSockets final {
public:
    HttpSockets();
    ~HttpSockets();
    HttpSockets(const HttpSockets&) = delete;
    HttpSockets& operator=(const HttpSockets&) = delete;

    // A request begins: bytes are counted from here.
    void start();
    // Bytes that Qt has taken in since start(), those of TLS too; 0 where the system does not say.
    [[nodiscard]] quint64 taken() const;
    // Ends the connections on which something came since start(); Qt sees them broken.
    void endUsed() const;
    void endAll() const; // by any thread

private:
    [[nodiscard]] quint64 takenBefore(ino_t inode) const;

    const QThread* m_owner;
    std::map<ino_t, quint64> m_before; // bytes at start(), by the inode of the socket
};

} // namespace vitrine
