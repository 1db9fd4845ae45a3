// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

namespace vitrine::test {

// A viewer's answer to the challenge (16 bytes) of "VNC authentication" (RFC 6143, 7.2.2).
[[nodiscard]] QByteArray vncAnswer(const QByteArray& challenge, const QByteArray& password);

} // namespace vitrine::test
