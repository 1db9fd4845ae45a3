// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/disk_table.h"

#include "core/image/image_reference.h"
#include "ui/theme/theme.h"

#include <QFileInfo>
#include <QHeaderView>

#include <algorithm>

namespace vitrine::ui {

namespace {

enum Column { nameColumn, fileColumn, sizeColumn, guestColumn, columns };

QString kindText(const ExtraDisk& disk) {
    if (disk.isOptical())
        return Tr::tr("CD");
    switch (kindByText(disk)) {
    case ExtraDisk::Kind::NetworkDisk:
        return Tr::tr("network disk");
    case ExtraDisk::Kind::BlockDevice:
        return Tr::tr("device");
    case ExtraDisk::Kind::CachedImage:
        return Tr::tr("copy of an image");
    case ExtraDisk::Kind::File:
        break;
    }
    return QStringLiteral("raw");
}

QString nameOf(const ExtraDisk& disk) {
    switch (kindByText(disk)) {
    case ExtraDisk::Kind::NetworkDisk:
        return disk.path.section(QLatin1String("://"), 1).section(QLatin1Char('?'), 0, 0);
    case ExtraDisk::Kind::CachedImage:
        return disk.path.section(QLatin1Char('/'), -1);
    case ExtraDisk::Kind::BlockDevice:
        return disk.path.section(QLatin1Char('/'), -1);
    case ExtraDisk::Kind::File:
        break;
    }
    return QFileInfo(disk.path).completeBaseName();
}

} // namespace

ExtraDisk::Kind kindByText(const ExtraDisk& disk) {
    const QString& path = disk.path;
    if (path.startsWith(QLatin1String("nbd")) && path.contains(QLatin1String("://")))
        return ExtraDisk::Kind::NetworkDisk;
    if (path.startsWith(QLatin1String("/dev/")))
        return ExtraDisk::Kind::BlockDevice;
    return ImageReference::isReference(path) ? ExtraDisk::Kind::CachedImage : ExtraDisk::Kind::File;
}

QStringList guestNames(const QList<ExtraDisk>& disks) {
    QStringList names{QStringLiteral("vda")};
    int drives = 1;
    int cds = 0;
    for (const ExtraDisk& disk : disks)
        names << (disk.isOptical()
                      ? QStringLiteral("sr%1").arg(cds++)
                      : QStringLiteral("vd%1").arg(QChar(static_cast<ushort>(u'a' + drives++))));
    return names;
}

DiskTable::DiskTable(QWidget* parent)
    : QTableWidget(0, columns, parent) {
    setHorizontalHeaderLabels({tr("Name"), tr("File"), tr("Size"), tr("Guest sees")});
    horizontalHeaderItem(sizeColumn)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(spacing::tableRow);
    horizontalHeader()->setSectionResizeMode(fileColumn, QHeaderView::Stretch);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (const int column : {sizeColumn, guestColumn})
        horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setTabKeyNavigation(false);
    setFrameShape(QFrame::NoFrame);
    setTextElideMode(Qt::ElideMiddle);
    setWordWrap(false);
    setIconSize({16, 16});
    setAccessibleName(tr("Disks of the machine"));
}

// The names take what a small window can give them.
void DiskTable::resizeEvent(QResizeEvent* event) {
    setColumnWidth(nameColumn, std::clamp(width() * 3 / 10, 112, 168));
    QTableWidget::resizeEvent(event);
}

int DiskTable::currentDisk() const {
    return std::max(0, currentRow());
}

void DiskTable::setRow(int row, const QStringList& texts) {
    for (int column = 0; column < columns; ++column) {
        QTableWidgetItem* cell = item(row, column);
        if (!cell) {
            cell = new QTableWidgetItem;
            setItem(row, column, cell);
        }
        const bool size = column == sizeColumn;
        cell->setTextAlignment((size ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        cell->setText(texts.at(column));
        cell->setToolTip(texts.at(column));
        if (column == nameColumn) {
            cell->setFont(Theme::bodyStrong());
            cell->setIcon(themeIcon(u"disk"));
        } else if (column == guestColumn) {
            cell->setFont(Theme::fixed());
        }
    }
}

void DiskTable::showDisks(const MachineSettings& settings, const QString& rootFormat) {
    const int selected = currentDisk();
    const QList<ExtraDisk>& disks = settings.run.disks;
    const QStringList guests = guestNames(disks);
    const QString separator = QStringLiteral(" · ");
    const QString readOnly = separator + tr("read-only");
    setRowCount(1 + static_cast<int>(disks.size()));
    setRow(0,
           {tr("Root disk"),
            QStringLiteral("disk.img") + separator + rootFormat +
                (settings.run.rootDisk.readOnly ? readOnly : QString()),
            settings.diskSize.toText(),
            guests.first()});
    for (int row = 1; row < rowCount(); ++row) {
        const ExtraDisk& disk = disks.at(row - 1);
        const bool locked = disk.options.readOnly && !disk.isOptical();
        setRow(row,
               {nameOf(disk),
                disk.path + separator + kindText(disk) + (locked ? readOnly : QString()),
                QStringLiteral("–"),
                guests.at(row)});
    }
    setFixedHeight(horizontalHeader()->sizeHint().height() + rowCount() * spacing::tableRow + 2);
    if (currentRow() < 0 || selected >= rowCount())
        selectRow(std::min(selected, rowCount() - 1));
}

} // namespace vitrine::ui
