// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/launch_plan.h"

#include <QJsonObject>
#include <QObject>

namespace vitrine::qemu {

class QmpClient;

// The two doors for other programs: the VNC server on the loopback (contract 5: a generated
// password of eight characters, the protocol's most) and the pseudo-terminal of the serial line.
// Where they are is known only once QEMU runs. Main thread; the client must outlive this.
class Viewers final : public QObject {
    Q_OBJECT
public:
    Viewers(QmpClient* qmp, const LaunchPlan& plan, QObject* parent = nullptr);

    void start(); // QMP is ready; once

    // What "viewers" of the control socket answers.
    [[nodiscard]] const QJsonObject& state() const { return m_state; }
    // Eight letters and digits that nobody mistakes for others, from the system's generator.
    [[nodiscard]] static QString newPassword();

Q_SIGNALS:
    void opened(const QString& line); // to be printed: a URL or the name of a terminal
    void failed(const QString& reason);
    void changed();

private:
    void setPassword();
    void findPort(const QString& password);
    void findTerminal();

    QmpClient* m_qmp;
    bool m_vnc;
    bool m_terminal;
    QJsonObject m_state;
};

} // namespace vitrine::qemu
