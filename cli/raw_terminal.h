// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <termios.h>

namespace vitrine::cli {

// The terminal of standard input without line editing, echo and signals, for the life of the value.
class RawTerminal final {
public:
    RawTerminal();
    ~RawTerminal();
    RawTerminal(const RawTerminal&) = delete;
    RawTerminal& operator=(const RawTerminal&) = delete;

private:
    bool m_changed = false;
    struct termios m_saved {};
};

} // namespace vitrine::cli
