// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/main_window.h"

#include "ui/bench/bench_page.h"
#include "ui/kernel/kernel_page.h"
#include "ui/library/library_panel.h"
#include "ui/library/side_list_model.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/machines/thumbnails.h"
#include "ui/overview/empty_library_page.h"
#include "ui/overview/image_page.h"
#include "ui/pull/pull_dialog.h"
#include "ui/pull/pull_job.h"
#include "ui/sharing/dropped_work.h"
#include "ui/shell/action_reason.h"
#include "ui/shell/application_events.h"
#include "ui/shell/creation_drop.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/machine_verbs.h"
#include "ui/shell/question.h"
#include "ui/shell/transfer_strip.h"
#include "ui/shell/trash_notice.h"
#include "ui/shell/window_menus.h"
#include "ui/theme/theme.h"
#include "ui/transfers/transfers_page.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/message_bar.h"

#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusTipEvent>
#include <QVBoxLayout>

#include <utility>

namespace vitrine::ui {

namespace {

constexpr QSize firstSize(1280, 800);
constexpr QSize smallestSize(760, 480);

} // namespace

QString MainWindow::selectedKey() {
    return QStringLiteral("window/selected");
}

MainWindow::MainWindow(const Services& services, QWidget* parent)
    : QMainWindow(parent)
    , m_services(services)
    , m_actions(new MachineActions(this))
    , m_verbs(new MachineVerbs(services, this))
    , m_menus(new WindowMenus(this, m_actions, services.machineHost != nullptr))
    , m_splitter(new QSplitter(Qt::Horizontal, this))
    , m_panel(new LibraryPanel(services, services.thumbnails, this))
    , m_pages(new QStackedWidget(this))
    , m_loadingPage(new QWidget(this))
    , m_machinePage(new MachinePage(services, m_actions, this))
    , m_dropped(new DroppedWork(services, m_machinePage->shareActions(), this))
    , m_libraryMessage(new MessageBar(this))
    , m_strip(new TransferStrip(services, this)) {
    setWindowTitle(tr("Vitrine"));
    setMinimumSize(smallestSize);
    resize(firstSize);

    m_loadingPage->setBackgroundRole(QPalette::Base);
    m_loadingPage->setAutoFillBackground(true);
    m_pages->addWidget(m_loadingPage);
    m_pages->addWidget(m_machinePage);
    m_splitter->addWidget(m_panel);
    m_splitter->addWidget(m_pages);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setStretchFactor(0, 0);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({spacing::sideListWidth, firstSize.width() - spacing::sideListWidth});
    auto* central = new QWidget(this);
    auto* layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildToolBar());
    layout->addWidget(new Hairline(Qt::Horizontal, central));
    layout->addWidget(m_libraryMessage);
    layout->addWidget(m_splitter, 1);
    layout->addWidget(new Hairline(Qt::Horizontal, central));
    layout->addWidget(m_strip);
    setCentralWidget(central);

    connectActions();
    connectServices();
    if (services.machineHost != nullptr) {
        auto* told = new ApplicationEvents(this);
        connect(told, &ApplicationEvents::quitAsked, this, &MainWindow::requestQuit);
        connect(told, &ApplicationEvents::activated, this, [this] {
            if (isHidden())
                showAgain();
        });
    }
    updateVerbs();
    if (m_services.library->isLoaded())
        libraryChanged();
}

MainWindow::~MainWindow() {
    // Pages save what is typed; nothing may call back into a window that goes.
    m_services.clients->disconnect(this);
    m_services.library->disconnect(this);
    m_services.jobs->disconnect(this);
}

SideList* MainWindow::sideList() const {
    return m_panel->list();
}

QWidget* MainWindow::currentPage() const {
    return m_pages->currentWidget();
}

const MachineInfo* MainWindow::selected() const {
    if (!m_entry)
        return nullptr;
    // Machines and images may bear the same name; machines come first.
    for (int row = m_services.library->rowOf(m_entry->name);
         row >= 0 && row < m_services.library->rowCount();
         ++row) {
        const MachineInfo* info = m_services.library->infoAt(row);
        if (info->name == m_entry->name && info->isImage == m_entry->isImage)
            return info;
    }
    return nullptr;
}

TransfersPage* MainWindow::transfersPage() {
    if (m_transfers == nullptr) {
        m_transfers = new TransfersPage(m_services, this);
        m_pages->addWidget(m_transfers);
        connect(m_transfers, &TransfersPage::pullRequested, this, [this] { showPullDialog(); });
        connect(
            m_transfers, &TransfersPage::machineRequested, this, [this](const QString& reference) {
                MachineInfo image;
                image.name = reference;
                image.isImage = true;
                m_verbs->clone(image);
            });
    }
    return m_transfers;
}

void MainWindow::connectServices() {
    SideList* list = m_panel->list();
    connect(list->sideModel(), &SideListModel::synchronized, this, &MainWindow::libraryChanged);
    connect(list, &SideList::entrySelected, this, &MainWindow::entrySelected);
    connect(list, &SideList::entryActivated, this, [this](const QString& name, bool isImage) {
        entrySelected(name, isImage);
        if (!isImage && m_services.clients->status(name) != nullptr)
            m_machinePage->showTab(MachinePage::Tab::Console);
    });
    connect(list, &SideList::menuRequested, this, &MainWindow::contextMenu);
    connect(m_panel, &LibraryPanel::transfersRequested, this, &MainWindow::showTransfers);
    connect(m_panel, &LibraryPanel::benchmarksRequested, this, &MainWindow::showBenchmarks);
    connect(m_panel, &LibraryPanel::kernelRunsRequested, this, &MainWindow::showKernelRuns);
    connect(m_strip, &TransferStrip::transfersRequested, this, &MainWindow::showTransfers);
    connect(m_services.library, &LibraryModel::failed, this, [this](const Error& error) {
        m_libraryFailed = true;
        m_libraryMessage->showError(error, tr("The library cannot be read."));
        m_libraryMessage->addAction(tr("Read Again"), [this] { m_services.library->refresh(); });
    });
    connect(m_services.host, &HostReport::changed, this, &MainWindow::updateSelected);
    listInterruptedPulls(m_services, this);

    MachineClients* clients = m_services.clients;
    // The others go on ending, but the window must not go by surprise when this one ends later.
    const auto staysUp = [this](const QString& name, const QString& reason) {
        if (!m_quitWaitsFor.contains(name))
            return;
        m_quitWaitsFor.clear();
        m_closing = {};
        m_libraryMessage->showMessage(MessageBar::Kind::Warning,
                                      tr("Vitrine stays open: \"%1\" still runs.").arg(name),
                                      reason);
        m_libraryMessage->addAction(tr("Quit and Leave Running"), [this] {
            m_closing.quitting = true;
            m_closing.leaveMachines = true;
            close();
        });
    };
    connect(clients, &MachineClients::statusChanged, this, [this](const QString& name) {
        if (m_entry && name == m_entry->name)
            updateSelected();
        if (m_quitWaitsFor.contains(name) && m_services.clients->status(name) == nullptr)
            machineEndedBeforeQuit(name);
    });
    connect(clients, &MachineClients::clientChanged, this, [this](const QString& name) {
        if (m_entry && name == m_entry->name)
            updateSelected();
    });
    connect(clients,
            &MachineClients::startFailed,
            this,
            [this](const QString& name, const StartFailure& failure) {
                tell(name,
                     [this, failure](MessageBar*) { m_machinePage->tellStartFailure(failure); });
            });
    connect(clients,
            &MachineClients::actionFailed,
            this,
            [this, staysUp](const QString& name, const Error& error) {
                tell(name, [error](MessageBar* message) { message->showError(error); });
                staysUp(name, error.message);
            });
    connect(clients,
            &MachineClients::ended,
            this,
            [this](const QString& name, const QString& lastError) {
                if (lastError.isEmpty())
                    return;
                tell(name, [lastError](MessageBar* message) {
                    message->showMessage(MessageBar::Kind::Error, {}, lastError);
                });
            });
    connect(clients, &MachineClients::shutDownIgnored, this, [this, staysUp](const QString& name) {
        tell(name, [this, name](MessageBar* message) {
            message->showMessage(
                MessageBar::Kind::Warning,
                tr("\"%1\" has not shut down yet.").arg(name),
                tr("The guest was asked but does not react. It may be busy, or no program in it "
                   "listens. Wait, ask again, or cut its power."));
            message->addAction(tr("Ask Again"), [this, name, message] {
                message->clear();
                m_services.clients->shutDown(name);
            });
            message->addAction(tr("Force Off…"), [this, name] { m_verbs->forceOff(name); });
        });
        staysUp(name, tr("The guest was asked to shut down but does not react."));
    });

    connect(m_verbs,
            &MachineVerbs::failed,
            this,
            [this](const QString& name, const QString& title, const Error& error) {
                tell(name,
                     [title, error](MessageBar* message) { message->showError(error, title); });
            });
    connect(m_verbs,
            &MachineVerbs::machineTrashed,
            this,
            [this](const QString& name, const QString& directory) {
                m_libraryFailed = false;
                showTrashNotice(m_libraryMessage, name, directory, [this, name] {
                    showMachineWhenKnown(name, MachinePage::Tab::Overview);
                });
            });
    connect(m_verbs, &MachineVerbs::starting, this, &MainWindow::tellStarting);
    connect(clients,
            &MachineClients::eventHappened,
            this,
            [this](const QString& name, const QString& kind, const QString& text) {
                if (kind != QLatin1String("remark"))
                    return;
                tell(name, [text](MessageBar* message) {
                    message->showMessage(MessageBar::Kind::Info, {}, text);
                });
            });
    connect(m_verbs, &MachineVerbs::creationStarted, this, &MainWindow::showTransfers);
    connect(m_verbs, &MachineVerbs::machineMade, this, [this](const QString& name) {
        showMachineWhenKnown(name, MachinePage::Tab::Overview);
    });
    connect(
        m_verbs, &MachineVerbs::machineRenamed, this, [this](const QString&, const QString& to) {
            showMachineWhenKnown(to, m_machinePage->tab());
        });
    connect(m_machinePage, &MachinePage::renamed, this, [this](const QString&, const QString& to) {
        showMachineWhenKnown(to, m_machinePage->tab());
    });
    connect(m_machinePage, &MachinePage::startRequested, this, [this] { startSelected(false); });
    connect(m_machinePage, &MachinePage::stopRequested, this, [this] {
        m_verbs->stopDeaf(m_machinePage->machineName());
    });
    connect(m_machinePage, &MachinePage::resumeRequested, m_actions->pause, &QAction::trigger);
    connect(m_machinePage, &MachinePage::deleteRequested, m_actions->remove, &QAction::trigger);
    connect(
        m_machinePage, &MachinePage::showFolderRequested, m_actions->showFolder, &QAction::trigger);
    connect(m_machinePage, &MachinePage::tabChanged, this, &MainWindow::updateVerbs);
    connect(m_machinePage, &MachinePage::pathsDropped, m_dropped, &DroppedWork::handle);
    connect(m_dropped, &DroppedWork::told, this, &MainWindow::tell);
    // What a machine can be made of, dropped where no machine is.
    auto* drop = new PathDrop(m_pages);
    drop->setOffer(creationOffer);
    sideList()->setTakes([](const QStringList& paths) { return creationOffer(paths).accepted; });
    connect(drop, &PathDrop::dropped, this, [this](const QStringList& paths) {
        m_verbs->createFrom(paths.first());
    });
    connect(sideList(), &SideList::droppedBeside, this, [this](const QStringList& paths) {
        m_verbs->createFrom(paths.first());
    });
    connect(sideList(),
            &SideList::pathsDropped,
            this,
            [this](const QString& name, const QStringList& paths, bool writable) {
                const SideListModel* model = sideList()->sideModel();
                if (const MachineInfo* info = model->infoAt(model->indexOf(name, false)))
                    m_dropped->handle(*info, paths, writable);
            });
}

void MainWindow::libraryChanged() {
    if (!m_services.library->isLoaded())
        return;
    if (std::exchange(m_libraryFailed, false))
        m_libraryMessage->clear(); // it could be read
    SideListModel* model = m_panel->list()->sideModel();
    if (m_awaited && m_services.library->rowOf(m_awaited->first) >= 0) {
        const auto [name, tab] = *m_awaited;
        m_awaited.reset();
        showMachine(name, tab);
        return;
    }
    const bool empty = model->totalCount(SideListModel::Section::Machines) == 0 &&
                       model->totalCount(SideListModel::Section::Images) == 0;
    if (empty) {
        m_entry.reset();
        if (!isOfLibrary(currentPage())) {
            if (m_empty == nullptr) {
                m_empty = new EmptyLibraryPage(m_services, this);
                m_pages->addWidget(m_empty);
                connect(
                    m_empty, &EmptyLibraryPage::pullRequested, this, [this] { showPullDialog(); });
                connect(
                    m_empty, &EmptyLibraryPage::createRequested, m_verbs, &MachineVerbs::create);
                connect(m_empty,
                        &EmptyLibraryPage::openLibraryRequested,
                        this,
                        &MainWindow::chooseLibrary);
            }
            showOnly(m_empty);
        }
        return;
    }
    if (selected() != nullptr) {
        if (!m_panel->list()->current() && !isOfLibrary(currentPage()))
            m_panel->list()->select(*m_entry); // the search brought it back
        updateSelected();
        return;
    }
    m_entry.reset();
    if (isOfLibrary(currentPage()))
        return;
    // What was selected last, else the first machine, else the first image.
    const QString last = QSettings().value(selectedKey()).toString();
    if (!last.isEmpty() &&
        (m_panel->list()->select({last, false}) || m_panel->list()->select({last, true})))
        return;
    for (const auto section : {SideListModel::Section::Machines, SideListModel::Section::Images}) {
        const MachineInfo* first = model->infoAt(model->index(0, 0, model->sectionIndex(section)));
        if (first != nullptr && m_panel->list()->select({first->name, first->isImage}))
            return;
    }
    showOnly(m_loadingPage);
}

void MainWindow::entrySelected(const QString& name, bool isImage) {
    m_entry = SideList::Entry{name, isImage};
    updateSelected();
    if (selected() == nullptr)
        return;
    if (isImage) {
        if (m_imagePage == nullptr) {
            m_imagePage = new ImagePage(this);
            m_pages->addWidget(m_imagePage);
            connect(
                m_imagePage, &ImagePage::makeMachineRequested, m_actions->clone, &QAction::trigger);
            connect(m_imagePage, &ImagePage::deleteRequested, m_actions->remove, &QAction::trigger);
            updateSelected();
        }
        showOnly(m_imagePage);
    } else {
        showOnly(m_machinePage);
        if (const auto kept = m_messages.take(name))
            kept(m_machinePage->message());
    }
}

void MainWindow::updateSelected() {
    const MachineInfo* info = selected();
    if (info != nullptr) {
        if (info->isImage) {
            if (m_imagePage != nullptr)
                m_imagePage->showImage(*info);
        } else {
            m_machinePage->showMachine(*info);
        }
    }
    updateVerbs();
}

void MainWindow::showOnly(QWidget* page) {
    m_pages->setCurrentWidget(page);
    m_panel->setTransfersShown(page == m_transfers && m_transfers != nullptr);
    m_panel->setBenchmarksShown(page == m_benchmarks && m_benchmarks != nullptr);
    m_panel->setKernelRunsShown(page == m_kernelRuns && m_kernelRuns != nullptr);
    const bool ofEntry = page == m_machinePage || (page == m_imagePage && m_imagePage != nullptr);
    for (QWidget* verb : std::as_const(m_verbButtons))
        verb->setVisible(ofEntry);
    updateVerbs();
}

void MainWindow::updateVerbs() {
    const bool ofEntry =
        currentPage() == m_machinePage || (m_imagePage != nullptr && currentPage() == m_imagePage);
    const MachineInfo* info = ofEntry ? selected() : nullptr;
    const MachineStatus* status =
        info != nullptr && !info->isImage ? m_services.clients->status(info->name) : nullptr;
    m_actions->update(info, status, m_services.host->info());
    const bool image = info != nullptr && info->isImage;
    // Of an entry that is selected but cannot be cloned, the action says why.
    const Ability clone{m_actions->clone->isEnabled(), m_actions->clone->statusTip()};
    allow(m_menus->newFromImage,
          image ? clone : Ability{false, tr("Select an image in the list first.")});
    allow(m_menus->newCopy,
          info != nullptr && !image ? clone
                                    : Ability{false, tr("Select a machine in the list first.")});
    const Ability screen{status != nullptr,
                         info == nullptr || image
                             ? tr("Select a machine in the list first.")
                             : tr("There is no screen while the machine does not run.")};
    for (QAction* action : {m_menus->fullScreen,
                            m_menus->savePicture,
                            m_menus->copyPicture,
                            m_menus->sendKeysMenu->menuAction()})
        allow(action, screen);
}

void MainWindow::showMachine(const QString& name, MachinePage::Tab tab) {
    m_search->clear();
    if (m_panel->list()->select({name, false})) {
        entrySelected(name, false);
        m_machinePage->showTab(tab);
    }
}

void MainWindow::showMachineWhenKnown(const QString& name, MachinePage::Tab tab) {
    if (m_services.library->rowOf(name) >= 0 &&
        m_panel->list()->sideModel()->indexOf(name, false).isValid()) {
        showMachine(name, tab);
        return;
    }
    m_awaited = std::pair(name, tab);
    m_services.library->refresh();
}

void MainWindow::tellStarting(const QString& name) {
    if (m_machinePage->machineName() == name)
        m_machinePage->tellStarting();
}

void MainWindow::showTransfers() {
    m_panel->list()->clearCurrent();
    showOnly(transfersPage());
}

void MainWindow::showBenchmarks() {
    if (m_benchmarks == nullptr) {
        m_benchmarks = new BenchPage(m_services, this);
        m_pages->addWidget(m_benchmarks);
    }
    m_panel->list()->clearCurrent();
    showOnly(m_benchmarks);
}

void MainWindow::showKernelRuns() {
    if (m_kernelRuns == nullptr) {
        m_kernelRuns = new KernelPage(this);
        m_pages->addWidget(m_kernelRuns);
    }
    m_panel->list()->clearCurrent();
    showOnly(m_kernelRuns);
}

bool MainWindow::isOfLibrary(const QWidget* page) const {
    return page != nullptr && (page == m_transfers || page == m_benchmarks || page == m_kernelRuns);
}

void MainWindow::showPullDialog(const QString& reference, bool insecure, bool thenMachine) {
    auto* dialog = new PullDialog(m_services, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    if (!reference.isEmpty())
        dialog->setReference(reference);
    if (insecure)
        dialog->setInsecure(true);
    if (thenMachine)
        dialog->wantMachine();
    connect(dialog, &PullDialog::pullStarted, this, &MainWindow::showTransfers);
    dialog->open();
}

bool MainWindow::showPage(const QString& word) {
    if (word == QLatin1String("transfers")) {
        showTransfers();
        return true;
    }
    if (word == QLatin1String("all-benchmarks")) {
        showBenchmarks();
        return true;
    }
    if (word == QLatin1String("kernel-runs")) {
        showKernelRuns();
        return true;
    }
    if (word == QLatin1String("pull")) {
        showPullDialog();
        return true;
    }
    if (word == QLatin1String("create")) {
        m_verbs->create();
        return true;
    }
    if (word == QLatin1String("image")) {
        const SideListModel* model = m_panel->list()->sideModel();
        const MachineInfo* first =
            model->infoAt(model->index(0, 0, model->sectionIndex(SideListModel::Section::Images)));
        return first != nullptr && m_panel->list()->select({first->name, true});
    }
    const QStringList tabs{QStringLiteral("overview"),
                           QStringLiteral("console"),
                           QStringLiteral("settings"),
                           QStringLiteral("sharing"),
                           QStringLiteral("network"),
                           QStringLiteral("snapshots"),
                           QStringLiteral("benchmarks")};
    const qsizetype tab = tabs.indexOf(word);
    if (tab < 0)
        return false;
    if (!m_entry || m_entry->isImage) {
        const SideListModel* model = m_panel->list()->sideModel();
        const MachineInfo* first = model->infoAt(
            model->index(0, 0, model->sectionIndex(SideListModel::Section::Machines)));
        if (first != nullptr)
            m_panel->list()->select({first->name, false});
    }
    m_machinePage->showTab(static_cast<MachinePage::Tab>(tab));
    return true;
}

void MainWindow::startSelected(bool showConsole, StartMode mode) {
    const MachineInfo* info = selected();
    if (info == nullptr || info->isImage || !m_actions->start->isEnabled())
        return;
    m_verbs->start(*info, mode);
    if (showConsole)
        m_machinePage->showTab(MachinePage::Tab::Console);
}

void MainWindow::tell(const QString& machine,
                      const std::function<void(MessageBar* message)>& show) {
    const bool shown = currentPage() == m_machinePage && m_machinePage->machineName() == machine;
    if (shown)
        show(m_machinePage->message());
    else if (m_imagePage != nullptr && currentPage() == m_imagePage && m_entry &&
             m_entry->name == machine)
        show(m_libraryMessage);
    else
        m_messages.insert(machine, show);
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange)
        m_services.thumbnails->setActive(isVisible() && !isMinimized());
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    m_services.thumbnails->setActive(true);
}

void MainWindow::hideEvent(QHideEvent* event) {
    QMainWindow::hideEvent(event);
    m_services.thumbnails->setActive(false);
}

bool MainWindow::event(QEvent* event) {
    if (event->type() == QEvent::StatusTip) {
        m_strip->showHint(static_cast<QStatusTipEvent*>(event)->tip());
        return true;
    }
    return QMainWindow::event(event);
}

} // namespace vitrine::ui
