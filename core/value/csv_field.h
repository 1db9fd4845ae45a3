// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace vitrine {

// One field of a CSV file (RFC 4180), quoted where it must be. What a spreadsheet would take for a
// formula gets an apostrophe in front. Any thread.
[[nodiscard]] QString csvField(QString text);

} // namespace vitrine
