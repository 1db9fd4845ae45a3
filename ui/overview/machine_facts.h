// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_client.h"
#include "core/machine/sidecar.h"
#include "ui/widgets/form.h"

namespace vitrine::ui {

class CopyButton;
class ElidedLabel;

// The column of facts on the overview: only what is really known.
class MachineFacts final : public QWidget {
    Q_OBJECT
public:
    explicit MachineFacts(QWidget* parent = nullptr);
    // `status` is null while the machine does not run.
    void showMachine(const MachineInfo& info, const MachineStatus* status, const Sidecar& sidecar);

    // Where other programs see the screen: "vnc://127.0.0.1:5901" and the same with its password,
    // which is only copied; both empty: nowhere.
    void showViewer(const QString& address, const QString& url);

private:
    void showNetwork(const MachineStatus* status, NetworkMode stored);

    Form* m_form;
    TextLabel* m_system;
    TextLabel* m_processor;
    TextLabel* m_memory;
    TextLabel* m_disk;
    TextLabel* m_display;
    TextLabel* m_network;
    TextLabel* m_waiting;
    TextLabel* m_signIn;
    CopyButton* m_copySignIn;
    TextLabel* m_viewer;
    CopyButton* m_copyViewer;
    ElidedLabel* m_image;
    Form::Row m_systemRow;
    Form::Row m_diskRow;
    Form::Row m_waitingRow;
    Form::Row m_networkRow;
    Form::Row m_signInRow;
    Form::Row m_viewerRow;
    Form::Row m_imageRow;
};

// What waits for the next start, one text for each: "Processors: 2 → 4". What this version does not
// know is left out.
[[nodiscard]] QStringList waitingTexts(const QList<PendingChange>& pending);

// The line that opens a shell in the guest over its forwarded port; empty without one.
[[nodiscard]] QString sshLine(const MachineStatus* status);

} // namespace vitrine::ui
