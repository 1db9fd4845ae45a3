// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/machines/machine_clients.h"
#include "ui/services.h"

#include <QWidget>

class QStackedWidget;
class QTabBar;

namespace vitrine::ui {

class BenchPage;
class ConsolePage;
class MachineActions;
class MachineHeader;
class MachineProblemPage;
class MessageBar;
class NetworkPage;
class OverviewPage;
class SettingsPage;
class ShareActions;
class SharingPage;
class SnapshotsPage;

// Everything about one machine: header, tabs and their pages. Pages are made when they are first
// shown.
class MachinePage final : public QWidget {
    Q_OBJECT
public:
    enum class Tab { Overview, Console, Settings, Sharing, Network, Snapshots, Benchmarks };

    MachinePage(const Services& services, MachineActions* actions, QWidget* parent = nullptr);
    ~MachinePage() override;

    // For another machine and whenever something about this one changed.
    void showMachine(const MachineInfo& info);
    void showTab(Tab tab);
    [[nodiscard]] Tab tab() const;
    [[nodiscard]] const QString& machineName() const { return m_name; }

    // A message above the pages, kept for the machine it belongs to until dismissed.
    MessageBar* message() const { return m_message; }
    void tellStarting();
    void tellStartFailure(const StartFailure& failure);
    [[nodiscard]] bool hasUnsavedChanges() const;

    [[nodiscard]] OverviewPage* overview();
    [[nodiscard]] ConsolePage* console();
    [[nodiscard]] SettingsPage* settings();
    [[nodiscard]] SharingPage* sharing();
    [[nodiscard]] ShareActions* shareActions() const { return m_shareActions; }
    [[nodiscard]] NetworkPage* network();
    [[nodiscard]] SnapshotsPage* snapshots();
    [[nodiscard]] BenchPage* benchmarks();
    [[nodiscard]] MachineProblemPage* problem();
    [[nodiscard]] bool isProblemShown() const;

Q_SIGNALS:
    void startRequested();
    void resumeRequested();
    void deleteRequested();
    void showFolderRequested();
    void stopRequested(); // a machine that does not answer
    void showLogRequested(const QString& path);
    void renamed(const QString& from, const QString& to);
    void machineMade(const QString& name);
    void discardStateRequested();
    void tabChanged();
    void pathsDropped(const vitrine::MachineInfo& machine, const QStringList& paths, bool writable);

private:
    [[nodiscard]] ConsolePage* makeConsole();
    void showCurrentPage();
    void updateCurrentPage();
    void placeFailure();

    Services m_services;
    QString m_name;
    MachineInfo m_info;
    MachineHeader* m_header;
    MessageBar* m_message;
    std::optional<StartFailure> m_failure; // of the last start, until dismissed or started anew
    QString m_failureText;                 // as the message tells it
    QTabBar* m_tabs;
    QWidget* m_tabArea;
    QStackedWidget* m_stack;
    OverviewPage* m_overview = nullptr;
    ConsolePage* m_console = nullptr;
    SettingsPage* m_settings = nullptr;
    ShareActions* m_shareActions;
    SharingPage* m_sharing = nullptr;
    NetworkPage* m_network = nullptr;
    SnapshotsPage* m_snapshots = nullptr;
    BenchPage* m_benchmarks = nullptr;
    MachineProblemPage* m_problem = nullptr;
};

} // namespace vitrine::ui
