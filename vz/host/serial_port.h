// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/machine/start_options.h"
#include "core/result/result.h"
#include "core/run/serial_hub.h"
#include "vz/plan/machine_plan.h"

#include <QString>

#include <memory>

namespace vitrine::vz {

// Where the serial line of a machine leads: to the viewers of the window's console, to a new
// terminal of this computer, or to a device. Has the descriptors that the framework is given. Main
// thread.
class SerialPort final {
public:
    // `viewers`: socket for viewers, who are told where the line leads if it is not to them.
    [[nodiscard]] static Result<std::unique_ptr<SerialPort>> open(const SerialLine& line,
                                                                  const QString& viewers);

    [[nodiscard]] SerialPlan plan() const { return {m_guest.get(), m_guest.get()}; }
    [[nodiscard]] const QString& terminal() const { return m_terminal; } // its path; else empty
    [[nodiscard]] const QString& viewerSocket() const { return m_hub.viewerSocket(); }

private:
    explicit SerialPort(const QString& viewers)
        : m_hub({}, viewers) {}
    Result<> openPair();
    Result<> openTerminal();
    Result<> openDevice(const QString& path);
    FileDescriptor m_guest;
    FileDescriptor m_open; // keeps a terminal alive while nobody has it open
    QString m_terminal;
    SerialHub m_hub;
};

} // namespace vitrine::vz
