// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QObject>
#include <QString>

#include <functional>

namespace vitrine::vz {

class Machine;

// What a view shows of a machine.
struct ScreenPicture {
    QByteArray png; // a whole file
    int width = 0;  // pixels
    int height = 0;
};
using ScreenTaken = std::function<void(const Result<ScreenPicture>&)>;
// Answers once, now or from the event loop. Busy while no view shows the machine.
using TakeScreen = std::function<void(ScreenTaken)>;

// Why there is no picture of a machine that no view shows; translated, with the remedy.
[[nodiscard]] inline Error whyNotShown() {
    return {Error::Kind::Busy,
            Tr::tr("macOS has a picture of a machine's screen only while it is shown. Open the "
                   "console of the machine in Vitrine's window, then try again."),
            {}};
}

// Screens of the machines that run in this process, for the views of them. Main thread only.
class HostedScreens : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    // Null unless it is hosted here and has a screen. Not owned; valid until gone() was told.
    [[nodiscard]] virtual Machine* machine(const QString& name) const = 0;
    [[nodiscard]] virtual bool isPaused(const QString& name) const = 0; // or about to be suspended
    // Option of this run: keys that macOS keeps otherwise go to the guest (--capture-system-keys).
    [[nodiscard]] virtual bool capturesSystemKeys(const QString& name) const = 0;
    // Who makes pictures of that screen, until `owner` is gone. Of several the last one is asked.
    virtual void setPictures(const QString& name, QObject* owner, TakeScreen take) = 0;

Q_SIGNALS:
    void shown(const QString& name); // machine() is there now
    // machine() still exists, and answers null from here on: views let go of it before this returns
    void gone(const QString& name);
    void pausedChanged(const QString& name, bool paused);
    void displayReconfigured(const QString& name); // MachineEvents: the guest has another size
};

} // namespace vitrine::vz
