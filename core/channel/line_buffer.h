// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QByteArrayView>

#include <optional>

namespace vitrine {

// Cuts a stream of bytes into lines that end with '\n'. A line longer than the limit (bytes, the
// end not counted) makes append() fail: a peer cannot make us keep more than that.
class LineBuffer final {
public:
    explicit LineBuffer(qsizetype maximumLine)
        : m_maximumLine(maximumLine) {}

    // False when a line is over the limit; it and what follows is dropped and the stream is of no
    // more use. Take the lines after each call.
    [[nodiscard]] bool append(QByteArrayView bytes);
    // The next whole line without its '\n' and without a '\r' before it.
    [[nodiscard]] std::optional<QByteArray> takeLine();

private:
    qsizetype m_maximumLine;
    QByteArray m_bytes;
    qsizetype m_start = 0;   // of the unfinished line
    qsizetype m_scanned = 0; // no '\n' between m_start and here
};

} // namespace vitrine
