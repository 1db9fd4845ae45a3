// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QByteArrayView>

#include <optional>

namespace vitrine {

// Messages of gRPC over HTTP/2: one byte that says whether it is compressed, four bytes of length,
// big endian, then the message ("gRPC over HTTP2", Length-Prefixed-Message). Bytes may be cut
// anywhere. Keeps at most one message and what append() was given last.
class GrpcFrames final {
public:
    static constexpr qsizetype maximumMessage = 4 << 20; // bytes; what gRPC allows itself

    void append(QByteArrayView bytes);
    // The next whole message; nullopt until more bytes come. Integrity, from then on, when it is
    // compressed, which nobody offered, or longer than the limit.
    [[nodiscard]] Result<std::optional<QByteArray>> take();
    // Between two messages.
    [[nodiscard]] bool isEmpty() const { return m_bytes.size() == m_start; }

    [[nodiscard]] static QByteArray frame(QByteArrayView message);

private:
    QByteArray m_bytes;
    qsizetype m_start = 0; // of the first message that was not taken
};

} // namespace vitrine
