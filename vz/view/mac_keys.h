// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtGlobal>

#include <optional>

namespace vitrine::vz {

// The key of a Mac's keyboard (kVK_… of Carbon's Events.h, by place, not by letter) for QEMU's
// number of a key (XT scan code, 0x80 set for e0-prefixed keys).
[[nodiscard]] std::optional<quint16> macKeyOf(quint32 qnum);

} // namespace vitrine::vz
