// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"

#include <QObject>

class QAction;
class QMainWindow;
class QMenu;

namespace vitrine::ui {

class MachineActions;

// The menu bar and the actions that belong to no machine.
class WindowMenus final : public QObject {
    Q_OBJECT
public:
    // `endsMachines`: those of the program's own process, with it.
    WindowMenus(QMainWindow* window, const MachineActions* machine, bool endsMachines);

    QAction* newFromFile;     // a disc, disk image or restore image
    QAction* newFromImage;    // a cached image
    QAction* newFromRegistry; // pull and make a machine
    QAction* newCopy;         // of a machine
    QAction* pull;
    QAction* openLibrary;
    QAction* refresh;
    QAction* close;
    QAction* quit;
    QAction* find;
    QAction* focusList;
    QAction* transfers;
    QAction* benchmarks; // of no machine
    QAction* kernelRuns;
    QAction* fullScreen;  // of the console
    QAction* savePicture; // of the console
    QAction* copyPicture; // of the console
    QAction* checkComputer;
    QAction* shortcuts;
    QAction* about;

    QMenu* newMenu;
    QMenu* sendKeysMenu; // filled by the window
    QMenu* appearanceMenu;
    // Verbs for the side list's context menu and the tool bar's "more".
    [[nodiscard]] QMenu* makeVerbMenu(bool isImage, QWidget* parent) const;

Q_SIGNALS:
    void appearanceChosen(SchemeChoice choice);

private:
    QAction*
    make(const QString& text, QStringView icon, const QKeySequence& shortcut, const QString& what);
    void makeActions();
    QMenu* makeAppearanceMenu(QWidget* parent);
    void addVerbs(QMenu* menu, bool isImage) const;
    QMainWindow* m_window;
    const MachineActions* m_machine;
};

} // namespace vitrine::ui
