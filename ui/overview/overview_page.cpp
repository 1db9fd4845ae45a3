// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/overview_page.h"

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
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int widestPicture = 432;
constexpr int narrowestPicture = 240;

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
    auto* top = new QHBoxLayout;
    top->setSpacing(spacing::column);
    top->addLayout(left);
    top->addWidget(m_facts, 1);
    content()->addLayout(top);
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
    connect(m_services.clients, &MachineClients::eventHappened, this, [this](const QString& name) {
        if (name == m_info.name)
            readSidecar();
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
    updateFacts();
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
    const MachineAbilities can = abilitiesOf(m_info, status, m_services.host->info());
    const bool stopped =
        m_info.state == MachineState::Stopped || m_info.state == MachineState::Suspended;
    m_primary->setText(stopped ? tr("Start") : tr("Open Console"));
    m_primary->setIcon(themeIcon(stopped ? u"start" : u"display"));
    m_primary->setEnabled(stopped ? can.start.possible : can.console.possible);
    m_primary->setAccessibleDescription(stopped ? can.start.reason : can.console.reason);
    updatePicture();
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
        m_pictureNote->setText(
            tr("%1 × %2 · live picture, every 2 s").arg(guest.width()).arg(guest.height()));
    } else {
        m_pictureNote->setText({});
    }
    m_pictureNote->setWordWrap(true);
}

void OverviewPage::resizeEvent(QResizeEvent* event) {
    PageFrame::resizeEvent(event);
    const int room = viewport()->width() - 2 * spacing::pageHorizontal - spacing::column;
    const int width = std::clamp(room * 46 / 100, narrowestPicture, widestPicture);
    m_picture->setFixedSize(width, width * 10 / 16);
}

void OverviewPage::showEvent(QShowEvent* event) {
    PageFrame::showEvent(event);
    m_services.thumbnails->setLargeName(m_info.name);
}

void OverviewPage::hideEvent(QHideEvent* event) {
    PageFrame::hideEvent(event);
    m_services.thumbnails->setLargeName({});
}

} // namespace vitrine::ui
