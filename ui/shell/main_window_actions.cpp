// SPDX-License-Identifier: Apache-2.0
// The second half of MainWindow: tool bar, what menus and buttons do.
#include "ui/console/console_page.h"
#include "ui/console/full_screen_window.h"
#include "ui/library/library_panel.h"
#include "ui/library/side_list_model.h"
#include "ui/machines/background.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/overview/host_checks.h"
#include "ui/overview/machine_facts.h"
#include "ui/shell/action_reason.h"
#include "ui/shell/desktop.h"
#include "ui/shell/log_dialog.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/machine_verbs.h"
#include "ui/shell/main_window.h"
#include "ui/shell/question.h"
#include "ui/shell/shortcuts_dialog.h"
#include "ui/shell/verb_button.h"
#include "ui/shell/window_memory.h"
#include "ui/shell/window_menus.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/message_bar.h"

#include <QClipboard>
#include <QDialog>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int searchWidth = 260;

void copy(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
}

} // namespace

QWidget* MainWindow::buildToolBar() {
    auto* bar = new QWidget(this);
    bar->setFixedHeight(std::max(spacing::toolBarHeight, fontMetrics().height() + 24));
    bar->setAccessibleName(tr("Tool bar"));
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(spacing::grid, 0, spacing::grid, 0);
    layout->setSpacing(spacing::tight);
    const auto add = [layout](QToolButton* button, QMenu* menu) {
        button->setIconSize(QSize(16, 16));
        button->setToolButtonStyle(button->text().isEmpty() ? Qt::ToolButtonIconOnly
                                                            : Qt::ToolButtonTextBesideIcon);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
        if (menu != nullptr)
            giveMenu(button, menu);
        layout->addWidget(button);
    };
    const auto addButton = [bar, add](const QString& text, QStringView icon, QMenu* menu) {
        auto* button = new QToolButton(bar);
        if (!icon.isEmpty())
            button->setIcon(themeIcon(icon));
        button->setText(text);
        add(button, menu);
        return button;
    };
    const auto addVerb = [this, bar, add](QAction* action, QMenu* menu) {
        auto* button = menu != nullptr ? new VerbButton(action, menu, bar) : new QToolButton(bar);
        if (menu == nullptr)
            button->setDefaultAction(action);
        add(button, nullptr);
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        if (menu != nullptr)
            showReasons(menu, this);
        m_verbButtons.append(button);
    };

    QToolButton* create = addButton(tr("New"), u"plus", m_menus->newMenu);
    create->setPopupMode(QToolButton::InstantPopup);
    create->setToolTip(tr("Make a new machine"));
    QToolButton* pull = addButton(tr("Pull"), u"pull", nullptr);
    pull->setStatusTip(m_menus->pull->statusTip());
    pull->setToolTip(tr("Pull an image from a registry (%1)")
                         .arg(m_menus->pull->shortcut().toString(QKeySequence::NativeText)));
    connect(pull, &QToolButton::clicked, m_menus->pull, &QAction::trigger);
    layout->addSpacing(spacing::grid);

    m_search = new QLineEdit(bar);
    m_search->setPlaceholderText(tr("Search machines and images"));
    m_search->setAccessibleName(tr("Search machines and images"));
    m_search->setClearButtonEnabled(true);
    m_search->addAction(themeIcon(u"search"), QLineEdit::LeadingPosition);
    m_search->setMaximumWidth(searchWidth);
    m_search->setMinimumWidth(searchWidth / 2);
    m_search->installEventFilter(this); // Escape
    layout->addWidget(m_search, 100);
    layout->addStretch(1);

    auto* startMenu = new QMenu(this);
    startMenu->addActions({m_actions->start, m_actions->startAndShow});
    auto* shutDownMenu = new QMenu(this);
    shutDownMenu->addAction(m_actions->shutDown);
    shutDownMenu->addSeparator();
    shutDownMenu->addAction(m_actions->forceOff);
    addVerb(m_actions->start, startMenu);
    addVerb(m_actions->pause, nullptr);
    addVerb(m_actions->suspend, nullptr);
    addVerb(m_actions->shutDown, shutDownMenu);
    auto* line = new Hairline(Qt::Vertical, bar);
    line->setFixedHeight(spacing::control);
    layout->addWidget(line);
    QToolButton* more = addButton({}, u"more", m_menus->makeVerbMenu(false, this));
    more->setPopupMode(QToolButton::InstantPopup);
    more->setToolTip(tr("More about this machine"));
    more->setAccessibleName(tr("More about this machine"));
    m_verbButtons << line << more;
    for (QWidget* verb : std::as_const(m_verbButtons))
        verb->hide();
    return bar;
}

void MainWindow::connectActions() {
    const auto on = [this](QAction* action, std::function<void()> run) {
        connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    };
    const auto onSelected = [this, on](QAction* action,
                                       std::function<void(const MachineInfo&)> run) {
        on(action, [this, run = std::move(run)] {
            if (const MachineInfo* info = selected()) {
                const MachineInfo copyOfInfo = *info; // the library may change meanwhile
                run(copyOfInfo);
            }
        });
    };
    on(m_actions->start, [this] { startSelected(false); });
    on(m_actions->startAndShow, [this] { startSelected(true); });
    on(m_actions->startRecovery, [this] { startSelected(true, StartMode::Recovery); });
    onSelected(m_actions->pause, [this](const MachineInfo& info) {
        if (m_actions->pauseResumes())
            m_services.clients->resume(info.name);
        else
            m_services.clients->pause(info.name);
    });
    onSelected(m_actions->suspend,
               [this](const MachineInfo& info) { m_services.clients->suspend(info.name); });
    onSelected(m_actions->discardState,
               [this](const MachineInfo& info) { m_verbs->discardState(info.name); });
    connect(m_machinePage, &MachinePage::discardStateRequested, this, [this] {
        m_verbs->discardState(m_machinePage->machineName());
    });
    connect(m_machinePage, &MachinePage::machineMade, this, [this](const QString& name) {
        showMachineWhenKnown(name, MachinePage::Tab::Overview);
    });
    onSelected(m_actions->shutDown,
               [this](const MachineInfo& info) { m_services.clients->shutDown(info.name); });
    onSelected(m_actions->forceOff,
               [this](const MachineInfo& info) { m_verbs->forceOff(info.name); });
    onSelected(m_actions->clone, [this](const MachineInfo& info) { m_verbs->clone(info); });
    onSelected(m_menus->newFromImage, [this](const MachineInfo& info) { m_verbs->clone(info); });
    onSelected(m_menus->newCopy, [this](const MachineInfo& info) { m_verbs->clone(info); });
    onSelected(m_actions->rename, [this](const MachineInfo& info) { m_verbs->rename(info); });
    onSelected(m_actions->remove, [this](const MachineInfo& info) { m_verbs->remove(info); });
    onSelected(m_actions->openTerminal,
               [this](const MachineInfo& info) { m_verbs->openTerminal(info.name); });
    onSelected(m_actions->copyAddress, [this](const MachineInfo& info) {
        const MachineStatus* status = m_services.clients->status(info.name);
        if (status != nullptr && status->sshAddress().isKnown())
            copy(QStringLiteral("%1:%2")
                     .arg(status->sshAddress().host)
                     .arg(status->sshAddress().port));
    });
    onSelected(m_actions->copySignIn, [this](const MachineInfo& info) {
        copy(sshLine(m_services.clients->status(info.name)));
    });
    onSelected(m_actions->copyCommand,
               [](const MachineInfo& info) { copy(runCommandLine(info.name)); });
    onSelected(m_actions->showFolder, [](const MachineInfo& info) { openPath(info.directory); });
    const auto showLog = [this](const QString& name, const QStringList& paths) {
        auto* dialog = new LogDialog(tr("Log of %1").arg(name), paths, this);
        dialog->show();
    };
    onSelected(m_actions->showLog, [this, showLog](const MachineInfo& info) {
        const MachineClient* client = m_services.clients->client(info.name);
        const QString path = client != nullptr ? client->logFile() : QString();
        // A start that failed early left only its output.
        const QString output = m_services.clients->startOutput(info.name);
        if (!path.isEmpty()) {
            showLog(info.name, {path, output});
            return;
        }
        inBackground(
            this,
            [home = m_services.library->library().home(), directory = info.directory] {
                const auto runtime = RuntimeDirectory::locate(home, directory);
                return runtime ? runtime->logFile() : QString();
            },
            [showLog, output, name = info.name](const QString& found) {
                showLog(name, {found, output});
            });
    });
    connect(
        m_machinePage, &MachinePage::showLogRequested, this, [this, showLog](const QString& path) {
            showLog(m_machinePage->machineName(), {path});
        });
    on(m_actions->overview, [this] { m_machinePage->showTab(MachinePage::Tab::Overview); });
    on(m_actions->console, [this] { m_machinePage->showTab(MachinePage::Tab::Console); });
    on(m_actions->settings, [this] { m_machinePage->showTab(MachinePage::Tab::Settings); });
    on(m_actions->sharing, [this] { m_machinePage->showTab(MachinePage::Tab::Sharing); });
    on(m_actions->network, [this] { m_machinePage->showTab(MachinePage::Tab::Network); });
    on(m_actions->snapshots, [this] { m_machinePage->showTab(MachinePage::Tab::Snapshots); });
    on(m_actions->benchmarks, [this] { m_machinePage->showTab(MachinePage::Tab::Benchmarks); });

    on(m_menus->newFromFile, [this] { m_verbs->create(); });
    on(m_menus->newFromRegistry, [this] { showPullDialog({}, false, true); });
    on(m_menus->pull, [this] { showPullDialog(); });
    on(m_menus->openLibrary, [this] { chooseLibrary(); });
    on(m_menus->refresh, [this] { m_services.library->refresh(); });
    on(m_menus->close, [this] { close(); });
    on(m_menus->quit, [this] { requestQuit(); });
    on(m_menus->find, [this] {
        m_search->setFocus(Qt::ShortcutFocusReason);
        m_search->selectAll();
    });
    on(m_menus->focusList, [this] { m_panel->list()->setFocus(Qt::ShortcutFocusReason); });
    on(m_menus->transfers, [this] { showTransfers(); });
    on(m_menus->benchmarks, [this] { showBenchmarks(); });
    on(m_menus->kernelRuns, [this] { showKernelRuns(); });
    on(m_menus->fullScreen, [this] {
        m_machinePage->showTab(MachinePage::Tab::Console);
        m_machinePage->console()->setFullScreen(!m_machinePage->console()->isFullScreenShown());
    });
    on(m_menus->copyPicture, [this] {
        m_machinePage->showTab(MachinePage::Tab::Console);
        m_machinePage->console()->copyPictureAction()->trigger();
    });
    on(m_menus->savePicture, [this] {
        m_machinePage->showTab(MachinePage::Tab::Console);
        m_machinePage->console()->pictureAction()->trigger();
    });
    connect(m_menus->sendKeysMenu, &QMenu::aboutToShow, this, [this] {
        m_menus->sendKeysMenu->clear();
        m_menus->sendKeysMenu->addActions(m_machinePage->console()->keysMenu()->actions());
    });
    on(m_menus->checkComputer, [this] {
        auto* dialog = new QDialog(this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setWindowTitle(tr("This Computer"));
        dialog->setBackgroundRole(QPalette::Base);
        dialog->resize(720, 400);
        auto* layout = new QVBoxLayout(dialog);
        layout->addWidget(new HostChecks(m_services.host, dialog));
        layout->addStretch();
        auto* done = normalButton(tr("Close"), {}, dialog);
        layout->addWidget(done, 0, Qt::AlignRight);
        connect(done, &QPushButton::clicked, dialog, &QDialog::close);
        dialog->open();
    });
    on(m_menus->shortcuts, [this] { (new ShortcutsDialog(menuBar(), this))->show(); });
    on(m_menus->about, [this] {
        const HypervisorInfo* host = m_services.host->info();
        auto* box =
            new Question(tr("Vitrine %1").arg(QStringLiteral(VITRINE_VERSION)),
                         tr("Keeps, runs and shares virtual machines. Licensed under "
                            "Apache-2.0."),
                         {tr("Backend: %1").arg(host != nullptr ? host->name : tr("not known yet")),
                          tr("Library: %1").arg(m_services.library->library().home()),
                          tr("Qt %1").arg(QString::fromLatin1(qVersion()))},
                         {{tr("Close"), Question::Look::Normal, {}, true}},
                         this);
        box->open();
    });

    connect(m_menus, &WindowMenus::appearanceChosen, this, [](SchemeChoice choice) {
        applyTheme(choice);
        remember(QString::fromLatin1(schemeChoiceKey), toText(choice));
    });
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_panel->list()->sideModel()->setFilter(text);
    });
    connect(m_search, &QLineEdit::returnPressed, this, [this] {
        // Return goes to the first hit.
        const SideListModel* model = m_panel->list()->sideModel();
        for (const auto section :
             {SideListModel::Section::Machines, SideListModel::Section::Images}) {
            const MachineInfo* hit =
                model->infoAt(model->index(0, 0, model->sectionIndex(section)));
            if (hit != nullptr && m_panel->list()->select({hit->name, hit->isImage})) {
                m_panel->list()->setFocus(Qt::OtherFocusReason);
                return;
            }
        }
    });
}

void MainWindow::chooseLibrary() {
    // Libraries mostly lie side by side. One in a hidden folder is in the side bar.
    const QString current = m_services.library->library().home();
    auto* dialog = new QFileDialog(this, tr("Open a Library"), QFileInfo(current).path());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setFilter(QDir::Dirs | QDir::NoDotAndDotDot);
    QList<QUrl> places;
    for (const QString& place : {QDir::homePath(), Library::defaultHome(), current}) {
        if (const QUrl url = QUrl::fromLocalFile(place); !places.contains(url))
            places.append(url);
    }
    dialog->setSidebarUrls(places);
    connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::openLibraryAt);
    dialog->open();
}

void MainWindow::openLibraryAt(const QString& folder) {
    inBackground(
        this,
        [folder] {
            const QDir chosen(folder);
            return chosen.exists(QStringLiteral("vms")) || chosen.exists(QStringLiteral("cache"));
        },
        [this, folder](bool isLibrary) {
            if (isLibrary) {
                Q_EMIT openLibraryRequested(folder);
                return;
            }
            auto* question = new Question(
                tr("There is no library in this folder."),
                tr("It holds neither \"vms\" nor \"cache\", as a library of Tart or Vitrine does. "
                   "An empty library can be made in it."),
                {folder},
                {{tr("Cancel"), Question::Look::Normal, {}, true},
                 {tr("Make a Library Here"),
                  Question::Look::Normal,
                  [this, folder] { Q_EMIT openLibraryRequested(folder); },
                  false}},
                this);
            question->open();
        });
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        // First what is typed goes, then the keyboard goes back to the list.
        if (m_search->text().isEmpty())
            m_panel->list()->setFocus(Qt::OtherFocusReason);
        m_search->clear();
        return true;
    }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::contextMenu(const QPoint& position) {
    const MachineInfo* info = selected();
    if (info == nullptr)
        return;
    QMenu* menu = m_menus->makeVerbMenu(info->isImage, this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(position);
}

} // namespace vitrine::ui
