// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/machine_facts.h"

#include "ui/library/machine_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr int labelWidth = 72;

TextLabel* value(QWidget* parent) {
    auto* label = new TextLabel({}, TextSize::Body, TextTone::Text, parent);
    label->setWordWrap(true);
    label->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    return label;
}

void setHelp(const Form::Row& row, const QString& text) {
    row.help->setText(text);
    row.help->setVisible(!text.isEmpty());
}

} // namespace

namespace {

QString acceleratorText(const QString& accelerator) {
    return accelerator == QLatin1String("TCG") ? Tr::tr("TCG, emulated") : accelerator;
}

QString acceleratorHelp(const QString& accelerator) {
    if (accelerator == QLatin1String("TCG"))
        return Tr::tr("TCG is QEMU's emulation: every instruction of the guest is translated by a "
                      "program, which is many times slower than the processor itself.");
    if (accelerator == QLatin1String("KVM"))
        return Tr::tr("KVM lets the guest run on the processor itself, at nearly full speed.");
    return {};
}

} // namespace

QString sshLine(const MachineStatus* status) {
    if (status == nullptr || status->sshPort == 0)
        return {};
    return QStringLiteral("ssh -p %1 admin@127.0.0.1").arg(status->sshPort);
}

MachineFacts::MachineFacts(QWidget* parent)
    : QWidget(parent)
    , m_form(new Form(labelWidth, this))
    , m_system(value(this))
    , m_processor(value(this))
    , m_memory(value(this))
    , m_disk(value(this))
    , m_display(value(this))
    , m_network(value(this))
    , m_signIn(new TextLabel({}, TextSize::Fixed, TextTone::Text, this))
    , m_copySignIn(new CopyButton(tr("Copy the ssh line"), this))
    , m_image(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Body, TextTone::Text, this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    layout->addStretch();
    m_form->setDense(true);
    m_systemRow = m_form->addRow(tr("System"), m_system);
    m_form->addRow(tr("Processor"), m_processor);
    m_form->addRow(tr("Memory"), m_memory);
    m_diskRow = m_form->addRow(tr("Disk"), m_disk);
    m_form->addRow(tr("Display"), m_display);
    m_networkRow = m_form->addRow(tr("Network"), m_network);
    // On two lines rather than cut: it is there to be read and typed.
    m_signIn->setWordWrap(true);
    m_signIn->makeSelectable();
    m_signIn->setFocusPolicy(Qt::ClickFocus);
    m_signIn->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_signInRow = m_form->addRow(tr("Sign in"), m_signIn);
    m_signInRow.controls->insertWidget(1, m_copySignIn);
    m_signInRow.controls->setStretchFactor(m_signIn, 1);
    m_imageRow = m_form->addRow(tr("Image"), m_image);
}

void MachineFacts::showMachine(const MachineInfo& info,
                               const MachineStatus* status,
                               const Sidecar& sidecar) {
    if (!info.config)
        return;
    const MachineConfig& config = *info.config;
    const QString accelerator = status != nullptr ? status->accelerator : QString();
    m_system->setText(accelerator.isEmpty()
                          ? systemText(info)
                          : tr("%1 · %2").arg(systemText(info), acceleratorText(accelerator)));
    m_system->setToolTip(acceleratorHelp(accelerator).toHtmlEscaped());
    QStringList notes;
    if (status != nullptr) {
        for (const QString& note : {status->acceleratorNote, status->note}) {
            if (!note.isEmpty() && !notes.contains(note))
                notes.append(note);
        }
    }
    setHelp(m_systemRow, notes.join(QLatin1Char(' ')));
    m_processor->setText(coresText(config.cpuCount));
    m_memory->setText(config.memory.toMemoryText());
    m_disk->setText(info.diskSize.toText());
    setHelp(m_diskRow, tr("%1 used on this computer.").arg(info.allocated.toText()));
    const int width = status != nullptr && status->width > 0 ? status->width : config.display.width;
    const int height =
        status != nullptr && status->height > 0 ? status->height : config.display.height;
    m_display->setText(tr("%1 × %2").arg(width).arg(height));

    m_network->setText(tr("NAT"));
    QStringList network;
    if (status != nullptr && !status->address.isEmpty())
        network.append(tr("The guest sees %1; from here it is reached through the forwarded port.")
                           .arg(status->address));
    network.append(tr("The guest can reach services on this computer's 127.0.0.1."));
    setHelp(m_networkRow, network.join(QLatin1Char(' ')));

    const QString line = sshLine(status);
    m_signIn->setText(line);
    // As wide as the line where there is room, with the button beside it.
    m_signIn->setMaximumWidth(QFontMetrics(Theme::fixed()).horizontalAdvance(line) + 2);
    m_copySignIn->setTextToCopy(line);
    m_form->setRowVisible(m_signInRow, !line.isEmpty());
    m_image->setText(sidecar.sourceImage);
    m_form->setRowVisible(m_imageRow, !sidecar.sourceImage.isEmpty());
}

} // namespace vitrine::ui
