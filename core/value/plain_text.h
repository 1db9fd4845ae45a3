// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace vitrine {

// A character that nobody sees but that changes how the text around it reads: changes of direction,
// zero-width characters, separators of lines.
[[nodiscard]] bool isInvisible(char32_t character);

// Text from a guest, a registry or another program as one line that shows what it holds: control
// characters as \x1b, invisible ones (isInvisible()) as \u202e, half a surrogate pair as U+FFFD.
// For the window and the command line alike.
[[nodiscard]] QString plainText(const QString& untrusted);

} // namespace vitrine
