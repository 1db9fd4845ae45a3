// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>

namespace vitrine::bench {

// Bytes that a process has written to both of its channels and nobody has read. What reads from
// QIODevice afterwards reads standard output.
inline qint64 unreadOutput(QProcess& process) {
    process.setReadChannel(QProcess::StandardError);
    const qint64 errors = process.bytesAvailable();
    process.setReadChannel(QProcess::StandardOutput);
    return errors + process.bytesAvailable();
}

} // namespace vitrine::bench
