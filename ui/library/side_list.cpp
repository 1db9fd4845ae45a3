// SPDX-License-Identifier: Apache-2.0
#include "ui/library/side_list.h"

#include "core/library/library_model.h"
#include "ui/library/side_list_delegate.h"
#include "ui/library/side_list_model.h"
#include "ui/machines/thumbnails.h"
#include "ui/theme/theme.h"

#include <QContextMenuEvent>
#include <QDir>
#include <QDropEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QUrl>

namespace vitrine::ui {

namespace {

QStringList pathsOf(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls())
        if (url.isLocalFile())
            paths.append(QDir::cleanPath(url.toLocalFile()));
    return paths;
}

} // namespace

SideList::SideList(LibraryModel* library, Thumbnails* thumbnails, QWidget* parent)
    : QTreeView(parent)
    , m_library(library)
    , m_thumbnails(thumbnails)
    , m_model(new SideListModel(library, this)) {
    setModel(m_model);
    setItemDelegate(new SideListDelegate(m_model, thumbnails, this));
    setHeaderHidden(true);
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setExpandsOnDoubleClick(false);
    setIndentation(0);
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTextElideMode(Qt::ElideNone);
    setTabKeyNavigation(false);
    setAccessibleName(tr("Machines and images"));
    setBackgroundRole(QPalette::Window);
    viewport()->setBackgroundRole(QPalette::Window);
    verticalScrollBar()->setSingleStep(28);
    setAcceptDrops(true);
    expandAll();

    connect(m_model, &SideListModel::synchronized, this, [this] {
        expandAll();
        tellVisible();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &SideList::tellVisible);
    connect(selectionModel(),
            &QItemSelectionModel::currentChanged,
            this,
            [this](const QModelIndex& index) { currentRowChanged(index); });
    connect(this, &QAbstractItemView::activated, this, [this] {
        if (const auto entry = current())
            Q_EMIT entryActivated(entry->name, entry->isImage);
    });
    if (m_thumbnails != nullptr) {
        connect(m_thumbnails, &Thumbnails::changed, this, [this](const QString& name) {
            update(m_model->indexOf(name, false));
        });
    }
}

std::optional<SideList::Entry> SideList::current() const {
    const MachineInfo* info = m_model->infoAt(currentIndex());
    if (info == nullptr)
        return std::nullopt;
    return Entry{info->name, info->isImage};
}

bool SideList::select(const Entry& entry) {
    const QModelIndex index = m_model->indexOf(entry.name, entry.isImage);
    if (!index.isValid())
        return false;
    setCurrentIndex(index);
    scrollTo(index);
    return true;
}

void SideList::clearCurrent() {
    selectionModel()->clear();
}

void SideList::currentRowChanged(const QModelIndex& index) {
    if (const MachineInfo* info = m_model->infoAt(index))
        Q_EMIT entrySelected(info->name, info->isImage);
}

void SideList::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Up && event->key() != Qt::Key_Down) {
        QTreeView::keyPressEvent(event);
        return;
    }
    // Headings and notes cannot be selected: step over them.
    const bool down = event->key() == Qt::Key_Down;
    QModelIndex next = currentIndex();
    if (!next.isValid())
        next = m_model->sectionIndex(SideListModel::Section::Machines);
    do {
        next = down ? indexBelow(next) : indexAbove(next);
    } while (next.isValid() && m_model->infoAt(next) == nullptr);
    if (next.isValid()) {
        setCurrentIndex(next);
        scrollTo(next);
    }
    event->accept();
}

void SideList::contextMenuEvent(QContextMenuEvent* event) {
    QPoint position = event->globalPos();
    if (event->reason() == QContextMenuEvent::Keyboard)
        position = viewport()->mapToGlobal(visualRect(currentIndex()).center());
    else if (m_model->infoAt(indexAt(event->pos())) == nullptr)
        return;
    if (current())
        Q_EMIT menuRequested(position);
}

void SideList::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    tellVisible();
}

void SideList::showEvent(QShowEvent* event) {
    QTreeView::showEvent(event);
    tellVisible();
}

void SideList::setDropRow(const QModelIndex& index) {
    if (m_dropRow == index)
        return;
    m_dropRow = index;
    viewport()->update();
}

void SideList::dragEnterEvent(QDragEnterEvent* event) {
    event->setAccepted(event->mimeData()->hasUrls());
}

void SideList::dragMoveEvent(QDragMoveEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    const MachineInfo* info = m_model->infoAt(index);
    const bool machine = info != nullptr && !info->isImage;
    setDropRow(machine ? index : QModelIndex());
    event->setDropAction(Qt::CopyAction);
    event->setAccepted(machine || (m_takes && m_takes(pathsOf(event->mimeData()))));
}

void SideList::dragLeaveEvent(QDragLeaveEvent*) {
    setDropRow({});
}

void SideList::dropEvent(QDropEvent* event) {
    setDropRow({});
    const MachineInfo* info = m_model->infoAt(indexAt(event->position().toPoint()));
    const bool machine = info != nullptr && !info->isImage;
    const QStringList paths = pathsOf(event->mimeData());
    if (paths.isEmpty() || (!machine && !(m_takes && m_takes(paths))))
        return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
    if (machine)
        Q_EMIT pathsDropped(info->name, paths, event->modifiers().testFlag(Qt::ShiftModifier));
    else
        Q_EMIT droppedBeside(paths);
}

void SideList::paintEvent(QPaintEvent* event) {
    QTreeView::paintEvent(event);
    if (!m_dropRow.isValid())
        return;
    QPainter painter(viewport());
    painter.setPen(QPen(Theme::current().accent, 2));
    painter.drawRect(visualRect(m_dropRow).adjusted(1, 1, -1, -1));
}

void SideList::drawBranches(QPainter*, const QRect&, const QModelIndex&) const {}

void SideList::tellVisible() {
    QStringList names;
    QModelIndex index = indexAt(QPoint(1, 1));
    const int bottom = viewport()->height();
    while (index.isValid() && visualRect(index).top() < bottom) {
        const MachineInfo* info = m_model->infoAt(index);
        if (info != nullptr && !info->isImage)
            names.append(info->name);
        index = indexBelow(index);
    }
    m_library->setNamesInView(QSet<QString>(names.begin(), names.end()));
    if (m_thumbnails != nullptr)
        m_thumbnails->setNamesInView(names);
}

} // namespace vitrine::ui
