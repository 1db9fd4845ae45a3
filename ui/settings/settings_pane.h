// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "ui/settings/settings_form.h"

namespace vitrine::ui {

// What a pane shows and edits. The draft belongs to the page.
struct PaneContext {
    const MachineInfo& info;
    Draft<MachineSettings>& draft;
    const Sidecar& sidecar;
    bool running = false;                 // a change to config.json waits for the next start
    const HypervisorInfo* host = nullptr; // null while it is being found out
};

class SettingsPane : public SettingsForm {
    Q_OBJECT
public:
    using SettingsForm::SettingsForm;
    // Fills the controls; emits nothing.
    virtual void display(const PaneContext& context) = 0;

Q_SIGNALS:
    void edited(); // the draft was changed

protected:
    // Runs the edit on the draft of the machine shown last and tells the page.
    void edit(const std::function<void(MachineSettings&)>& change) {
        if (m_filling || !m_draft)
            return;
        change(m_draft->edit());
        Q_EMIT edited();
    }
    void begin(const PaneContext& context) {
        m_draft = &context.draft;
        m_filling = true;
    }
    void end() { m_filling = false; }

private:
    Draft<MachineSettings>* m_draft = nullptr;
    bool m_filling = false;
};

} // namespace vitrine::ui
