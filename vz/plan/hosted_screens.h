// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

namespace vitrine::vz {

class Machine;

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

Q_SIGNALS:
    void shown(const QString& name); // machine() is there now
    // machine() still exists, and answers null from here on: views let go of it before this returns
    void gone(const QString& name);
    void pausedChanged(const QString& name, bool paused);
    void displayReconfigured(const QString& name); // MachineEvents: the guest has another size
};

} // namespace vitrine::vz
