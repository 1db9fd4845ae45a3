// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/disks_pane.h"

#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>

#include <algorithm>

namespace vitrine::ui {

DisksPane::DisksPane(QWidget* parent)
    : SettingsPane(tr("Disks"), parent)
    , m_table(new QTableWidget(0, 4, this))
    , m_add(new QPushButton(themeIcon(u"plus"), tr("A&dd…"), this))
    , m_remove(new QPushButton(themeIcon(u"minus"), tr("Re&move"), this))
    , m_size(new QDoubleSpinBox(this))
    , m_caching(new QComboBox(this))
    , m_synchronisation(new QComboBox(this))
    , m_readOnly(new QCheckBox(tr("Read-only"), this))
    , m_format(new QLabel(this)) {
    m_table->setHorizontalHeaderLabels({tr("Name"), tr("File"), tr("Size"), tr("Guest sees")});
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(spacing::tableRow);
    m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setAccessibleName(tr("Disks of the machine"));
    auto* verbs = new QWidget(this);
    auto* verbLayout = new QHBoxLayout(verbs);
    verbLayout->setContentsMargins(0, 0, 0, 0);
    verbLayout->setSpacing(spacing::grid);
    verbLayout->addStretch();
    verbLayout->addWidget(m_add);
    verbLayout->addWidget(m_remove);
    addWide(verbs);
    addWide(m_table);

    m_size->setDecimals(0);
    m_size->setRange(1, 65535);
    m_size->setSuffix(QChar(0x00A0) + tr("GB"));
    m_size->setFixedWidth(140);
    m_caching->addItem(tr("Automatic"), static_cast<int>(Caching::Automatic));
    m_caching->addItem(tr("Through the page cache (cached)"), static_cast<int>(Caching::Cached));
    m_caching->addItem(tr("Past the page cache (uncached)"), static_cast<int>(Caching::Uncached));
    m_caching->setMinimumWidth(320);
    m_synchronisation->addItem(tr("Every guest flush reaches the drive (full)"),
                               static_cast<int>(Synchronisation::Full));
    m_synchronisation->addItem(tr("Every guest flush is written (fsync)"),
                               static_cast<int>(Synchronisation::Fsync));
    m_synchronisation->addItem(tr("Flushes are ignored (none)"),
                               static_cast<int>(Synchronisation::None));
    m_synchronisation->setMinimumWidth(320);

    m_sizeField = addField(tr("&Size"), m_size);
    m_cachingField = addField(tr("&Caching"), m_caching);
    m_synchronisationField = addField(tr("Sy&nchronisation"), m_synchronisation);
    m_readOnlyField = addField(tr("Access"), m_readOnly);
    m_formatField = addField(tr("Format"), m_format);

    connect(m_table, &QTableWidget::itemSelectionChanged, this, &DisksPane::fillFields);
    connect(m_add, &QPushButton::clicked, this, &DisksPane::addDisk);
    connect(m_remove, &QPushButton::clicked, this, &DisksPane::removeDisk);
    connect(m_size, &QDoubleSpinBox::valueChanged, this, [this](double value) {
        edit([=, this](MachineSettings& settings) {
            const auto gigabytes = static_cast<quint64>(value);
            // A size that is no whole number of GB stays as it is until another number is chosen.
            settings.diskSize = gigabytes == m_saved.diskSize.wholeGB()
                                    ? m_saved.diskSize
                                    : ByteCount::fromGB(gigabytes);
        });
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

int DisksPane::currentDisk() const {
    return std::max(0, m_table->currentRow());
}

void DisksPane::editOptions(const std::function<void(DiskOptions&)>& change) {
    const int disk = currentDisk();
    edit([&](MachineSettings& settings) {
        if (disk == 0)
            change(settings.run.rootDisk);
        else if (disk <= settings.run.disks.size())
            change(settings.run.disks[disk - 1].options);
    });
}

void DisksPane::addDisk() {
    const QString path = QFileDialog::getOpenFileName(
        this,
        tr("Add a Disk"),
        QString(),
        tr("Raw disk images and ISO files (*.img *.raw *.iso);;All files (*)"));
    if (path.isEmpty())
        return;
    ExtraDisk disk;
    disk.path = path;
    disk.options.readOnly = path.endsWith(QLatin1String(".iso"), Qt::CaseInsensitive);
    edit([&](MachineSettings& settings) { settings.run.disks.append(disk); });
    m_table->selectRow(m_table->rowCount() - 1);
}

void DisksPane::removeDisk() {
    const int disk = currentDisk();
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
    fillTable(context);
    end();
    fillFields();
}

void DisksPane::fillTable(const PaneContext&) {
    const int selected = currentDisk();
    const int rows = 1 + static_cast<int>(m_shown.run.disks.size());
    m_table->setRowCount(rows);
    const auto cell = [this](int row, int column, const QString& text) {
        QTableWidgetItem* item = m_table->item(row, column);
        if (!item) {
            item = new QTableWidgetItem;
            m_table->setItem(row, column, item);
        }
        if (column == 2)
            item->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        item->setText(text);
        item->setToolTip(text);
    };
    for (int row = 0; row < rows; ++row) {
        const QString device = QStringLiteral("vd%1").arg(QChar(static_cast<ushort>(u'a' + row)));
        if (row == 0) {
            cell(row, 0, tr("Root disk"));
            cell(row, 1, QStringLiteral("disk.img"));
            cell(row, 2, m_shown.diskSize.toText());
        } else {
            const ExtraDisk& disk = m_shown.run.disks.at(row - 1);
            cell(row, 0, QFileInfo(disk.path).completeBaseName());
            cell(row,
                 1,
                 disk.path +
                     (disk.options.readOnly ? QStringLiteral(" · ") + tr("read-only") : QString()));
            cell(row, 2, QStringLiteral("–"));
        }
        cell(row, 3, device);
    }
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() +
                            rows * spacing::tableRow + 2);
    if (m_table->currentRow() < 0 || selected >= rows)
        m_table->selectRow(std::min(selected, rows - 1));
}

void DisksPane::fillFields() {
    const int disk = currentDisk();
    const bool root = disk == 0;
    const DiskOptions options =
        root ? m_shown.run.rootDisk : m_shown.run.disks.value(disk - 1).options;
    const DiskOptions before =
        root ? m_saved.run.rootDisk : m_saved.run.disks.value(disk - 1).options;
    const QSignalBlocker blockSize(m_size);
    const QSignalBlocker blockCaching(m_caching);
    const QSignalBlocker blockSynchronisation(m_synchronisation);
    const QSignalBlocker blockReadOnly(m_readOnly);
    m_size->setMinimum(static_cast<double>(std::max<quint64>(1, m_info.diskSize.wholeGB())));
    m_size->setValue(static_cast<double>(std::max<quint64>(1, m_shown.diskSize.wholeGB())));
    m_caching->setCurrentIndex(m_caching->findData(static_cast<int>(options.caching)));
    m_synchronisation->setCurrentIndex(
        m_synchronisation->findData(static_cast<int>(options.synchronisation)));
    m_readOnly->setChecked(options.readOnly);
    m_remove->setEnabled(!root);
    m_remove->setToolTip(root ? tr("The root disk belongs to the machine.")
                              : tr("Takes the disk off. The file stays."));

    m_sizeField->setSuffix(root ? tr("now %1").arg(m_info.diskSize.toText()) : QString());
    m_sizeField->setReason(root ? QString() : tr("Only the root disk is resized here."));
    m_sizeField->setHelp(tr(
        "A disk can only grow. The guest's partition and file system are grown inside the guest, "
        "for example with growpart and resize2fs."));
    const QString cachingHelp =
        options.caching == Caching::Uncached
            ? tr("Leaves this computer's memory alone. Slower when files are read again.")
            : tr("Fast when files are read again. Uses this computer's free memory.");
    m_cachingField->setHelp(cachingHelp);
    switch (options.synchronisation) {
    case Synchronisation::Full:
    case Synchronisation::Fsync:
        m_synchronisationField->setHelp(tr("After a power cut everything the guest flushed is "
                                           "there. On Linux both mean the same."));
        break;
    case Synchronisation::None:
        m_synchronisationField->setHelp(tr(
            "Faster, but a power cut of this computer can destroy the guest's whole file system."));
        break;
    }
    m_readOnlyField->setHelp(root && options.readOnly
                                 ? tr("Most systems do not start from a disk they cannot write to.")
                                 : QString());
    m_format->setText(m_info.config && m_info.config->diskFormat == DiskFormat::Asif
                          ? QStringLiteral("asif")
                          : QStringLiteral("raw"));
    using Effect = SettingsChange::Effect;
    const Effect when = m_running ? Effect::NextStart : Effect::Now;
    const auto effect = [&](bool differs) { return differs ? std::optional(when) : std::nullopt; };
    m_sizeField->setEffect(effect(root && m_shown.diskSize != m_saved.diskSize));
    m_cachingField->setEffect(effect(options.caching != before.caching));
    m_synchronisationField->setEffect(effect(options.synchronisation != before.synchronisation));
    m_readOnlyField->setEffect(effect(options.readOnly != before.readOnly));
}

} // namespace vitrine::ui
