// SPDX-License-Identifier: Apache-2.0
#include "ui/terminal/terminal_keys.h"

#include "core/terminal/terminal_surface.h"

#include <QKeyEvent>

#include <optional>

namespace vitrine::ui {

namespace {

std::optional<TerminalKey> terminalKey(int key) {
    switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        return TerminalKey::Enter;
    case Qt::Key_Tab:
    case Qt::Key_Backtab:
        return TerminalKey::Tab;
    case Qt::Key_Backspace:
        return TerminalKey::Backspace;
    case Qt::Key_Escape:
        return TerminalKey::Escape;
    case Qt::Key_Up:
        return TerminalKey::Up;
    case Qt::Key_Down:
        return TerminalKey::Down;
    case Qt::Key_Left:
        return TerminalKey::Left;
    case Qt::Key_Right:
        return TerminalKey::Right;
    case Qt::Key_Insert:
        return TerminalKey::Insert;
    case Qt::Key_Delete:
        return TerminalKey::Delete;
    case Qt::Key_Home:
        return TerminalKey::Home;
    case Qt::Key_End:
        return TerminalKey::End;
    case Qt::Key_PageUp:
        return TerminalKey::PageUp;
    case Qt::Key_PageDown:
        return TerminalKey::PageDown;
    default:
        break;
    }
    if (key >= Qt::Key_F1 && key <= Qt::Key_F12) {
        return TerminalKey::Function;
    }
    return std::nullopt;
}

} // namespace

bool pressTerminalKey(TerminalSurface& surface, const QKeyEvent& event) {
    const Qt::KeyboardModifiers held = event.modifiers();
    const bool alt = held.testFlag(Qt::AltModifier);
    const bool control = held.testFlag(Qt::ControlModifier);
    if (const auto key = terminalKey(event.key())) {
        const bool shift = held.testFlag(Qt::ShiftModifier) || event.key() == Qt::Key_Backtab;
        surface.pressKey(*key, {shift, alt, control}, event.key() - Qt::Key_F1 + 1);
        return true;
    }
    if (control && (event.key() == Qt::Key_Space || event.key() == Qt::Key_At)) {
        surface.type(QString(QChar(u'\0')), alt);
        return true;
    }
    QString text = event.text();
    if (text.isEmpty() && control && event.key() >= Qt::Key_At &&
        event.key() <= Qt::Key_Underscore) {
        text = QChar(event.key() & 0x1f); // platforms that leave the control character out
    }
    if (text.isEmpty()) {
        return false;
    }
    surface.type(text, alt);
    return true;
}

} // namespace vitrine::ui
