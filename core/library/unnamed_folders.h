// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"

#include <QStringList>

namespace vitrine {

// Folders of vms/ whose names are not UTF-8: no command could name them, so Library::machines()
// leaves them out. Sorted, escaped for people ("caf\xe9", a backslash as "\\").
[[nodiscard]] QStringList unnamedFolders(const Library& library);

} // namespace vitrine
