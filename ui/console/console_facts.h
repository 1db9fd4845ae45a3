// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"

#include <QDateTime>
#include <QString>

namespace vitrine {
class MachineClient;
}

namespace vitrine::ui {

// What the console page has to know of a machine, gathered from the library and, where it answers,
// from the machine's own process.
struct ConsoleFacts {
    QString name;      // empty: no machine is chosen
    QString directory; // tells machines apart
    MachineState state = MachineState::Stopped;
    QString socket;                 // of the display; empty while it is unknown
    QString serialSocket;           // serial_client.h; empty while it is unknown
    QDateTime startedAt;            // invalid when unknown
    QString reason;                 // translated: why it is broken or why the last start failed
    qint64 holderPid = 0;           // of a machine that runs elsewhere
    bool answers = false;           // the machine's process does
    bool responding = true;         // the process and QEMU have done so lately
    Refit refit = Refit::Automatic; // wish of the settings
    bool followsWindow = false;     // what that means for this guest
    // Where the screen of a running machine is to be had: by its socket, from this process, which
    // hosts it, or only where it was started, because screens cannot leave a process here.
    enum class Screen { Socket, Hosted, Elsewhere };
    Screen screen = Screen::Socket;

    // Has a screen that can be looked at.
    [[nodiscard]] bool runs() const {
        return state == MachineState::Running || state == MachineState::Paused ||
               state == MachineState::ShuttingDown;
    }
    friend bool operator==(const ConsoleFacts&, const ConsoleFacts&) = default;
};

// `client` may be null.
[[nodiscard]] ConsoleFacts consoleFacts(const MachineInfo& info, const MachineClient* client);

// The words in the place of the screen.
struct ConsoleWords {
    QString icon; // of themeIcon()
    QString title;
    QString text;
    QString action; // empty: no button
};
// `failure`: why the last start failed or the screen cannot be reached; may be empty. `seconds`:
// how long it has been starting or connecting.
[[nodiscard]] ConsoleWords
consoleWords(const ConsoleFacts& facts, const QString& failure, qint64 seconds);

} // namespace vitrine::ui
