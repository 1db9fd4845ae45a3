// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/machine_problem_page.h"

#include "core/value/plain_text.h"
#include "ui/library/machine_text.h"
#include "ui/machines/host_report.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/form.h"
#include "ui/widgets/glyph_label.h"
#include "ui/widgets/hairline.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int columnWidth = 664;

TextLabel* paragraph(TextTone tone, QWidget* parent) {
    auto* label = new TextLabel({}, TextSize::Body, tone, parent);
    label->setWordWrap(true);
    label->makeSelectable();
    label->setFocusPolicy(Qt::ClickFocus);
    return label;
}

bool isForeign(const MachineInfo& info, const HypervisorInfo* host) {
    return info.config && info.config->system == GuestSystem::Darwin && host != nullptr &&
           !host->has(Feature::DarwinGuests);
}

} // namespace

MachineProblemPage::MachineProblemPage(const Services& services, QWidget* parent)
    : PageFrame(parent)
    , m_services(services)
    , m_glyph(new GlyphLabel(this))
    , m_title(new TextLabel({}, TextSize::Heading, TextTone::Text, this))
    , m_reason(paragraph(TextTone::Text, this))
    , m_remedy(paragraph(TextTone::Secondary, this))
    , m_again(normalButton(tr("Read Again"), u"retry", this))
    , m_folder(normalButton(tr("Show Folder"), u"folder", this))
    , m_stop(normalButton(tr("Stop…"), u"shut-down", this))
    , m_delete(normalButton(tr("Delete…"), u"trash", this))
    , m_facts(new Form(72, this))
    , m_system(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_disk(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_path(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Fixed, TextTone::Text, this)) {
    m_title->setWordWrap(true);
    auto* column = new QWidget(this);
    column->setMaximumWidth(columnWidth);
    auto* layout = new QVBoxLayout(column);
    layout->setContentsMargins(0, spacing::grid, 0, 0);
    layout->setSpacing(spacing::grid);
    auto* top = new QHBoxLayout;
    top->setSpacing(spacing::grid);
    top->addWidget(m_glyph, 0, Qt::AlignVCenter);
    top->addWidget(m_title, 1);
    layout->addLayout(top);
    layout->addWidget(m_reason);
    layout->addWidget(m_remedy);
    layout->addSpacing(spacing::grid);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_again);
    buttons->addWidget(m_folder);
    buttons->addWidget(m_stop);
    buttons->addStretch();
    buttons->addWidget(m_delete); // apart from the others
    layout->addLayout(buttons);
    layout->addSpacing(spacing::grid);
    layout->addWidget(new Hairline(Qt::Horizontal, column));
    layout->addSpacing(spacing::grid);
    m_facts->setDense(true);
    m_facts->addRow(tr("System"), m_system);
    m_facts->addRow(tr("Disk"), m_disk);
    m_facts->addRow(tr("Folder"), m_path);
    layout->addWidget(m_facts);
    layout->addStretch();
    content()->addWidget(column);
    connect(m_again, &QPushButton::clicked, this, &MachineProblemPage::readAgainRequested);
    connect(m_folder, &QPushButton::clicked, this, &MachineProblemPage::showFolderRequested);
    connect(m_delete, &QPushButton::clicked, this, &MachineProblemPage::deleteRequested);
    connect(m_stop, &QPushButton::clicked, this, &MachineProblemPage::stopRequested);
}

bool MachineProblemPage::isFor(const MachineInfo& info, const HypervisorInfo* host) {
    return info.state == MachineState::Broken || info.state == MachineState::RunningElsewhere ||
           isForeign(info, host);
}

void MachineProblemPage::showMachine(const MachineInfo& info) {
    const bool broken = info.state == MachineState::Broken;
    const bool elsewhere = info.state == MachineState::RunningElsewhere;
    m_glyph->setGlyph(broken ? Glyph::Broken : elsewhere ? Glyph::Elsewhere : Glyph::Warning, 16);
    if (broken) {
        m_title->setText(tr("\"%1\" cannot be read.").arg(plainText(info.name)));
        m_reason->setText(info.brokenReason);
        m_remedy->setText(tr("Nothing was changed. Repair or restore the files in its folder, then "
                             "read it again; or move the folder to the Trash."));
    } else if (elsewhere && info.holderPid > 0) {
        m_title->setText(tr("Another program runs \"%1\".").arg(plainText(info.name)));
        m_reason->setText(tr("Process %1 holds this machine and does not answer to Vitrine. It was "
                             "started by another program, such as tart, or it hangs.")
                              .arg(info.holderPid));
        m_remedy->setText(tr("Stop it in the program that started it, or here. Its pages come back "
                             "as soon as the machine is free."));
    } else if (elsewhere) {
        m_title->setText(
            tr("\"%1\" runs on another computer or in a container.").arg(plainText(info.name)));
        m_reason->setText(tr("Its files are locked by a process that this computer cannot see."));
        m_remedy->setText(tr("Stop it where it runs. Its pages come back as soon as the machine is "
                             "free."));
    } else {
        const HypervisorInfo* host = m_services.host->info();
        m_title->setText(tr("\"%1\" cannot run on this computer.").arg(plainText(info.name)));
        m_reason->setText(host != nullptr ? host->status(Feature::DarwinGuests).reason : QString());
        m_remedy->setText(tr("Its files are whole. Copy or push it to a computer that can run it; "
                             "cloning, renaming and deleting work here."));
    }
    m_again->setVisible(broken);
    m_stop->setVisible(elsewhere && info.holderPid > 0);
    m_delete->setVisible(!elsewhere);
    m_system->setText(broken ? tr("Unknown") : systemText(info));
    m_disk->setText(tr("%1 used on this computer").arg(info.allocated.toText()));
    m_path->setText(homeShortened(info.directory));
}

QString MachineProblemPage::title() const {
    return m_title->text();
}

QString MachineProblemPage::reason() const {
    return m_reason->text();
}

} // namespace vitrine::ui
