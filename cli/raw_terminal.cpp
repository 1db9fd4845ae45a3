// SPDX-License-Identifier: Apache-2.0
#include "cli/raw_terminal.h"

#include <unistd.h>

namespace vitrine::cli {

RawTerminal::RawTerminal() {
    if (::tcgetattr(STDIN_FILENO, &m_saved) != 0)
        return;
    struct termios raw = m_saved;
    ::cfmakeraw(&raw);
    m_changed = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) == 0;
}

RawTerminal::~RawTerminal() {
    if (m_changed)
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &m_saved);
}

} // namespace vitrine::cli
