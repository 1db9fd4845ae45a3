// SPDX-License-Identifier: Apache-2.0
#include "ui/overview/image_page.h"

#include "ui/library/machine_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/buttons.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/form.h"
#include "ui/widgets/message_bar.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QVBoxLayout>

namespace vitrine::ui {

ImagePage::ImagePage(QWidget* parent)
    : PageFrame(parent)
    , m_title(new ElidedLabel({}, Qt::ElideMiddle, TextSize::PageTitle, TextTone::Text, this))
    , m_message(new MessageBar(this))
    , m_make(primaryButton(tr("Make a Machine…"), u"plus", this))
    , m_delete(normalButton(tr("Delete…"), u"trash", this))
    , m_system(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_processor(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_memory(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_disk(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_used(new TextLabel({}, TextSize::Body, TextTone::Text, this))
    , m_reference(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Fixed, TextTone::Text, this))
    , m_folder(new ElidedLabel({}, Qt::ElideMiddle, TextSize::Fixed, TextTone::Text, this)) {
    m_message->setDismissible(false);
    content()->addWidget(m_title);
    content()->addWidget(m_message);
    auto* form = new Form(120, this);
    form->setDense(true);
    const Form::Row reference = form->addRow(tr("Reference"), m_reference);
    auto* copy = new CopyButton(tr("Copy the reference"), this);
    reference.controls->insertWidget(1, copy);
    connect(copy, &QToolButton::pressed, copy, [this, copy] {
        copy->setTextToCopy(m_reference->text());
    });
    form->addRow(tr("System"), m_system);
    form->addRow(tr("Processor"), m_processor);
    form->addRow(tr("Memory"), m_memory);
    form->addRow(tr("Disk"), m_disk);
    form->addRow(tr("On this computer"), m_used);
    form->addRow(tr("Folder"), m_folder);
    content()->addWidget(form);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_make);
    buttons->addStretch();
    buttons->addWidget(m_delete);
    content()->addLayout(buttons);
    content()->addStretch();
    connect(m_make, &QPushButton::clicked, this, &ImagePage::makeMachineRequested);
    connect(m_delete, &QPushButton::clicked, this, &ImagePage::deleteRequested);
}

void ImagePage::showImage(const MachineInfo& info) {
    const ImageLabel label = imageLabel(info.name);
    m_title->setText(label.name + label.tag);
    m_reference->setText(info.name);
    m_folder->setText(homeShortened(info.directory));
    m_used->setText(info.allocated.toText());
    const bool broken = info.state == MachineState::Broken || !info.config;
    m_make->setEnabled(!broken);
    if (broken)
        m_message->showMessage(MessageBar::Kind::Error,
                               tr("This image is damaged."),
                               tr("%1 Delete it and pull it again.").arg(info.brokenReason));
    else
        m_message->clear();
    m_system->setText(broken ? tr("Unknown") : systemText(info));
    m_processor->setText(broken ? QString() : coresText(info.config->cpuCount));
    m_memory->setText(broken ? QString() : info.config->memory.toMemoryText());
    m_disk->setText(info.diskSize.toText());
}

} // namespace vitrine::ui
