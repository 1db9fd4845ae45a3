// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"
#include "running_guest.h"

#include <QObject>
#include <QStringList>

#include <memory>

namespace vitrine::test {

// A viewer of a running guest: sees its screen and types on its keyboard through the same display
// client as the console page.
class GuestScreen final {
public:
    explicit GuestScreen(RunningGuest& guest);

    bool waitUntilConnected(); // and the first frame is there
    [[nodiscard]] Display& display() { return *m_display; }

    // What the guest's kernel says stands on its first text console, a line each, with the number
    // of columns; read through the guest agent.
    struct Text {
        QStringList lines;
        int columns = 0;
        QPoint cursor; // column, line
        [[nodiscard]] bool contains(const QString& part) const;
    };
    [[nodiscard]] Text text();
    bool waitUntilTextContains(const QString& part);
    // True when every cell of the picture is lit exactly where the text has a character.
    bool waitUntilPictureShows(const Text& text);

    // Types on a US keyboard, no faster than the guest echoes it, and then Return.
    void type(const QString& line);
    // At most eight characters that are not echoed; '\n' is Return.
    void typeHidden(const QString& characters);

private:
    [[nodiscard]] bool shows(const Text& text) const;
    void press(char character);

    RunningGuest& m_guest;
    std::unique_ptr<Display> m_display;
};

} // namespace vitrine::test
