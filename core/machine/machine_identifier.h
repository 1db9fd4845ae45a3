// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

#include <optional>

namespace vitrine {

// The machine identifier of a macOS guest is a binary property list with one entry "ECID", an
// 8-byte integer (what VZMacMachineIdentifier.dataRepresentation holds). A copy with another random
// ECID; nullopt when the bytes are of another form, which a caller then keeps.
[[nodiscard]] std::optional<QByteArray> renewedMachineIdentifier(const QByteArray& identifier);

} // namespace vitrine
