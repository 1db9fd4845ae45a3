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
    QList<PortForward> liveForwards;      // of the running machine, as far as they are known
    bool hosted = false; // machines run in this process, with the system's own views of them

    // When a change to what vitrine.json holds counts.
    [[nodiscard]] SettingsChange::Effect runEffect() const {
        return phaseOf(info) == MachinePhase::Off ? SettingsChange::Effect::Now
                                                  : SettingsChange::Effect::NextStart;
    }
    // The same for what a running machine takes at once.
    [[nodiscard]] SettingsChange::Effect liveEffect() const {
        return running ? SettingsChange::Effect::Now : runEffect();
    }
    // Why this computer cannot do it; empty when it can, and while that is being found out.
    [[nodiscard]] QString whyNot(Feature feature) const {
        const FeatureStatus status = host ? host->status(feature) : FeatureStatus{true, {}};
        return status.available ? QString() : status.reason;
    }
    [[nodiscard]] bool isMac() const { // the guest
        return info.config && info.config->system == GuestSystem::Darwin;
    }
    // Why the hardware of config.json stays as it is; empty when it can be changed.
    [[nodiscard]] QString fixedHardware() const {
        return phaseOf(info) == MachinePhase::Suspended
                   ? Tr::tr("The machine is suspended, and its saved state fits no other hardware. "
                            "Resume it and shut it down first.")
                   : QString();
    }
};

class SettingsPane : public SettingsForm {
    Q_OBJECT
public:
    using SettingsForm::SettingsForm;
    // Fills the controls; emits nothing.
    virtual void display(const PaneContext& context) = 0;
    // What stands in a control and cannot be taken into the draft, translated; else empty.
    [[nodiscard]] virtual QString problem() const { return {}; }
    virtual void forgetProblem() {} // the next display() shows the draft's value again

Q_SIGNALS:
    void edited(); // the draft was changed, or problem()
    void failed(const vitrine::Error& error);

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
