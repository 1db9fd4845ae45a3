// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/library/machine_operations.h"
#include "core/machine/display_scale.h"
#include "core/machine/mac_options.h"
#include "core/machine/run_options.h"

#include <QString>
#include <QStringList>

namespace vitrine::ui {

// A value being edited: dirty is "differs", cancelling is forgetting.
template <class T>
class Draft {
public:
    explicit Draft(T saved = {})
        : m_saved(std::move(saved))
        , m_edited(m_saved) {}
    [[nodiscard]] const T& saved() const { return m_saved; }
    [[nodiscard]] const T& value() const { return m_edited; }
    [[nodiscard]] T& edit() { return m_edited; }
    [[nodiscard]] bool isDirty() const { return !(m_saved == m_edited); }
    void revert() { m_edited = m_saved; }

private:
    T m_saved;
    T m_edited;
};

// Everything the settings panes edit.
struct MachineSettings {
    QString name;
    QString notes;
    int cpuCount = 1;
    ByteCount memory;
    DisplaySize display;
    Refit refit = Refit::Automatic;
    DisplayScale displayScale = automaticDisplayScale;
    MacAddress macAddress;
    ByteCount diskSize;
    bool growPartition = true; // the guest's last one too; false only with another diskSize
    RunOptions run;

    friend bool operator==(const MachineSettings&, const MachineSettings&) = default;
};

// From a listing and the sidecar; changes that wait for the machine to stop are shown as made.
[[nodiscard]] MachineSettings settingsOf(const MachineInfo& info, const Sidecar& sidecar);

// What a change meets. A suspended machine keeps its hardware and goes on with the run options that
// it was run with; others count after its end.
enum class MachinePhase { Off, Running, Suspended };
[[nodiscard]] MachinePhase phaseOf(const MachineInfo& info);

// Changes one by one, as people count them, and when each counts.
struct SettingsChange {
    enum class Effect { Now, NextStart };
    QString what; // translated: "Memory"
    Effect effect = Effect::Now;
};
// A running machine takes the rules at once: it has the firewall and keeps it.
[[nodiscard]] bool rulesReload(const NetworkOptions& saved, const NetworkOptions& edited);
[[nodiscard]] QList<SettingsChange>
changesBetween(const MachineSettings& saved, const MachineSettings& edited, MachinePhase phase);

// The line that does the same as the draft (contract 2): `vitrinectl set` for what is changed of
// config.json and of the window, and the complete `vitrinectl run`.
[[nodiscard]] QString commandLineOf(const MachineSettings& saved, const MachineSettings& edited);

// `wanted` with the port that "any" became, as far as `live`, the ports that lead into the running
// machine, tells; in the same order.
[[nodiscard]] QList<PortForward> portsInUse(QList<PortForward> wanted, QList<PortForward> live);

// Arguments of `vitrinectl forward` that change a running machine's forwards: the verb and the
// ports; one list for each call. A port that "any" became is removed when `live` tells it.
[[nodiscard]] QList<QStringList> forwardChanges(const QList<PortForward>& saved,
                                                const QList<PortForward>& edited,
                                                const QList<PortForward>& live = {});

// Arguments of `vitrinectl set NAME …` that do the part of the change that is no run option; empty
// when none.
[[nodiscard]] QStringList setArguments(const MachineSettings& saved, const MachineSettings& edited);

// The first thing that is wrong with the values, translated; empty when they are valid.
[[nodiscard]] QString
problemWith(const MachineInfo& info, const MachineSettings& saved, const MachineSettings& edited);

} // namespace vitrine::ui
