// SPDX-License-Identifier: Apache-2.0
#include "ui/console/keyboard_grab.h"

#include <QCoreApplication>
#include <QGuiApplication>

#include <xcb/xcb.h>

#include <cstdlib>
#include <cstring>
#include <memory>

namespace vitrine::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("vitrine::ui::KeyboardGrab", text);
}

// An X11 window under a Wayland session is shown by XWayland.
bool isXWayland() {
    return qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
}

// Tells the compositor that this window may take the keyboard. Message to the root window, format
// 32, first value 1. There is no answer.
void askXWayland(xcb_connection_t* connection, xcb_window_t window) {
    static constexpr char name[] = "_XWAYLAND_MAY_GRAB_KEYBOARD";
    const xcb_intern_atom_cookie_t cookie = xcb_intern_atom(connection, 0, sizeof(name) - 1, name);
    const std::unique_ptr<xcb_intern_atom_reply_t, decltype(&std::free)> reply(
        xcb_intern_atom_reply(connection, cookie, nullptr), &std::free);
    const xcb_screen_iterator_t screens = xcb_setup_roots_iterator(xcb_get_setup(connection));
    if (!reply || screens.rem == 0) {
        return;
    }
    xcb_client_message_event_t event{};
    event.response_type = XCB_CLIENT_MESSAGE;
    event.format = 32;
    event.window = window;
    event.type = reply->atom;
    event.data.data32[0] = 1;
    xcb_send_event(connection,
                   0,
                   screens.data->root,
                   XCB_EVENT_MASK_SUBSTRUCTURE_REDIRECT | XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY,
                   reinterpret_cast<const char*>(&event));
    xcb_flush(connection);
}

} // namespace

void KeyboardGrab::take(QWindow* window) {
    release();
    m_window = window;
    if (window == nullptr) {
        return;
    }
    const QString platform = QGuiApplication::platformName();
    if (platform == QLatin1String("xcb")) {
        const auto* x11 = qGuiApp->nativeInterface<QNativeInterface::QX11Application>();
        if (isXWayland() && x11 != nullptr) {
            askXWayland(x11->connection(), static_cast<xcb_window_t>(window->winId()));
        }
        m_taken = window->setKeyboardGrabEnabled(true);
        if (!m_taken) {
            m_note = tr("Another program holds the keyboard, so shortcuts of the desktop such as "
                        "Alt+Tab and Super stay here. Use Send Keys for them.");
        } else if (isXWayland()) {
            m_note = tr("If the desktop does not allow it, its shortcuts such as Alt+Tab and Super "
                        "stay here. Use Send Keys for them.");
        }
        return;
    }
    if (platform.startsWith(QLatin1String("wayland"))) {
        m_note = tr("Under Wayland shortcuts of the desktop such as Alt+Tab and Super stay here. "
                    "Use Send Keys for them.");
    }
}

void KeyboardGrab::release() {
    if (m_taken && m_window) {
        m_window->setKeyboardGrabEnabled(false);
    }
    m_taken = false;
    m_window.clear();
    m_note.clear();
}

} // namespace vitrine::ui
