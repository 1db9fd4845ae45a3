// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_client.h"

#include <QTimer>
#include <QWidget>

class QAction;
class QToolButton;

namespace vitrine::ui {

class CopyButton;
class ElidedLabel;
class GlyphLabel;
class TextLabel;

// Above the tabs: name, state by shape and word, for how long, address and ssh.
class MachineHeader final : public QWidget {
    Q_OBJECT
public:
    explicit MachineHeader(QAction* openTerminal, QWidget* parent = nullptr);
    // `status` is null while the machine's process is not connected.
    void showMachine(const MachineInfo& info, const MachineStatus* status);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateDuration();
    void fit();
    ElidedLabel* m_name;
    GlyphLabel* m_glyph;
    TextLabel* m_state;
    TextLabel* m_duration;
    TextLabel* m_address;
    CopyButton* m_copy;
    QToolButton* m_terminal;
    bool m_running = false; // not paused and not on its way off
    QDateTime m_since;
    QTimer m_clock{this};
};

} // namespace vitrine::ui
