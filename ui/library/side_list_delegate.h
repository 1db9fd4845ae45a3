// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStyledItemDelegate>

namespace vitrine {
struct MachineInfo;
}

namespace vitrine::ui {

class SideListModel;
class Thumbnails;

// Paints the rows of the side list: 64 pixels with a picture for machines, 28 for images and
// headings, more with large fonts.
class SideListDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    // `thumbnails` may be null.
    SideListDelegate(const SideListModel* model, Thumbnails* thumbnails, QObject* parent = nullptr);

    void paint(QPainter* painter,
               const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const override;

private:
    void paintHeading(QPainter& painter, const QRect& rect, const QModelIndex& index) const;
    void paintMachine(QPainter& painter,
                      const QRect& rect,
                      const MachineInfo& info,
                      bool selected) const;
    void
    paintImage(QPainter& painter, const QRect& rect, const MachineInfo& info, bool selected) const;

    const SideListModel* m_model;
    Thumbnails* m_thumbnails;
};

} // namespace vitrine::ui
