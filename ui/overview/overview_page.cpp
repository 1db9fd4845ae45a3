// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/overview_page.h"

#include "core/hypervisor/machine_client.h"
#include "ui/machines/background.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_abilities.h"
#include "ui/machines/machine_clients.h"
#include "ui/machines/thumbnails.h"
#include "ui/overview/event_list.h"
#include "ui/overview/live_picture.h"
#include "ui/overview/machine_facts.h"
#include "ui/overview/notes_editor.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/text_label.h"

#include <QHBoxLayout>
#include <QPointer>
#include <QScrollBar>
#include <QUrl>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int widestPicture = 432;
constexpr int narrowestPicture = 240;
constexpr int narrowestFacts = 272;
constexpr int stackedPicture = 320; // above the facts
constexpr int readDelay = 50;       // ms; one change of the file comes as several of its folder

} // namespace

OverviewPage::OverviewPage(const Services& services, QWidget* parent)
    : PageFrame(parent)
    , m_services(services)
    , m_picture(new LivePicture(this))
    , m_primary(primaryButton(tr("Open Console"), u"display", this))
    , m_pictureNote(new TextLabel({}, TextSize::Small, TextTone::Secondary, this))
    , m_facts(new MachineFacts(this))
    , m_events(new EventList(this))
    , m_notes(new NotesEditor(this))
    , m_top(new QHBoxLayout)
    , m_bottom(new QHBoxLayout) {
    auto* left = new QVBoxLayout;
    left->setSpacing(spacing::grid);
    left->addWidget(m_picture);
    auto* below = new QHBoxLayout;
    below->setSpacing(spacing::grid);
    below->addWidget(m_primary);
    below->addWidget(m_pictureNote, 1);
    left->addLayout(below);
    left->addStretch();
    m_top->setSpacing(spacing::column);
    m_top->addLayout(left);
    m_top->addWidget(m_facts, 1);
    content()->addLayout(m_top);
    m_bottom->setSpacing(spacing::column);
    m_bottom->addWidget(m_events, 616);
    m_bottom->addWidget(m_notes, 320);
    m_notes->setMinimumWidth(160);
    content()->addLayout(m_bottom, 1);

    connect(m_primary, &QPushButton::clicked, this, [this] {
        if (m_info.state == MachineState::Stopped || m_info.state == MachineState::Suspended)
            Q_EMIT startRequested();
        else
            Q_EMIT consoleRequested();
    });
    connect(m_services.clients, &MachineClients::statusChanged, this, [this](const QString& name) {
        if (name == m_info.name)
            updateFacts();
    });
    // The machine's process tells an event before it is in the file; the watch tells when it is.
    m_readSoon.setSingleShot(true);
    m_readSoon.setInterval(readDelay);
    connect(&m_readSoon, &QTimer::timeout, this, &OverviewPage::readSidecar);
    connect(&m_watch, &LibraryWatch::changed, this, [this] {
        if (!m_readSoon.isActive())
            m_readSoon.start();
    });
    connect(&m_watch, &LibraryWatch::watching, this, [this](bool anyNew) {
        if (anyNew)
            m_readSoon.start(); // what came before the watch
    });
    connect(m_services.thumbnails, &Thumbnails::largeChanged, this, &OverviewPage::updatePicture);
    connect(m_services.host, &HostReport::changed, this, &OverviewPage::updateFacts);
}

void OverviewPage::showMachine(const MachineInfo& info) {
    const bool other = info.directory != m_info.directory;
    const bool changed = other || !(info == m_info);
    m_info = info;
    if (other) {
        m_sidecar = {};
        m_events->setEvents({});
        m_notes->setMachine(info.directory);
        verticalScrollBar()->setValue(0);
    }
    if (changed)
        readSidecar();
    if (isVisible())
        m_services.thumbnails->setLargeName(info.name);
    if (other)
        watch();
    updateFacts();
}

void OverviewPage::watch() {
    m_watch.watch(isVisible() && !m_info.directory.isEmpty() ? QStringList{m_info.directory}
                                                             : QStringList());
}

void OverviewPage::readSidecar() {
    if (m_info.directory.isEmpty())
        return;
    inBackground(
        this,
        [directory = m_info.directory] { return std::pair(directory, Sidecar::read(directory)); },
        [this](const std::pair<QString, Result<Sidecar>>& read) {
            if (read.first != m_info.directory)
                return;
            m_sidecar = read.second.value_or(Sidecar{});
            m_events->setEvents(EventList::fromJson(m_sidecar.events));
            m_notes->setText(read.first, m_sidecar.notes);
            updateFacts();
        });
}

void OverviewPage::updateFacts() {
    if (m_info.name.isEmpty())
        return;
    const MachineStatus* status = m_services.clients->status(m_info.name);
    m_facts->showMachine(m_info, status, m_sidecar);
    askForViewer(status);
    const MachineAbilities can = abilitiesOf(m_info, status, m_services.host->info());
    const bool stopped =
        m_info.state == MachineState::Stopped || m_info.state == MachineState::Suspended;
    m_primary->setText(m_info.state == MachineState::Suspended ? tr("Resume")
                       : stopped                               ? tr("Start")
                                                               : tr("Open Console"));
    m_primary->setIcon(themeIcon(stopped ? u"start" : u"display"));
    m_primary->setEnabled(stopped ? can.start.possible : can.console.possible);
    m_primary->setAccessibleDescription(stopped ? can.start.reason : can.console.reason);
    updatePicture();
}

// Once a run: the server's port is known as soon as the machine runs.
void OverviewPage::askForViewer(const MachineStatus* status) {
    const bool runs = status != nullptr && status->state == MachineState::Running;
    const qint64 process = runs ? status->processId : 0;
    if (process == m_viewerAsked)
        return;
    m_viewerAsked = process;
    m_facts->showViewer({}, {});
    MachineClient* client = runs ? m_services.clients->client(m_info.name) : nullptr;
    if (client == nullptr || !client->supports(QStringLiteral("viewers")))
        return;
    client->call(QStringLiteral("viewers"),
                 {},
                 [page = QPointer<OverviewPage>(this), process](const Result<QJsonValue>& answer) {
                     if (!page || !answer || page->m_viewerAsked != process)
                         return;
                     const QJsonValue vnc = (*answer)[QLatin1String("vnc")];
                     const QString url = vnc[QLatin1String("url")].toString();
                     if (!url.isEmpty()) // shown without its password
                         page->m_facts->showViewer(QUrl(url).toString(QUrl::RemoveUserInfo), url);
                     else if (page->m_sidecar.run.vncServer)
                         page->m_viewerAsked = 0; // not open yet; the next status asks again
                 });
}

void OverviewPage::updatePicture() {
    const QImage image = m_services.thumbnails->large();
    m_picture->showPicture(image, m_info.state);
    const MachineStatus* status = m_services.clients->status(m_info.name);
    const bool stopped =
        m_info.state == MachineState::Stopped || m_info.state == MachineState::Suspended;
    const MachineAbilities can = abilitiesOf(m_info, status, m_services.host->info());
    if (stopped && !can.start.possible) {
        m_pictureNote->setText(can.start.reason);
    } else if (!image.isNull()) {
        const QSize guest = m_services.thumbnails->guestSize();
        const QString size = tr("%1 × %2").arg(guest.width()).arg(guest.height());
        m_pictureNote->setText(m_info.state == MachineState::Paused
                                   ? tr("%1 · the picture stands still while paused").arg(size)
                                   : tr("%1 · live picture, every 2 s").arg(size));
    } else {
        m_pictureNote->setText({});
    }
    m_pictureNote->setWordWrap(true);
}

void OverviewPage::resizeEvent(QResizeEvent* event) {
    PageFrame::resizeEvent(event);
    const int room = viewport()->width() - 2 * spacing::pageHorizontal - spacing::column;
    // The facts go below the picture where both would not fit beside each other.
    const bool narrow = room < narrowestPicture + narrowestFacts;
    m_top->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
    m_top->setSpacing(narrow ? spacing::block : spacing::column);
    const int width = narrow ? std::min(room, stackedPicture)
                             : std::clamp(room * 46 / 100, narrowestPicture, widestPicture);
    m_picture->setFixedSize(width, width * 10 / 16);
}

void OverviewPage::showEvent(QShowEvent* event) {
    PageFrame::showEvent(event);
    watch();
    readSidecar();
    m_services.thumbnails->setLargeName(m_info.name);
}

void OverviewPage::hideEvent(QHideEvent* event) {
    PageFrame::hideEvent(event);
    watch();
    m_services.thumbnails->setLargeName({});
}

} // namespace vitrine::ui
