// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/disks_pane.h"

#include "core/machine/disk_durability.h"
#include "ui/settings/disk_table.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStandardItemModel>

#include <algorithm>

namespace vitrine::ui {

namespace {

using Effect = SettingsChange::Effect;

// With the reason why it is greyed, else empty.
void setItemReason(QComboBox* box, int value, const QString& reason) {
    auto* model = qobject_cast<QStandardItemModel*>(box->model());
    if (!model)
        return;
    QStandardItem* item = model->item(box->findData(value));
    item->setEnabled(reason.isEmpty());
    item->setToolTip(reason);
    item->setAccessibleDescription(reason);
}

} // namespace

DisksPane::DisksPane(QWidget* parent)
    : SettingsPane(tr("Disks"), parent)
    , m_table(new DiskTable(this))
    , m_add(new QPushButton(themeIcon(u"plus"), tr("A&dd"), this))
    , m_remove(new QPushButton(themeIcon(u"minus"), tr("Re&move"), this))
    , m_size(new QDoubleSpinBox(this))
    , m_partition(new QCheckBox(tr("&Grow the last partition too"), this))
    , m_caching(new QComboBox(this))
    , m_synchronisation(new QComboBox(this))
    , m_readOnly(new QCheckBox(tr("Read-&only"), this))
    , m_format(new QLabel(this)) {
    m_add->setMenu(makeAddMenu());
    auto* verbs = new QWidget(this);
    auto* verbLayout = new QHBoxLayout(verbs);
    verbLayout->setContentsMargins(0, 0, 0, 0);
    verbLayout->setSpacing(spacing::grid);
    verbLayout->addStretch();
    verbLayout->addWidget(m_add);
    verbLayout->addWidget(m_remove);
    addWide(verbs);
    addWide(m_table);
    makeFields();
    connectFields();
}

QMenu* DisksPane::makeAddMenu() {
    auto* menu = new QMenu(this);
    menu->addAction(tr("Disk Image or ISO File…"), this, &DisksPane::addFile);
    menu->addAction(tr("Block Device…"), this, [this] {
        ask(tr("Add a Block Device"),
            tr("Path of a disk, partition or logical volume of this computer, such as /dev/sdb:"),
            {QStringLiteral("/dev/")});
    });
    menu->addAction(tr("Cached Image…"), this, [this] {
        ask(tr("Add a Cached Image"),
            tr("Its disk is copied at each start; what the guest writes is gone afterwards:"),
            m_images);
    });
    menu->addAction(tr("Network Disk (NBD)…"), this, [this] {
        ask(tr("Add a Network Disk"),
            tr("Address of the disk, nbd://HOST[:PORT]/EXPORT or nbd+unix:///EXPORT?socket=PATH:"),
            {QStringLiteral("nbd://")});
    });
    return menu;
}

void DisksPane::makeFields() {
    m_size->setDecimals(0);
    m_size->setRange(1, 65535);
    m_size->setSuffix(QChar(0x00A0) + tr("GB"));
    m_size->setFixedWidth(120);
    m_size->setAccessibleName(tr("Size"));
    m_caching->addItem(tr("Automatic"), static_cast<int>(Caching::Automatic));
    m_caching->addItem(tr("Through the page cache (cached)"), static_cast<int>(Caching::Cached));
    m_caching->addItem(tr("Past the page cache (uncached)"), static_cast<int>(Caching::Uncached));
    m_caching->setFixedWidth(320);
    m_synchronisation->addItem(tr("Every guest flush reaches the drive (full)"),
                               static_cast<int>(Synchronisation::Full));
    m_synchronisation->addItem(tr("Every guest flush is written (fsync)"),
                               static_cast<int>(Synchronisation::Fsync));
    m_synchronisation->addItem(tr("Flushes are ignored (none)"),
                               static_cast<int>(Synchronisation::None));
    m_synchronisation->setFixedWidth(320);
    m_sizeField = addField(tr("&Size"), beside({m_size, m_partition}));
    m_cachingField = addField(tr("&Caching"), m_caching);
    m_synchronisationField = addField(tr("Sy&nchronisation"), m_synchronisation);
    m_readOnlyField = addField(tr("Access"), m_readOnly);
    m_formatField = addField(tr("Format"), m_format);
}

void DisksPane::connectFields() {
    connect(m_table, &QTableWidget::itemSelectionChanged, this, &DisksPane::fillFields);
    connect(m_remove, &QPushButton::clicked, this, &DisksPane::removeDisk);
    connect(m_size, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        edit([=, this](MachineSettings& settings) {
            const auto gigabytes = static_cast<quint64>(value);
            // A size that is no whole number of GB stays as it is until another number is chosen.
            settings.diskSize = gigabytes == m_saved.diskSize.wholeGB()
                                    ? m_saved.diskSize
                                    : ByteCount::fromGB(gigabytes);
            if (settings.diskSize == m_saved.diskSize)
                settings.growPartition = true;
        });
    });
    connect(m_partition, &QCheckBox::toggled, this, [this](bool on) {
        edit([on](MachineSettings& settings) { settings.growPartition = on; });
    });
    connect(m_caching, &QComboBox::currentIndexChanged, this, [this] {
        editOptions([this](DiskOptions& options) {
            options.caching = static_cast<Caching>(m_caching->currentData().toInt());
        });
    });
    connect(m_synchronisation, &QComboBox::currentIndexChanged, this, [this] {
        editOptions([this](DiskOptions& options) {
            options.synchronisation =
                static_cast<Synchronisation>(m_synchronisation->currentData().toInt());
        });
    });
    connect(m_readOnly, &QCheckBox::toggled, this, [this](bool on) {
        editOptions([on](DiskOptions& options) { options.readOnly = on; });
    });
}

void DisksPane::editOptions(const std::function<void(DiskOptions&)>& change) {
    const int disk = m_table->currentDisk();
    edit([&](MachineSettings& settings) {
        if (disk == 0)
            change(settings.run.rootDisk);
        else if (disk <= settings.run.disks.size())
            change(settings.run.disks[disk - 1].options);
    });
}

void DisksPane::addFile() {
    auto* dialog = new QFileDialog(this, tr("Add a Disk"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(
        {tr("Raw disk images and ISO files (*.img *.raw *.iso)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
        add(ExtraDisk{path,
                      {.readOnly = path.endsWith(QLatin1String(".iso"), Qt::CaseInsensitive)}});
    });
    dialog->open();
}

void DisksPane::ask(const QString& title, const QString& label, const QStringList& choices) {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(label);
    if (choices.size() == 1)
        dialog->setTextValue(choices.first());
    else
        dialog->setComboBoxItems(choices);
    dialog->setComboBoxEditable(true);
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& text) {
        if (const auto disk = ExtraDisk::fromText(text.trimmed()))
            add(*disk);
        else
            Q_EMIT failed(disk.error());
    });
    dialog->open();
}

void DisksPane::add(const ExtraDisk& disk) {
    edit([&](MachineSettings& settings) { settings.run.disks.append(disk); });
    m_table->selectRow(m_table->rowCount() - 1);
}

void DisksPane::removeDisk() {
    const int disk = m_table->currentDisk();
    edit([disk](MachineSettings& settings) {
        if (disk > 0 && disk <= settings.run.disks.size())
            settings.run.disks.removeAt(disk - 1);
    });
}

void DisksPane::display(const PaneContext& context) {
    begin(context);
    m_shown = context.draft.value();
    m_saved = context.draft.saved();
    m_info = context.info;
    m_running = context.running;
    m_runEffect = context.runEffect();
    m_fixedHardware = context.fixedHardware();
    m_noCaching = context.whyNot(Feature::DiskCaching);
    m_noSynchronisation = context.whyNot(Feature::DiskSynchronisation);
    m_noReadOnlyRoot = context.whyNot(Feature::ReadOnlyRootDisk);
    m_table->showDisks(m_shown,
                       m_info.config ? toText(m_info.config->diskFormat) : QStringLiteral("raw"));
    end();
    fillFields();
}

void DisksPane::fillFields() {
    const int index = m_table->currentDisk();
    const bool root = index == 0;
    ExtraDisk disk = m_shown.run.disks.value(index - 1);
    if (root)
        disk.options = m_shown.run.rootDisk;
    const DiskOptions before =
        root ? m_saved.run.rootDisk : m_saved.run.disks.value(index - 1).options;
    m_remove->setEnabled(!root);
    m_remove->setToolTip(root ? tr("The root disk belongs to the machine.")
                              : tr("Takes the disk off. The file stays."));
    m_remove->setAccessibleDescription(m_remove->toolTip());
    fillSize(root);
    fillOptions(root, disk, before);
    m_format->setText(m_info.config && root ? toText(m_info.config->diskFormat)
                                            : QStringLiteral("raw"));
    const bool device = !root && kindByText(disk) == ExtraDisk::Kind::BlockDevice;
    m_formatField->setHelp(
        device ? tr("A device of this computer, which the machine then has to itself: take it out "
                    "of use here first. Your account needs the right to open it, which the system "
                    "gives to its administrator only unless it was told otherwise.")
               : tr("Disks are taken as raw and never probed: a guest could disguise its "
                    "disk. Convert others with qemu-img convert -O raw."));
}

void DisksPane::fillSize(bool root) {
    const QSignalBlocker blockSize(m_size);
    const QSignalBlocker blockPartition(m_partition);
    m_size->setMinimum(static_cast<double>(std::max<quint64>(1, m_info.diskSize.wholeGB())));
    m_size->setValue(static_cast<double>(std::max<quint64>(1, m_shown.diskSize.wholeGB())));
    const bool grows = m_shown.diskSize != m_saved.diskSize;
    m_partition->setChecked(m_shown.growPartition);
    m_sizeField->setSuffix(root ? tr("now %1").arg(m_info.diskSize.toText()) : QString());
    m_sizeField->setReason(root ? m_fixedHardware : tr("Only the root disk is resized here."));
    m_sizeField->setHelp(
        m_running
            ? tr("A disk can only grow. The guest sees the new size at once; its agent grows "
                 "the partition and file system.")
            : tr("A disk can only grow. The guest's agent grows the partition and file system "
                 "at the next start."));
    m_partition->setEnabled(root && grows);
    if (root && m_fixedHardware.isEmpty()) {
        const QString first = tr("Choose a larger size first.");
        m_partition->setToolTip(grows ? QString() : first);
        m_partition->setAccessibleDescription(grows ? QString() : first);
    }
    m_sizeField->setEffect(root && grows ? std::optional(Effect::Now) : std::nullopt);
}

void DisksPane::fillOptions(bool root, const ExtraDisk& disk, const DiskOptions& before) {
    const DiskOptions& options = disk.options;
    const QSignalBlocker blockCaching(m_caching);
    const QSignalBlocker blockSynchronisation(m_synchronisation);
    const QSignalBlocker blockReadOnly(m_readOnly);
    const ExtraDisk::Kind kind = root ? ExtraDisk::Kind::File : kindByText(disk);
    const bool cd = !root && disk.isOptical();
    const bool network = kind == ExtraDisk::Kind::NetworkDisk;
    setItemReason(m_synchronisation,
                  static_cast<int>(Synchronisation::Fsync),
                  network || kind == ExtraDisk::Kind::BlockDevice
                      ? tr("Only for files: devices and network disks have no such level.")
                      : QString());
    m_caching->setCurrentIndex(m_caching->findData(static_cast<int>(options.caching)));
    m_synchronisation->setCurrentIndex(
        m_synchronisation->findData(static_cast<int>(options.synchronisation)));
    m_readOnly->setChecked(options.readOnly || cd);

    // A word that this kind refuses stays changeable until it is gone.
    const bool automatic = options.caching == Caching::Automatic;
    m_cachingField->setReason(!automatic ? QString()
                              : network  ? tr("The server of a network disk does the caching.")
                                         : m_noCaching);
    m_cachingField->setProblem(automatic ? QString()
                               : network ? tr("A network disk takes Automatic only: its server "
                                              "caches.")
                                         : m_noCaching);
    m_cachingField->setHelp(
        options.caching == Caching::Uncached
            ? tr("Leaves this computer's memory alone. Slower when files are read again.")
            : tr("Fast when files are read again. Uses this computer's free memory."));
    const bool readOnly = options.readOnly || cd;
    const bool full = options.synchronisation == Synchronisation::Full;
    m_synchronisationField->setReason(readOnly ? tr("Nothing is written to a read-only disk.")
                                      : full   ? m_noSynchronisation
                                               : QString());
    m_synchronisationField->setHelp(durabilityText(options));
    m_synchronisationField->setProblem(!full && !readOnly && !m_noSynchronisation.isEmpty()
                                           ? m_noSynchronisation
                                       : isRisky(options) && !cd ? durabilityText(options)
                                                                 : QString());
    m_readOnlyField->setReason(cd                          ? tr("A CD cannot be written.")
                               : root && !options.readOnly ? m_noReadOnlyRoot
                                                           : QString());
    m_readOnlyField->setProblem(root && options.readOnly ? m_noReadOnlyRoot : QString());
    m_readOnlyField->setHelp(
        kind == ExtraDisk::Kind::CachedImage
            ? tr("The image itself is never written: the guest gets a copy that goes with the run.")
        : root && options.readOnly
            ? tr("Most systems do not start from a disk they cannot write to.")
            : QString());
    const auto effect = [this](bool differs) {
        return differs ? std::optional(m_runEffect) : std::nullopt;
    };
    m_cachingField->setEffect(effect(options.caching != before.caching));
    m_synchronisationField->setEffect(effect(options.synchronisation != before.synchronisation));
    m_readOnlyField->setEffect(effect(options.readOnly != before.readOnly));
}

} // namespace vitrine::ui
