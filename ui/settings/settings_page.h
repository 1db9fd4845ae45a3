// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "ui/services.h"
#include "ui/settings/machine_draft.h"

#include <QPointer>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

class QBoxLayout;
class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace vitrine::ui {

class CommandRow;
class DisksPane;
class LiveSettings;
class MessageBar;
class SettingsPane;
class SystemPane;

// Settings of one machine: panes over one draft, with Apply and Cancel. Nothing is written before
// Apply. What config.json holds is changed by a `vitrinectl set` child, which writes at once or,
// for a running machine, leaves the change with the machine's process for the next start; the rest
// goes into vitrine.json.
class SettingsPage final : public QWidget {
    Q_OBJECT
public:
    explicit SettingsPage(const Services& services, QWidget* parent = nullptr);
    ~SettingsPage() override;

    // Shows a machine. An unsaved draft of the same machine is kept.
    void showMachine(const MachineInfo& info);
    [[nodiscard]] bool hasUnsavedChanges() const;
    void selectPane(int index); // in the order of the list
    [[nodiscard]] int paneCount() const;
    static constexpr int networkPane = 4; // for selectPane()

Q_SIGNALS:
    void renamed(const QString& from, const QString& to);
    void sharingRequested(); // the Sharing page of this machine

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void makeNextPane();
    void readSidecar();
    void take(const QString& directory, const Result<Sidecar>& sidecar); // what was read
    void install(Feature feature);
    void fill();
    void updateBar();
    void placeBar();
    [[nodiscard]] QWidget* barOf();
    void apply();
    void applied();
    void cancel();
    void forgetProblems();
    void rememberFocus(const QWidget* now);
    void restoreFocus();

    Services m_services;
    QListWidget* m_list;
    QStackedWidget* m_stack;
    QLabel* m_changes;
    QBoxLayout* m_bar = nullptr;     // what changed, and the buttons
    QBoxLayout* m_buttons = nullptr; // part of it
    MessageBar* m_message;
    QPushButton* m_cancel;
    QPushButton* m_apply;
    QPushButton* m_showCommand;
    CommandRow* m_command;
    SystemPane* m_system;
    DisksPane* m_disks;
    QList<SettingsPane*> m_panes;
    QList<std::function<void()>> m_toMake; // panes that are not there yet
    std::function<void()> m_whenMade;      // shows what was read meanwhile
    QPointer<QWidget> m_edited;            // the control of a pane that had the keyboard last
    bool m_focusIsDue = false; // the page had the keyboard when the controls were greyed
    MachineInfo m_info;
    Sidecar m_sidecar;
    bool m_ready = false; // the sidecar of m_info was read
    Draft<MachineSettings> m_draft;
    LiveSettings* m_live;
    std::unique_ptr<Job> m_job;
};

} // namespace vitrine::ui
