// SPDX-License-Identifier: Apache-2.0
#include "ui/snapshots/snapshot_list.h"

#include "core/snapshot/uncovered_disks.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QLocale>

#include <functional>

namespace vitrine::ui {

namespace {

enum Column { NameColumn, TakenColumn, KindColumn, SizeColumn };
constexpr int idRole = Qt::UserRole;
constexpr int itemHeight = 32;
// Of the list; what a hidden column says stands beside the list too.
constexpr int narrow = 520;
constexpr int veryNarrow = 400;

} // namespace

Result<SnapshotView> readSnapshotView(const QString& machineDirectory) {
    const auto tree = readSnapshots(machineDirectory);
    if (!tree)
        return fail(tree.error());
    SnapshotView view;
    view.tree = *tree;
    for (const Snapshot& snapshot : tree->all())
        view.sizes.insert(snapshot.id, snapshotSize(machineDirectory, snapshot.id));
    view.cost = snapshotCost(machineDirectory);
    if (const auto sidecar = Sidecar::read(machineDirectory))
        view.automatic = takesAutomaticSnapshots(sidecar->snapshots);
    view.otherDisks = uncoveredDisksOf(machineDirectory);
    return view;
}

QString kindText(const Snapshot& snapshot) {
    if (snapshot.withMemory)
        return Tr::tr("With memory");
    return snapshot.crashConsistent ? Tr::tr("Disk, as after a power cut") : Tr::tr("Disk");
}

SnapshotList::SnapshotList(QWidget* parent)
    : QTreeWidget(parent) {
    setColumnCount(4);
    setHeaderLabels({tr("Name"), tr("Taken"), tr("Kind"), tr("Only here")});
    headerItem()->setTextAlignment(SizeColumn, Qt::AlignRight | Qt::AlignVCenter);
    headerItem()->setToolTip(SizeColumn, tr("Becomes free when the snapshot is deleted."));
    header()->setStretchLastSection(false);
    header()->setSectionResizeMode(NameColumn, QHeaderView::Stretch);
    for (const Column column : {TakenColumn, KindColumn, SizeColumn})
        header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    header()->setSectionsMovable(false);
    setFrameShape(QFrame::NoFrame);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setAlternatingRowColors(true);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setAccessibleName(tr("Snapshots"));
    connect(this, &QTreeWidget::currentItemChanged, this, &SnapshotList::selectionMoved);
}

void SnapshotList::show(const SnapshotView& view) {
    const QString before = selectedId();
    const bool blocked = blockSignals(true);
    clear();
    const QLocale locale;
    const std::function<void(QTreeWidgetItem*, const QString&)> addBelow =
        [&](QTreeWidgetItem* above, const QString& id) {
            for (const Snapshot& snapshot : view.tree.childrenOf(id)) {
                auto* item = new QTreeWidgetItem;
                const bool here = snapshot.id == view.tree.current();
                //: the machine's present state was made from this snapshot
                const QString name = here ? tr("%1 · here").arg(snapshot.name) : snapshot.name;
                item->setText(NameColumn, name);
                item->setToolTip(NameColumn, snapshot.name);
                item->setIcon(NameColumn, themeIcon(u"snapshot"));
                if (here)
                    item->setFont(NameColumn, Theme::bodyStrong());
                item->setText(
                    TakenColumn,
                    locale.toString(snapshot.created.toLocalTime(), QLocale::ShortFormat));
                item->setText(KindColumn, kindText(snapshot));
                item->setText(SizeColumn, view.sizes.value(snapshot.id).exclusive.toText());
                item->setTextAlignment(SizeColumn, Qt::AlignRight | Qt::AlignVCenter);
                item->setData(NameColumn, idRole, snapshot.id);
                item->setSizeHint(NameColumn, QSize(0, itemHeight));
                if (above)
                    above->addChild(item);
                else
                    addTopLevelItem(item);
                addBelow(item, snapshot.id);
            }
        };
    addBelow(nullptr, {});
    expandAll();
    selectId(view.tree.find(before) ? before : view.tree.current());
    blockSignals(blocked);
    Q_EMIT selectionMoved();
}

void SnapshotList::resizeEvent(QResizeEvent* event) {
    QTreeWidget::resizeEvent(event);
    setColumnHidden(KindColumn, width() < narrow);
    setColumnHidden(TakenColumn, width() < veryNarrow);
}

QString SnapshotList::selectedId() const {
    return currentItem() ? currentItem()->data(NameColumn, idRole).toString() : QString();
}

void SnapshotList::selectId(const QString& id) {
    for (QTreeWidgetItemIterator item(this); *item; ++item)
        if ((*item)->data(NameColumn, idRole).toString() == id) {
            setCurrentItem(*item);
            return;
        }
    if (topLevelItemCount() > 0)
        setCurrentItem(topLevelItem(0));
}

} // namespace vitrine::ui
