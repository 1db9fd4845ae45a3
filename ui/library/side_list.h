// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPersistentModelIndex>
#include <QTreeView>

#include <functional>
#include <optional>

namespace vitrine {
class LibraryModel;
}

namespace vitrine::ui {

class SideListModel;
class Thumbnails;

// The list of machines and images. Up and down skip headings; Return opens the page of the row.
class SideList final : public QTreeView {
    Q_OBJECT
public:
    // `thumbnails` may be null.
    SideList(LibraryModel* library, Thumbnails* thumbnails, QWidget* parent = nullptr);

    struct Entry {
        QString name;
        bool isImage = false;
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    [[nodiscard]] std::optional<Entry> current() const;
    // False when there is no such row now (unknown or filtered out).
    bool select(const Entry& entry);
    void clearCurrent();
    [[nodiscard]] SideListModel* sideModel() const { return m_model; }
    // What can be dropped beside the machines, and where it is told; nothing without it.
    void setTakes(std::function<bool(const QStringList& paths)> takes) {
        m_takes = std::move(takes);
    }
    // The row that what is dragged now would be dropped on; invalid without one.
    [[nodiscard]] QModelIndex dropRow() const { return m_dropRow; }

Q_SIGNALS:
    void entrySelected(const QString& name, bool isImage);
    void entryActivated(const QString& name, bool isImage); // Return or double click
    void menuRequested(const QPoint& globalPosition);       // for the current row
    // Files and folders of this computer were dropped on a machine; Shift: the guest may write.
    void pathsDropped(const QString& name, const QStringList& paths, bool writable);
    void droppedBeside(const QStringList& paths); // what setTakes() takes, on no machine

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void
    drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;

private:
    void tellVisible();
    void setDropRow(const QModelIndex& index);
    void currentRowChanged(const QModelIndex& index);

    LibraryModel* m_library;
    Thumbnails* m_thumbnails;
    SideListModel* m_model;
    std::function<bool(const QStringList&)> m_takes;
    QPersistentModelIndex m_dropRow; // the machine something is dragged over
};

} // namespace vitrine::ui
