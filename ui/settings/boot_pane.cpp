// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/boot_pane.h"

#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>

namespace vitrine::ui {

namespace {

QLineEdit* pathField(QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setMinimumWidth(240);
    return field;
}

void setText(QLineEdit* field, const QString& text) {
    if (!field->hasFocus() && field->text() != text)
        field->setText(text);
}

} // namespace

BootPane::BootPane(QWidget* parent)
    : SettingsPane(tr("Boot"), parent)
    , m_order(new QComboBox(this))
    , m_kernel(pathField(this))
    , m_initrd(pathField(this))
    , m_commandLine(pathField(this))
    , m_serial(new QComboBox(this))
    , m_device(pathField(this))
    , m_recovery(new QCheckBox(tr("Start into macOS Recovery"), this))
    , m_rosetta(new QCheckBox(tr("Run Intel programs in the guest"), this))
    , m_install(new QPushButton(tr("Install Rosetta…"), this)) {
    for (const auto& [text, order] : {std::pair(tr("Disks, then CDs"), ""),
                                      std::pair(tr("CDs, then disks"), "cd,disk"),
                                      std::pair(tr("Disks only"), "disk"),
                                      std::pair(tr("Network, then disks"), "network,disk"),
                                      std::pair(tr("Disks, CDs, network"), "disk,cd,network"),
                                      std::pair(tr("CDs, disks, network"), "cd,disk,network")})
        m_order->addItem(text, QLatin1String(order));
    m_order->setFixedWidth(320);
    m_commandLine->setFont(Theme::fixed());
    m_device->setPlaceholderText(QStringLiteral("/dev/ttyS0"));
    m_serial->addItem(tr("The machine's log and console"),
                      static_cast<int>(SerialLine::Kind::Console));
    m_serial->addItem(tr("A new pseudo-terminal at each start"),
                      static_cast<int>(SerialLine::Kind::NewTerminal));
    m_serial->addItem(tr("A terminal device"), static_cast<int>(SerialLine::Kind::Device));
    m_serial->setFixedWidth(320);

    m_orderField = addField(tr("Boot &order"), m_order);
    m_kernelField = addField(tr("&Kernel"),
                             fileRow(m_kernel, tr("Choose a Kernel")),
                             tr("A Linux kernel to start without firmware. Empty: the firmware "
                                "starts from a disk."));
    m_initrdField = addField(tr("&Initial RAM disk"), fileRow(m_initrd, tr("Choose an Initrd")));
    m_commandLineField = addField(tr("Command &line"), m_commandLine);
    addHeading(tr("Serial line"));
    m_serialField = addField(tr("&Serial line"), m_serial);
    m_deviceField = addField(tr("&Device"), m_device);
    addHeading(tr("On a Mac"));
    m_recoveryField = addField(tr("Recovery"), m_recovery);
    m_rosettaField = addField(tr("Rosetta"), m_rosetta);
    m_installField = addField({}, beside({m_install}));
    m_install->setAccessibleDescription(
        tr("Fetches it from Apple, whose licence is asked about first."));
    m_install->setToolTip(m_install->accessibleDescription());
    connect(m_install, &QPushButton::clicked, this, [this] {
        Q_EMIT installRequested(Feature::Rosetta);
    });

    connect(m_order, &QComboBox::currentIndexChanged, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.run.bootOrder =
                bootOrderFromText(m_order->currentData().toString()).value_or(BootOrder());
        });
    });
    for (QLineEdit* field : {m_kernel, m_initrd, m_commandLine})
        connect(field, &QLineEdit::textEdited, this, &BootPane::editKernel);
    connect(m_serial, &QComboBox::currentIndexChanged, this, [this] {
        edit([this](MachineSettings& settings) {
            settings.run.serial.kind =
                static_cast<SerialLine::Kind>(m_serial->currentData().toInt());
            settings.run.serial.path = settings.run.serial.kind == SerialLine::Kind::Device
                                           ? m_device->text().trimmed()
                                           : QString();
        });
    });
    connect(m_rosetta, &QCheckBox::toggled, this, [this](bool on) {
        edit([=](MachineSettings& settings) {
            MacOptions mac = MacOptions::of(settings.run);
            mac.rosetta = on ? QStringLiteral("rosetta") : QString();
            mac.storeIn(settings.run);
        });
    });
    connect(m_device, &QLineEdit::textEdited, this, [this](const QString& text) {
        edit([&](MachineSettings& settings) { settings.run.serial.path = text.trimmed(); });
    });
}

QWidget* BootPane::fileRow(QLineEdit* field, const QString& title) {
    field->setAccessibleName(title);
    auto* choose = new QPushButton(tr("Choose…"), this);
    connect(choose, &QPushButton::clicked, this, [this, field, title] {
        const QString path = QFileDialog::getOpenFileName(this, title);
        if (path.isEmpty())
            return;
        field->setText(path);
        editKernel();
    });
    return beside({field, choose});
}

void BootPane::editKernel() {
    edit([this](MachineSettings& settings) {
        const KernelBoot boot{m_kernel->text().trimmed(),
                              m_initrd->text().trimmed(),
                              m_commandLine->text().trimmed()};
        settings.run.kernel = boot.kernel.isEmpty() ? std::nullopt : std::optional(boot);
    });
}

// An order that was stored by hand keeps its place.
void BootPane::fillOrder(const RunOptions& run) {
    const QString order = toText(run.bootOrder);
    int index = m_order->findData(order);
    if (index < 0) {
        m_order->addItem(order, order);
        index = m_order->count() - 1;
    }
    m_order->setCurrentIndex(index);
}

void BootPane::display(const PaneContext& context) {
    begin(context);
    const RunOptions& run = context.draft.value().run;
    const RunOptions& saved = context.draft.saved().run;
    fillOrder(run);
    const KernelBoot boot = run.kernel.value_or(KernelBoot());
    const bool kernel = run.kernel.has_value();
    setText(m_kernel, boot.kernel);
    // Kept while a kernel's path is typed anew, but never for another machine.
    if (kernel || m_directory != context.info.directory || !context.draft.isDirty()) {
        setText(m_initrd, boot.initrd);
        setText(m_commandLine, boot.commandLine);
    }
    m_directory = context.info.directory;
    m_serial->setCurrentIndex(m_serial->findData(static_cast<int>(run.serial.kind)));
    setText(m_device, run.serial.path);

    m_orderField->setReason(
        kernel ? tr("The machine starts the kernel named below, without firmware.") : QString());
    m_orderField->setHelp(run.bootOrder.contains(BootDevice::Network)
                              ? tr("From the network the firmware asks for PXE and HTTP boot.")
                              : QString());
    // What is stored can always be taken out.
    m_kernelField->setReason(kernel ? QString() : context.whyNot(Feature::KernelBoot));
    m_kernelField->setProblem(kernel ? context.whyNot(Feature::KernelBoot) : QString());
    const QString needsKernel = kernel ? QString() : tr("Belongs to a kernel named above.");
    m_initrdField->setReason(needsKernel);
    m_commandLineField->setReason(needsKernel);
    const bool otherSerial = run.serial.kind != SerialLine::Kind::Console;
    m_serialField->setReason(otherSerial ? QString() : context.whyNot(Feature::Serial));
    m_serialField->setProblem(otherSerial ? context.whyNot(Feature::Serial) : QString());
    const bool device = run.serial.kind == SerialLine::Kind::Device;
    m_serialField->setHelp(run.serial.kind == SerialLine::Kind::NewTerminal
                               ? tr("\"vitrinectl run\" prints its name. What the guest prints is "
                                    "in the log as well.")
                               : QString());
    m_deviceField->setReason(device ? QString() : tr("Only for a serial line to a device."));
    m_deviceField->setProblem(device && !run.serial.path.startsWith(QLatin1Char('/'))
                                  ? tr("Write the whole path of a terminal device.")
                                  : QString());
    // Recovery belongs to macOS guests, Rosetta to Linux guests.
    const bool mac = context.isMac();
    const QString noRecovery = context.whyNot(Feature::Recovery);
    m_recoveryField->setReason(
        noRecovery.isEmpty() ? tr("It is chosen at each start: Machine › Start into Recovery, or "
                                  "vitrinectl run --recovery.")
                             : noRecovery);
    const QString tag = MacOptions::of(run).rosetta;
    const bool rosetta = !tag.isEmpty();
    m_rosetta->setChecked(rosetta);
    m_rosettaField->setHelp(
        rosetta ? tr("The guest mounts it as the folder with the tag \"%1\".").arg(tag)
                : QString());
    // What is on can always be switched off.
    m_rosettaField->setReason(rosetta ? QString() : context.whyNot(Feature::Rosetta));
    m_rosettaField->setProblem(rosetta ? context.whyNot(Feature::Rosetta) : QString());
    setFieldVisible(m_recoveryField, mac);
    setFieldVisible(m_rosettaField, !mac);
    const bool installable = context.host && context.host->status(Feature::Rosetta).installable;
    setFieldVisible(m_installField, !mac && installable);
    const auto effect = [&](bool differs) {
        return differs ? std::optional(context.runEffect()) : std::nullopt;
    };
    m_orderField->setEffect(effect(run.bootOrder != saved.bootOrder));
    m_kernelField->setEffect(effect(run.kernel != saved.kernel));
    m_serialField->setEffect(effect(run.serial != saved.serial));
    m_rosettaField->setEffect(effect(tag != MacOptions::of(saved).rosetta));
    end();
}

} // namespace vitrine::ui
