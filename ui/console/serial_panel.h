// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/serial_client.h"
#include "core/terminal/terminal_surface.h"

#include <QWidget>

namespace vitrine::ui {

class TerminalView;

// A machine's serial line as a terminal: surface, view and connection. What was said stays when the
// machine ends, until another machine is shown. Window thread only.
class SerialPanel final : public QWidget {
    Q_OBJECT
public:
    explicit SerialPanel(QWidget* parent = nullptr);

    void setMachineName(const QString& name); // for assistive technology
    // console.sock of a running machine, or empty. While the panel is hidden nothing is fetched.
    void setSocket(const QString& path);
    void forget(); // another machine

    [[nodiscard]] bool isConnected() const { return m_client.isConnected(); }
    [[nodiscard]] bool hasContent() const { return m_hasContent; }
    [[nodiscard]] TerminalView* view() const { return m_view; }
    [[nodiscard]] const TerminalSurface& surface() const { return m_surface; }
    [[nodiscard]] QString sizeText() const; // "120 × 36 characters"

Q_SIGNALS:
    void changed(); // connection, content for the first time, or size
    void keyboardTaken(bool taken);
    void inputLost(); // the guest does not read its line, so what was typed was left out

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void applyConnection();

    TerminalSurface m_surface;
    SerialClient m_client;
    TerminalView* m_view;
    QString m_socket;
    bool m_seen = false;
    bool m_hasContent = false;
};

} // namespace vitrine::ui
