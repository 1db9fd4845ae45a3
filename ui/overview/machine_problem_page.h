// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/overview/page_frame.h"
#include "ui/services.h"

class QLabel;
class QPushButton;

namespace vitrine::ui {

class Form;
class ElidedLabel;
class GlyphLabel;
class TextLabel;

// Instead of the tabs for a machine that cannot be worked here: broken, run by another program, or
// a guest this computer cannot run. Says what, why and what can be done.
class MachineProblemPage final : public PageFrame {
    Q_OBJECT
public:
    explicit MachineProblemPage(const Services& services, QWidget* parent = nullptr);

    // True when this page is the right one for the machine.
    [[nodiscard]] static bool isFor(const MachineInfo& info, const HypervisorInfo* host);
    void showMachine(const MachineInfo& info);
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString reason() const;

Q_SIGNALS:
    void showFolderRequested();
    void deleteRequested();
    void readAgainRequested();
    void stopRequested();

private:
    Services m_services;
    GlyphLabel* m_glyph;
    TextLabel* m_title;
    TextLabel* m_reason;
    TextLabel* m_remedy;
    QPushButton* m_again;
    QPushButton* m_folder;
    QPushButton* m_stop;
    QPushButton* m_delete;
    Form* m_facts;
    TextLabel* m_system;
    TextLabel* m_disk;
    ElidedLabel* m_path;
};

} // namespace vitrine::ui
