// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace vitrine {

// Whether a rename from one folder into the other can work: both exist, on one mount of one device.
// A device alone says too little: between two mounts of it (a bind mount, say) renames fail. False
// when it cannot be told. Even then file systems may refuse: ask isOtherVolume() afterwards.
[[nodiscard]] bool isSameMount(const QString& one, const QString& other);

// `path` or the nearest folder above it that exists.
[[nodiscard]] QString nearestFolder(const QString& path);

} // namespace vitrine
