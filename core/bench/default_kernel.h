// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace vitrine::bench {

// The newest vmlinuz-VERSION of `folder` that may be read, by version and not by date; empty if
// there is none.
[[nodiscard]] QString newestKernel(const QString& folder = QStringLiteral("/boot"));

} // namespace vitrine::bench
