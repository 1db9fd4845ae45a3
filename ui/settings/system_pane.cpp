// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/system_pane.h"

#include "core/machine/mac_options.h"
#include "core/posix/host.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLocale>
#include <QPushButton>
#include <QSpinBox>
#include <QThread>

namespace vitrine::ui {

namespace {

ByteCount hostMemory() {
    return ByteCount::fromBytes(posix::physicalMemory());
}

} // namespace

SystemPane::SystemPane(QWidget* parent)
    : SettingsPane(tr("System"), parent)
    , m_cpus(new QSpinBox(this))
    , m_memory(new QSpinBox(this))
    , m_accelerator(new QComboBox(this))
    , m_testAgain(new QPushButton(tr("Test Again"), this))
    , m_nested(new QCheckBox(tr("Virtual machines inside this one"), this))
    , m_suspendable(new QCheckBox(tr("Only devices whose state macOS can save"), this)) {
    m_cpus->setRange(1, 255);
    m_cpus->setFixedWidth(120);
    m_memory->setRange(64, 16 * 1024 * 1024);
    m_memory->setSingleStep(256);
    m_memory->setSuffix(QChar(0x00A0) + tr("MB"));
    m_memory->setFixedWidth(160);
    m_accelerator->addItem(tr("Automatic"), static_cast<int>(AcceleratorChoice::Automatic));
    m_accelerator->addItem(tr("KVM (hardware)"), static_cast<int>(AcceleratorChoice::Kvm));
    m_accelerator->addItem(tr("TCG (emulation)"), static_cast<int>(AcceleratorChoice::Tcg));
    m_accelerator->setMinimumWidth(200);
    m_accelerator->setAccessibleName(tr("Accelerator"));
    m_cpusField = addField(tr("&Processors"), m_cpus);
    m_memoryField = addField(tr("&Memory"), m_memory);
    m_acceleratorField = addField(tr("&Accelerator"), beside({m_accelerator, m_testAgain}));
    m_nestedField = addField(tr("Nested virtualization"), m_nested);
    m_suspendableField =
        addField(tr("Suspendable"),
                 m_suspendable,
                 tr("Without it the machine cannot be suspended. With it, it has no sound, and "
                    "its keyboard and trackpad need macOS 13 or newer in the guest."));

    connect(m_cpus, &QSpinBox::valueChanged, this, [this](int value) {
        edit([=](MachineSettings& settings) { settings.cpuCount = value; });
    });
    connect(m_memory, &QSpinBox::valueChanged, this, [this](int value) {
        edit([=](MachineSettings& settings) {
            settings.memory = ByteCount::fromMiB(static_cast<quint64>(value));
        });
    });
    connect(m_accelerator, &QComboBox::currentIndexChanged, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.run.accelerator =
                static_cast<AcceleratorChoice>(m_accelerator->currentData().toInt());
        });
    });
    connect(m_nested, &QCheckBox::toggled, this, [this](bool on) {
        edit([=](MachineSettings& settings) { settings.run.nested = on; });
    });
    connect(m_suspendable, &QCheckBox::toggled, this, [this](bool on) {
        edit([on](MachineSettings& settings) {
            MacOptions mac = MacOptions::of(settings.run);
            mac.suspendable = on;
            mac.storeIn(settings.run);
        });
    });
    connect(m_testAgain, &QPushButton::clicked, this, &SystemPane::testAgainRequested);
}

void SystemPane::display(const PaneContext& context) {
    begin(context);
    const MachineSettings& settings = context.draft.value();
    const MachineSettings& saved = context.draft.saved();
    const int hostCpus = QThread::idealThreadCount();
    const ByteCount hostRam = hostMemory();
    m_cpus->setValue(settings.cpuCount);
    m_memory->setValue(static_cast<int>(settings.memory.wholeMiB()));
    m_nested->setChecked(settings.run.nested);
    m_accelerator->setCurrentIndex(
        m_accelerator->findData(static_cast<int>(settings.run.accelerator)));

    m_cpusField->setSuffix(tr("of %1 on this computer").arg(QLocale().toString(hostCpus)));
    m_cpusField->setHelp(
        settings.cpuCount > hostCpus
            ? tr("More than this computer has: the machine gets slower, not faster.")
            : QString());
    m_memoryField->setSuffix(tr("%1 of %2 on this computer")
                                 .arg(settings.memory.toMemoryText(), hostRam.toMemoryText()));
    m_memoryField->setHelp(settings.memory.bytes() * 10 > hostRam.bytes() * 8
                               ? tr("This leaves little for this computer itself. Above its memory "
                                    "the machine will not start.")
                               : QString());

    if (!context.host) {
        m_acceleratorField->setReason(tr("Finding out what this computer can do…"));
        m_nestedField->setReason(tr("Finding out what this computer can do…"));
    } else {
        const FeatureStatus choice = context.host->status(Feature::AcceleratorChoice);
        m_acceleratorField->setReason(choice.available ? QString() : choice.reason);
        m_acceleratorField->setHelp(context.host->status(Feature::HardwareAcceleration).reason);
        m_testAgain->setEnabled(true);
        const FeatureStatus nested = context.host->status(Feature::NestedVirtualization);
        QString reason = nested.available ? QString() : nested.reason;
        if (context.isMac())
            reason = tr("macOS guests offer no virtualization of their own.");
        else if (context.info.config && context.host->architecture &&
                 context.info.config->architecture != *context.host->architecture)
            reason = tr("An %1 machine is emulated on this %2 computer, and an emulated processor "
                        "offers no virtualization.")
                         .arg(toText(context.info.config->architecture),
                              toText(*context.host->architecture));
        else if (settings.run.accelerator == AcceleratorChoice::Tcg)
            reason = tr("It needs KVM, and the accelerator above is TCG (emulation).");
        // What is on can always be switched off.
        m_nestedField->setReason(settings.run.nested ? QString() : reason);
        m_nestedField->setProblem(settings.run.nested ? reason : QString());
    }
    using Effect = SettingsChange::Effect;
    const Effect when = context.running ? Effect::NextStart : Effect::Now;
    const auto effect = [&](bool differs) { return differs ? std::optional(when) : std::nullopt; };
    m_cpusField->setEffect(effect(settings.cpuCount != saved.cpuCount));
    m_memoryField->setEffect(effect(settings.memory != saved.memory));
    m_cpusField->setReason(context.fixedHardware());
    m_memoryField->setReason(context.fixedHardware());
    const auto ofRun = [&](bool differs) {
        return differs ? std::optional(context.runEffect()) : std::nullopt;
    };
    m_nestedField->setEffect(ofRun(settings.run.nested != saved.run.nested));
    const bool suspendable = MacOptions::of(settings.run).suspendable;
    QString noSuspend = context.whyNot(Feature::DarwinGuests);
    if (noSuspend.isEmpty())
        noSuspend = context.whyNot(Feature::Suspend);
    m_suspendable->setChecked(suspendable);
    m_suspendableField->setReason(suspendable ? QString() : noSuspend);
    m_suspendableField->setProblem(suspendable ? noSuspend : QString());
    m_suspendableField->setEffect(ofRun(suspendable != MacOptions::of(saved.run).suspendable));
    setFieldVisible(m_suspendableField, context.isMac());
    m_acceleratorField->setEffect(ofRun(settings.run.accelerator != saved.run.accelerator));
    end();
}

} // namespace vitrine::ui
