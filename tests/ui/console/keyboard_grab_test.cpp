// SPDX-License-Identifier: Apache-2.0
// Against a real X server, with the variable that a Wayland session sets (contract 6).
#include "ui/console/keyboard_grab.h"

#include "tests/support/gui_support.h"

#include <QWindow>

#include <gtest/gtest.h>

#include <xcb/xcb.h>

#include <cstdlib>
#include <cstring>
#include <memory>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

template <class Reply>
using Owned = std::unique_ptr<Reply, decltype(&std::free)>;

// Another client: what a compositor would hear, and what another program could hold.
class OtherClient final {
public:
    OtherClient()
        : m_connection(xcb_connect(nullptr, nullptr))
        , m_root(xcb_setup_roots_iterator(xcb_get_setup(m_connection)).data->root) {
        const uint32_t mask = XCB_EVENT_MASK_SUBSTRUCTURE_NOTIFY;
        xcb_change_window_attributes(m_connection, m_root, XCB_CW_EVENT_MASK, &mask);
        sync();
    }
    ~OtherClient() { xcb_disconnect(m_connection); }
    Q_DISABLE_COPY_MOVE(OtherClient)

    // Windows that asked for the keyboard since the last call.
    QList<uint32_t> asking() {
        const uint32_t wanted = atom("_XWAYLAND_MAY_GRAB_KEYBOARD");
        sync();
        QList<uint32_t> windows;
        while (true) {
            const Owned<xcb_generic_event_t> event(xcb_poll_for_event(m_connection), &std::free);
            if (!event)
                return windows;
            if ((event->response_type & 0x7f) != XCB_CLIENT_MESSAGE)
                continue;
            xcb_client_message_event_t message;
            std::memcpy(&message, event.get(), sizeof message);
            if (message.type == wanted && message.format == 32 && message.data.data32[0] == 1)
                windows << message.window;
        }
    }
    bool grab() {
        const auto cookie = xcb_grab_keyboard(
            m_connection, 0, m_root, XCB_CURRENT_TIME, XCB_GRAB_MODE_ASYNC, XCB_GRAB_MODE_ASYNC);
        const Owned<xcb_grab_keyboard_reply_t> reply(
            xcb_grab_keyboard_reply(m_connection, cookie, nullptr), &std::free);
        return reply && reply->status == XCB_GRAB_STATUS_SUCCESS;
    }

private:
    uint32_t atom(const char* name) {
        const auto cookie =
            xcb_intern_atom(m_connection, 0, static_cast<uint16_t>(std::strlen(name)), name);
        const Owned<xcb_intern_atom_reply_t> reply(
            xcb_intern_atom_reply(m_connection, cookie, nullptr), &std::free);
        return reply ? reply->atom : 0;
    }
    // What was sent before has arrived.
    void sync() {
        const Owned<xcb_get_input_focus_reply_t> reply(
            xcb_get_input_focus_reply(m_connection, xcb_get_input_focus(m_connection), nullptr),
            &std::free);
    }
    xcb_connection_t* m_connection;
    xcb_window_t m_root;
};

class KeyboardGrabTest : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(QGuiApplication::platformName(), QLatin1String("xcb"));
        window.resize(200, 100);
        window.show();
        window.requestActivate();
        ASSERT_TRUE(test::waitUntil([this] { return window.isExposed(); }));
    }
    void TearDown() override { qunsetenv("WAYLAND_DISPLAY"); }
    OtherClient other;
    QWindow window;
    KeyboardGrab keyboard;
};

} // namespace

TEST_F(KeyboardGrabTest, OnPlainX11ItIsTakenWithoutAsking) {
    keyboard.take(&window);
    EXPECT_TRUE(keyboard.note().isEmpty()) << keyboard.note().toStdString();
    EXPECT_TRUE(other.asking().isEmpty());
    EXPECT_FALSE(other.grab()) << "it is ours";
    keyboard.release();
    EXPECT_TRUE(test::waitUntil([this] { return other.grab(); }));
}

TEST_F(KeyboardGrabTest, UnderXWaylandTheCompositorIsAskedAndTheNoteSaysWhatMayStay) {
    ASSERT_TRUE(qputenv("WAYLAND_DISPLAY", "wayland-0"));
    keyboard.take(&window);
    EXPECT_EQ(other.asking(), QList<uint32_t>{static_cast<uint32_t>(window.winId())});
    EXPECT_TRUE(keyboard.note().contains(QStringLiteral("Send Keys")));
    keyboard.release();
    EXPECT_TRUE(keyboard.note().isEmpty());
}

TEST_F(KeyboardGrabTest, AProgramThatHoldsItIsTold) {
    ASSERT_TRUE(other.grab());
    keyboard.take(&window);
    EXPECT_TRUE(keyboard.note().contains(QStringLiteral("Another program")))
        << keyboard.note().toStdString();
}
