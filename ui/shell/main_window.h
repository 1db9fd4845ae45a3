// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/library/side_list.h"
#include "ui/machines/machine_clients.h"
#include "ui/services.h"
#include "ui/shell/ending_machines.h"
#include "ui/shell/machine_page.h"
#include "ui/shell/question.h"
#include "ui/shell/quit_question.h"

#include <QHash>
#include <QMainWindow>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <optional>

class QLineEdit;
class QSplitter;

namespace vitrine::ui {

class BenchPage;
class DroppedWork;
class EmptyLibraryPage;
class ImagePage;
class KernelPage;
class LibraryPanel;
class MachineActions;
class MachineVerbs;
class MessageBar;
class TransferStrip;
class TransfersPage;
class WindowMenus;

// The window. Closing it leaves machines running; quitting asks when machines run. Where this
// process hosts machines, closing hides it and the program goes on.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(const Services& services, QWidget* parent = nullptr);
    ~MainWindow() override;

    // Sizes of the window and of the side list as they were left.
    void restoreSizes();

    void showMachine(const QString& name, MachinePage::Tab tab);
    // As soon as the library has such a machine.
    void showMachineWhenKnown(const QString& name, MachinePage::Tab tab);
    void tellStarting(const QString& name); // it was asked for elsewhere
    void showAgain();                       // hidden or minimised before; in front
    void showTransfers();
    void showBenchmarks(); // of no machine
    void showKernelRuns();
    // `thenMachine`: "Then make a machine" is ticked.
    void
    showPullDialog(const QString& reference = {}, bool insecure = false, bool thenMachine = false);
    // "overview" and the other tabs, "transfers", "all-benchmarks", "kernel-runs", "empty" or
    // "image"; false for another word.
    bool showPage(const QString& word);
    void requestQuit();
    // The session ends. With `mayAsk` the person is asked as by requestQuit() and false is the
    // answer while machines run here; else they are suspended or shut down, which is waited for
    // (events go on) at most `patience` ms, and the answer is whether all have ended.
    bool sessionEnds(bool mayAsk, int patience = 30000);

    [[nodiscard]] SideList* sideList() const;
    [[nodiscard]] MachineActions* actions() const { return m_actions; }
    [[nodiscard]] MachinePage* machinePage() const { return m_machinePage; }
    [[nodiscard]] QLineEdit* searchField() const { return m_search; }
    [[nodiscard]] QWidget* currentPage() const;
    [[nodiscard]] Question* quitQuestion() const { return m_quitQuestion; }
    [[nodiscard]] EmptyLibraryPage* emptyPage() const { return m_empty; }
    [[nodiscard]] BenchPage* benchmarksPage() const { return m_benchmarks; }
    [[nodiscard]] KernelPage* kernelPage() const { return m_kernelRuns; }

Q_SIGNALS:
    void openLibraryRequested(const QString& folder);
    void quitRequested(); // every question is answered

protected:
    void closeEvent(QCloseEvent* event) override;
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] QWidget* buildToolBar();
    void connectActions();
    void connectServices();
    void libraryChanged();
    void entrySelected(const QString& name, bool isImage);
    void updateSelected();
    void updateVerbs();
    void showOnly(QWidget* page);
    void startSelected(bool showConsole, StartMode mode = StartMode::Ordinary);
    // Opens the next question that must be answered before the window goes; false when none is
    // left.
    bool askBeforeClosing();
    void endBeforeQuit(const QStringList& names, bool suspend);
    [[nodiscard]] QList<HostedMachine> hostedMachines() const;
    // False when nothing is hosted.
    bool askAboutHosted();
    void endHosted(EndingMachines::Wish wish);
    void showEnding();
    void machineEndedBeforeQuit(const QString& name);
    void chooseLibrary();
    void openLibraryAt(const QString& folder);
    void tell(const QString& machine, const std::function<void(MessageBar* message)>& show);
    void contextMenu(const QPoint& position);
    [[nodiscard]] const MachineInfo* selected() const;
    [[nodiscard]] static QString selectedKey(); // of the settings
    [[nodiscard]] TransfersPage* transfersPage();
    [[nodiscard]] bool isOfLibrary(const QWidget* page) const; // of no machine and no image

    Services m_services;
    MachineActions* m_actions;
    MachineVerbs* m_verbs;
    WindowMenus* m_menus;
    QLineEdit* m_search = nullptr;
    QList<QWidget*> m_verbButtons; // of the tool bar, hidden on pages that belong to no machine
    QSplitter* m_splitter;
    LibraryPanel* m_panel;
    QStackedWidget* m_pages;
    QWidget* m_loadingPage;
    EmptyLibraryPage* m_empty = nullptr;
    MachinePage* m_machinePage;
    DroppedWork* m_dropped;
    ImagePage* m_imagePage = nullptr;
    TransfersPage* m_transfers = nullptr;
    BenchPage* m_benchmarks = nullptr;
    KernelPage* m_kernelRuns = nullptr;
    MessageBar* m_libraryMessage;
    bool m_libraryFailed = false; // the message says that it cannot be read
    TransferStrip* m_strip;
    std::optional<SideList::Entry> m_entry; // what the pages show
    std::optional<std::pair<QString, MachinePage::Tab>> m_awaited;
    // Messages of machines that are not shown now, told when they are.
    QHash<QString, std::function<void(MessageBar*)>> m_messages;
    QPointer<Question> m_quitQuestion;
    QStringList m_quitWaitsFor;
    QPointer<EndingMachines> m_ending; // hosted ones, before the program quits
    // Answers given while closing; forgotten when one of them is Cancel.
    struct Closing {
        bool quitting = false; // all of it, not just the window: running machines are asked about
        bool discardChanges = false;
        bool stopTransfers = false;
        bool stopKernelRun = false;
        bool leaveMachines = false;
        bool knowsMachinesRun = false; // told that closing leaves them running
        bool doNotTellAgain = false;
    };
    Closing m_closing;
};

} // namespace vitrine::ui
