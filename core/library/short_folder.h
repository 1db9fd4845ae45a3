// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine {

// A short path to the folder, for sockets where open folders have no paths of their own: a symbolic
// link in "<base>/vitrine-UID", which is this user's alone (0700; owner and mode are checked at
// each use). The same folder gets the same link, which stays. `folder` is absolute. Any thread; two
// at once get the same.
[[nodiscard]] Result<QString> shortFolder(const QString& folder,
                                          const QString& base = QStringLiteral("/tmp"));

} // namespace vitrine
