// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>
#include <QString>
#include <QWindow>

namespace vitrine::ui {

// Asks the desktop for all keys, also those it has a use for itself (Alt+Tab, Super …), as far as
// the platform allows. X11: a keyboard grab; XWayland: the same, after asking the compositor with
// _XWAYLAND_MAY_GRAB_KEYBOARD; Wayland and others: the desktop keeps its keys.
class KeyboardGrab final {
public:
    KeyboardGrab() = default;
    ~KeyboardGrab() { release(); }
    Q_DISABLE_COPY_MOVE(KeyboardGrab)

    void take(QWindow* window); // null: nothing is grabbed
    void release();
    // Which keys stay here, translated; empty when none do or nothing is grabbed.
    [[nodiscard]] const QString& note() const { return m_note; }

private:
    QPointer<QWindow> m_window;
    QString m_note;
    bool m_taken = false; // from the window system
};

} // namespace vitrine::ui
