// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/machines/machine_abilities.h"

#include <QAction>
#include <QList>
#include <QObject>

namespace vitrine::ui {

// Every action on the selected machine or image: shared by tool bar, menus and the context menu, so
// that they agree on what can be done and why not. A greyed action says why in its tool tip and
// status tip.
class MachineActions final : public QObject {
    Q_OBJECT
public:
    explicit MachineActions(QWidget* window);

    QAction* start; // "Resume" while the machine is suspended
    QAction* startAndShow;
    QAction* startRecovery; // of macOS guests
    QAction* pause;         // "Resume" while the machine is paused
    QAction* suspend;
    QAction* discardState;
    QAction* shutDown;
    QAction* forceOff;
    QAction* clone; // "Make a Machine…" for an image
    QAction* rename;
    QAction* remove;
    QAction* openTerminal;
    QAction* copyAddress;
    QAction* copySignIn;
    QAction* copyCommand;
    QAction* showFolder;
    QAction* showLog;
    QAction* overview;
    QAction* console;
    QAction* settings;
    QAction* sharing;
    QAction* network;
    QAction* snapshots;
    QAction* benchmarks;

    // Nothing is selected when `info` is null.
    void update(const MachineInfo* info, const MachineStatus* status, const HypervisorInfo* host);
    [[nodiscard]] bool pauseResumes() const { return m_resumes; }
    // All of them, for adding to the window so that shortcuts work everywhere.
    [[nodiscard]] QList<QAction*> all() const;

private:
    QAction*
    make(const QString& text, QStringView icon, const QKeySequence& shortcut, const QString& what);
    bool m_resumes = false;
    QWidget* m_window;
};

} // namespace vitrine::ui
