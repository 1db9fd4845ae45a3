// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QByteArrayView>

namespace vitrine {

// One complete frame of Apple's LZ4 framing with dependent blocks, specification 4.4 "Encoder
// MUST". Used by the tools that make test and sample images and, later, by push.
[[nodiscard]] QByteArray encodeAppleLz4(QByteArrayView plain);

} // namespace vitrine
