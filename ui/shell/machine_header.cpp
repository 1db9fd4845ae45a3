// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/machine_header.h"

#include "core/value/plain_text.h"
#include "ui/library/machine_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/text_label.h"

#include <QAction>
#include <QHBoxLayout>
#include <QToolButton>

namespace vitrine::ui {

namespace {

constexpr int clockInterval = 10000; // ms
constexpr int wideEnough = 640;      // pixels; below, the duration is left out

} // namespace

MachineHeader::MachineHeader(QAction* openTerminal, QWidget* parent)
    : QWidget(parent)
    , m_name(new ElidedLabel({}, Qt::ElideRight, TextSize::PageTitle, TextTone::Text, this))
    , m_glyph(new GlyphLabel(this))
    , m_state(new TextLabel({}, TextSize::BodyStrong, TextTone::Text, this))
    , m_duration(new TextLabel({}, TextSize::Body, TextTone::Secondary, this))
    , m_address(new TextLabel({}, TextSize::Fixed, TextTone::Text, this))
    , m_copy(new CopyButton(tr("Copy the address of the guest's ssh"), this))
    , m_terminal(new QToolButton(this)) {
    setMinimumHeight(spacing::headerHeight);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(spacing::pageHorizontal, 0, spacing::pageVertical, 0);
    layout->setSpacing(spacing::grid);
    layout->addWidget(m_name);
    layout->addSpacing(spacing::grid);
    layout->addWidget(m_glyph);
    layout->addWidget(m_state);
    layout->addWidget(m_duration);
    layout->addStretch(1);
    layout->addWidget(m_address);
    layout->addWidget(m_copy);
    m_terminal->setDefaultAction(openTerminal);
    m_terminal->setIcon(themeIcon(u"terminal"));
    m_terminal->setText(tr("ssh"));
    m_terminal->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_terminal->setAutoRaise(true);
    m_terminal->setFocusPolicy(Qt::TabFocus);
    m_terminal->setAccessibleName(tr("Open a terminal over ssh"));
    m_terminal->setProperty(property::small, true);
    // The action's own text is longer than what the header has room for.
    connect(
        openTerminal, &QAction::changed, m_terminal, [this] { m_terminal->setText(tr("ssh")); });
    layout->addWidget(m_terminal);
    m_address->makeSelectable();
    m_address->setFocusPolicy(Qt::ClickFocus);
    m_clock.setInterval(clockInterval);
    connect(&m_clock, &QTimer::timeout, this, &MachineHeader::updateDuration);
}

void MachineHeader::showMachine(const MachineInfo& info, const MachineStatus* status) {
    m_name->setText(plainText(info.name));
    m_glyph->setGlyph(stateShape(info), 14);
    m_state->setText(stateText(info));
    m_running = info.state == MachineState::Running || info.state == MachineState::Starting;
    m_since = status != nullptr ? status->startedAt : QDateTime();
    if (m_since.isValid() && !m_clock.isActive())
        m_clock.start();
    else if (!m_since.isValid())
        m_clock.stop();
    const auto ssh = status != nullptr ? status->sshAddress() : MachineStatus::SshAddress();
    const bool reachable = ssh.isKnown();
    const QString address =
        reachable ? QStringLiteral("%1:%2").arg(ssh.host).arg(ssh.port) : QString();
    m_address->setText(address);
    m_address->setToolTip(tr("The guest's ssh is reached at this address.").toHtmlEscaped());
    m_address->setVisible(reachable);
    m_copy->setTextToCopy(address);
    m_copy->setVisible(reachable);
    m_terminal->setVisible(reachable);
    updateDuration();
}

void MachineHeader::updateDuration() {
    const qint64 seconds = m_since.isValid() ? m_since.secsTo(QDateTime::currentDateTime()) : -1;
    // The start is known, not since when it is in another state than running.
    const QString time = seconds >= 0 ? durationText(seconds) : QString();
    m_duration->setText(time.isEmpty() ? QString()
                        //: Behind "Running": how long a machine has been running.
                        : m_running ? tr("for %1").arg(time)
                                    //: Behind "Paused" and others: how long ago it was started.
                                    : tr("up %1").arg(time));
    fit();
}

void MachineHeader::fit() {
    m_duration->setVisible(!m_duration->text().isEmpty() && width() >= wideEnough);
}

void MachineHeader::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

} // namespace vitrine::ui
