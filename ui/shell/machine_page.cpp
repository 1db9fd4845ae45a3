// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/machine_page.h"

#include "core/hypervisor/machine_host.h"
#include "ui/bench/bench_page.h"
#include "ui/console/console_page.h"
#include "ui/console/full_screen_window.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/network/network_page.h"
#include "ui/overview/machine_problem_page.h"
#include "ui/overview/overview_page.h"
#include "ui/settings/settings_page.h"
#include "ui/sharing/path_drop.h"
#include "ui/sharing/share_actions.h"
#include "ui/sharing/sharing_page.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/machine_header.h"
#include "ui/shell/snapshot_verbs.h"
#include "ui/snapshots/snapshots_page.h"
#include "ui/theme/theme.h"
#include "ui/widgets/hairline.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QHBoxLayout>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>

namespace vitrine::ui {

MachinePage::MachinePage(const Services& services, MachineActions* actions, QWidget* parent)
    : QWidget(parent)
    , m_services(services)
    , m_header(new MachineHeader(actions->openTerminal, this))
    , m_message(new MessageBar(this))
    , m_tabs(new QTabBar(this))
    , m_tabArea(new QWidget(this))
    , m_stack(new QStackedWidget(this))
    , m_shareActions(new ShareActions(services, this)) {
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_header);
    auto* tabLine = new QHBoxLayout(m_tabArea);
    tabLine->setContentsMargins(spacing::block, 0, spacing::block, 0);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setUsesScrollButtons(false);
    m_tabs->setFocusPolicy(Qt::TabFocus);
    m_tabs->addTab(tr("Overview"));
    m_tabs->addTab(tr("Console"));
    m_tabs->addTab(tr("Settings"));
    m_tabs->addTab(tr("Sharing"));
    m_tabs->addTab(tr("Network"));
    m_tabs->addTab(tr("Snapshots"));
    m_tabs->addTab(tr("Benchmarks"));
    m_tabs->setAccessibleName(tr("Pages of the machine"));
    tabLine->addWidget(m_tabs);
    tabLine->addStretch();
    layout->addWidget(m_tabArea);
    layout->addWidget(new Hairline(Qt::Horizontal, this));
    layout->addWidget(m_message);
    layout->addWidget(m_stack, 1);

    connect(m_message, &MessageBar::dismissed, this, [this] { m_failure.reset(); });
    connect(m_tabs, &QTabBar::currentChanged, this, [this] {
        showCurrentPage();
        placeFailure();
        Q_EMIT tabChanged();
    });
}

MachinePage::~MachinePage() = default;

OverviewPage* MachinePage::overview() {
    if (m_overview == nullptr) {
        m_overview = new OverviewPage(m_services, this);
        m_stack->addWidget(m_overview);
        connect(
            m_overview, &OverviewPage::consoleRequested, this, [this] { showTab(Tab::Console); });
        connect(m_overview, &OverviewPage::startRequested, this, &MachinePage::startRequested);
    }
    return m_overview;
}

MachineProblemPage* MachinePage::problem() {
    if (m_problem == nullptr) {
        m_problem = new MachineProblemPage(m_services, this);
        m_stack->addWidget(m_problem);
        connect(m_problem,
                &MachineProblemPage::showFolderRequested,
                this,
                &MachinePage::showFolderRequested);
        connect(
            m_problem, &MachineProblemPage::deleteRequested, this, &MachinePage::deleteRequested);
        connect(m_problem, &MachineProblemPage::stopRequested, this, &MachinePage::stopRequested);
        connect(m_problem, &MachineProblemPage::readAgainRequested, this, [this] {
            m_services.library->refresh();
        });
    }
    return m_problem;
}

ConsolePage* MachinePage::makeConsole() {
    if (MachineHost* host = m_services.machineHost) {
        // What it hosts may be known before or after the machine says that it runs.
        connect(host, &MachineHost::machinesChanged, this, [this] {
            if (!m_name.isEmpty())
                updateCurrentPage();
        });
        return new ConsolePage(ConsolePage::Hosted{[host](const QString& machine) {
                                                       return host->machines().contains(machine);
                                                   },
                                                   m_services.openHostedSurface},
                               this);
    }
    return new ConsolePage([hypervisor = m_services.hypervisor](
                               const QString& socket) { return hypervisor->openDisplay(socket); },
                           this);
}

ConsolePage* MachinePage::console() {
    if (m_console == nullptr) {
        m_console = makeConsole();
        m_stack->addWidget(m_console);
        // The window has these in its menus, with the same keys.
        m_console->fullScreenAction()->setShortcut({});
        m_console->pictureAction()->setShortcut({});
        m_console->copyPictureAction()->setShortcut({});
        connect(m_console, &ConsolePage::startRequested, this, &MachinePage::startRequested);
        auto* drop = new PathDrop(m_console);
        drop->setOffer([this](const QStringList& paths) {
            const QString refused = m_shareActions->refusal(m_info);
            if (!refused.isEmpty())
                return PathDrop::Offer{false, tr("Nothing can be shared here now."), refused, {}};
            return shareOffer(paths, m_info.name);
        });
        connect(drop, &PathDrop::dropped, this, [this](const QStringList& paths, bool writable) {
            Q_EMIT pathsDropped(m_info, paths, writable);
        });
        connect(drop, &PathDrop::areaShown, m_console, &ConsolePage::setCovered);
        connect(m_console, &ConsolePage::resumeRequested, this, &MachinePage::resumeRequested);
    }
    return m_console;
}

SettingsPage* MachinePage::settings() {
    if (m_settings == nullptr) {
        m_settings = new SettingsPage(m_services, this);
        m_stack->addWidget(m_settings);
        connect(m_settings, &SettingsPage::renamed, this, &MachinePage::renamed);
        connect(
            m_settings, &SettingsPage::sharingRequested, this, [this] { showTab(Tab::Sharing); });
    }
    return m_settings;
}

SharingPage* MachinePage::sharing() {
    if (m_sharing == nullptr) {
        m_sharing = new SharingPage(m_services, m_shareActions, this);
        m_stack->addWidget(m_sharing);
        connect(m_sharing,
                &SharingPage::pathsDropped,
                this,
                [this](const QStringList& paths, bool writable) {
                    Q_EMIT pathsDropped(m_info, paths, writable);
                });
        connect(m_sharing, &SharingPage::showLogRequested, this, &MachinePage::showLogRequested);
    }
    return m_sharing;
}

NetworkPage* MachinePage::network() {
    if (m_network == nullptr) {
        m_network = new NetworkPage(m_services, this);
        m_stack->addWidget(m_network);
        connect(m_network, &NetworkPage::startRequested, this, &MachinePage::startRequested);
        connect(m_network, &NetworkPage::settingsRequested, this, [this] {
            showTab(Tab::Settings);
            settings()->selectPane(SettingsPage::networkPane);
        });
    }
    return m_network;
}

SnapshotsPage* MachinePage::snapshots() {
    if (m_snapshots == nullptr) {
        m_snapshots = new SnapshotsPage(m_services, this);
        m_stack->addWidget(m_snapshots);
        auto* verbs = new SnapshotVerbs(m_services, m_snapshots);
        connect(verbs, &SnapshotVerbs::machineMade, this, &MachinePage::machineMade);
    }
    return m_snapshots;
}

BenchPage* MachinePage::benchmarks() {
    if (m_benchmarks == nullptr) {
        m_benchmarks = new BenchPage(m_services, this);
        m_stack->addWidget(m_benchmarks);
    }
    return m_benchmarks;
}

bool MachinePage::hasUnsavedChanges() const {
    return m_settings != nullptr && m_settings->hasUnsavedChanges();
}

MachinePage::Tab MachinePage::tab() const {
    return static_cast<Tab>(m_tabs->currentIndex());
}

void MachinePage::showTab(Tab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

bool MachinePage::isProblemShown() const {
    return m_problem != nullptr && m_stack->currentWidget() == m_problem;
}

void MachinePage::showMachine(const MachineInfo& info) {
    if (info.name != m_name) {
        m_failure.reset();
        m_message->clear();
    } else if (m_failure && info.state == MachineState::Running) {
        if (m_message->isShown() && m_message->text() == m_failureText)
            m_message->clear();
        m_failure.reset(); // started by somebody else meanwhile
    }
    m_name = info.name;
    m_info = info;
    m_header->showMachine(info, m_services.clients->status(info.name));
    const bool problem = MachineProblemPage::isFor(info, m_services.host->info());
    m_tabArea->setVisible(!problem);
    showCurrentPage();
}

void MachinePage::showCurrentPage() {
    if (m_name.isEmpty())
        return;
    QWidget* page = nullptr;
    if (MachineProblemPage::isFor(m_info, m_services.host->info()))
        page = problem();
    else if (tab() == Tab::Console)
        page = console();
    else if (tab() == Tab::Settings)
        page = settings();
    else if (tab() == Tab::Sharing)
        page = sharing();
    else if (tab() == Tab::Network)
        page = network();
    else if (tab() == Tab::Snapshots)
        page = snapshots();
    else if (tab() == Tab::Benchmarks)
        page = benchmarks();
    else
        page = overview();
    updateCurrentPage();
    m_stack->setCurrentWidget(page);
}

void MachinePage::updateCurrentPage() {
    if (MachineProblemPage::isFor(m_info, m_services.host->info())) {
        problem()->showMachine(m_info);
        return;
    }
    switch (tab()) {
    case Tab::Overview:
        overview()->showMachine(m_info);
        break;
    case Tab::Console:
        console()->showMachine(m_info, m_services.clients->client(m_name));
        break;
    case Tab::Settings:
        settings()->showMachine(m_info);
        break;
    case Tab::Sharing:
        sharing()->showMachine(m_info);
        break;
    case Tab::Network:
        network()->showMachine(m_info);
        break;
    case Tab::Snapshots:
        snapshots()->showMachine(m_info);
        break;
    case Tab::Benchmarks:
        benchmarks()->showMachine(m_info);
        break;
    }
}

void MachinePage::tellStarting() {
    m_failure.reset();
    m_message->clear();
    if (m_console != nullptr)
        m_console->setStarting();
}

void MachinePage::tellStartFailure(const StartFailure& failure) {
    m_failure = failure;
    m_message->clear();
    placeFailure();
}

// Told once: by the console in place of the screen, else by the message above the pages.
void MachinePage::placeFailure() {
    if (!m_failure)
        return;
    const QString lines = m_failure->lines.join(QLatin1Char('\n'));
    const bool told = m_message->isShown() && m_message->text() == m_failureText;
    if (tab() == Tab::Console && !isProblemShown()) {
        if (told)
            m_message->clear();
        console()->setStartFailure(m_failure->message, lines);
        return;
    }
    if (m_message->isShown())
        return; // this one or another
    m_message->showMessage(MessageBar::Kind::Error,
                           tr("\"%1\" did not start.").arg(m_name),
                           lines.isEmpty() ? m_failure->message
                                           : m_failure->message + QLatin1Char('\n') + lines);
    m_message->addAction(tr("Try Again"), [this] { Q_EMIT startRequested(); });
    if (m_failure->message.contains(QLatin1String("--discard-state")))
        m_message->addAction(tr("Discard Saved State…"),
                             [this] { Q_EMIT discardStateRequested(); });
    if (!m_failure->logFile.isEmpty())
        m_message->addAction(tr("Show Log"),
                             [this, path = m_failure->logFile] { Q_EMIT showLogRequested(path); });
    m_failureText = m_message->text();
}

} // namespace vitrine::ui
