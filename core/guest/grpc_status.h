// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QByteArrayView>

namespace vitrine {

// What the peer of a call said about it in the headers before and behind its messages ("gRPC over
// HTTP2", Response). Names and values are not trusted; of a value at most 4 KiB are kept.
class GrpcStatus final {
public:
    void addHeader(QByteArrayView name, QByteArrayView value);
    // How a call ended whose stream the peer has closed. `method` is named where it is unknown.
    [[nodiscard]] Result<> outcome(const QByteArray& method) const;

    [[nodiscard]] static Error nobody();            // the connection ended before anything came
    [[nodiscard]] static Error silent(int seconds); // connected, nothing came
    [[nodiscard]] static Error brokenOff();         // the connection ended during the call
    [[nodiscard]] static Error reset(quint32 code); // RST_STREAM or GOAWAY with an HTTP/2 error
    [[nodiscard]] static Error notHttp2();          // bytes that cannot be read

private:
    QByteArray m_http;    // ":status"
    QByteArray m_type;    // "content-type"
    QByteArray m_code;    // "grpc-status"
    QByteArray m_message; // "grpc-message", percent-encoded
};

} // namespace vitrine
