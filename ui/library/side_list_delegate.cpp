// SPDX-License-Identifier: Apache-2.0
#include "ui/library/side_list_delegate.h"

#include "core/value/plain_text.h"
#include "ui/library/machine_text.h"
#include "ui/library/side_list_model.h"
#include "ui/machines/thumbnails.h"
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"

#include <QPainter>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int margin = 16;
constexpr int textLeft = 92;
constexpr QSize pictureSize(64, 40);

QStringView iconOf(MachineState state) {
    switch (state) {
    case MachineState::Stopped:
        return u"shut-down";
    case MachineState::Starting:
    case MachineState::ShuttingDown:
    case MachineState::Suspending:
        return u"clock";
    case MachineState::Running:
        return u"display";
    case MachineState::Paused:
        return u"pause";
    case MachineState::Suspended:
        return u"suspend";
    case MachineState::RunningElsewhere:
        return u"elsewhere";
    case MachineState::Broken:
        return u"error";
    }
    return u"display";
}

void drawElided(QPainter& painter, const QRect& rect, const QString& text, Qt::TextElideMode mode) {
    painter.drawText(rect,
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(text, mode, rect.width() + 1));
}

void paintPicture(QPainter& painter, const QRect& box, const QImage& image, MachineState state) {
    const Theme& theme = Theme::current();
    if (image.isNull()) {
        painter.fillRect(box, theme.separator);
        painter.fillRect(box.adjusted(2, 2, -2, -2), theme.alternate);
        paintThemeIcon(painter,
                       QRectF(box.center().x() - 7.5, box.center().y() - 7.5, 16, 16),
                       iconOf(state),
                       theme.stopped);
        return;
    }
    painter.fillRect(box, theme.border);
    const QRect inner = box.adjusted(1, 1, -1, -1);
    painter.fillRect(inner, Qt::black);
    const QSize fitted = image.size().scaled(inner.size(), Qt::KeepAspectRatio);
    QRect target(QPoint(), fitted);
    target.moveCenter(inner.center());
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(target, image);
}

} // namespace

SideListDelegate::SideListDelegate(const SideListModel* model,
                                   Thumbnails* thumbnails,
                                   QObject* parent)
    : QStyledItemDelegate(parent)
    , m_model(model)
    , m_thumbnails(thumbnails) {}

QSize SideListDelegate::sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const {
    const auto kind = static_cast<SideListModel::Kind>(index.data(SideListModel::KindRole).toInt());
    const int line = option.fontMetrics.height();
    int height = std::max(spacing::imageRow, line + 10);
    if (kind == SideListModel::Kind::Machine)
        height = std::max(spacing::machineRow, 3 * line + 14);
    else if (kind == SideListModel::Kind::Section && index.row() == 0)
        height += spacing::grid; // air below the tool bar
    return {spacing::sideListMinimum, height};
}

void SideListDelegate::paint(QPainter* painter,
                             const QStyleOptionViewItem& option,
                             const QModelIndex& index) const {
    const Theme& theme = Theme::current();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    painter->fillRect(option.rect, selected ? theme.selection : theme.window);
    const auto kind = static_cast<SideListModel::Kind>(index.data(SideListModel::KindRole).toInt());
    const MachineInfo* info = m_model->infoAt(index);
    switch (kind) {
    case SideListModel::Kind::Section:
        paintHeading(*painter, option.rect, index);
        break;
    case SideListModel::Kind::Note:
        painter->setFont(Theme::small());
        painter->setPen(theme.secondary);
        drawElided(*painter,
                   option.rect.adjusted(margin, 0, -margin, 0),
                   index.data().toString(),
                   Qt::ElideRight);
        break;
    case SideListModel::Kind::Machine:
        paintMachine(*painter, option.rect, *info, selected);
        break;
    case SideListModel::Kind::Image:
        paintImage(*painter, option.rect, *info, selected);
        break;
    }
    if (selected && option.state.testFlag(QStyle::State_HasFocus))
        drawing::focusRing(*painter, QRectF(option.rect));
    painter->restore();
}

void SideListDelegate::paintHeading(QPainter& painter,
                                    const QRect& rect,
                                    const QModelIndex& index) const {
    painter.setPen(Theme::current().secondary);
    const int air = index.row() == 0 ? spacing::grid : 0;
    const QRect line = rect.adjusted(margin, air, -margin, 0);
    painter.setFont(Theme::small());
    painter.drawText(
        line, Qt::AlignRight | Qt::AlignVCenter, index.data(SideListModel::CountRole).toString());
    painter.setFont(Theme::smallStrong());
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, index.data().toString());
}

void SideListDelegate::paintMachine(QPainter& painter,
                                    const QRect& rect,
                                    const MachineInfo& info,
                                    bool selected) const {
    const Theme& theme = Theme::current();
    const QRect box(rect.x() + margin,
                    rect.y() + (rect.height() - pictureSize.height()) / 2,
                    pictureSize.width(),
                    pictureSize.height());
    paintPicture(painter,
                 box,
                 m_thumbnails != nullptr ? m_thumbnails->small(info.name) : QImage(),
                 info.state);

    const QFont strong = Theme::bodyStrong();
    const QFont small = Theme::small();
    const int strongLine = QFontMetrics(strong).height();
    const int smallLine = QFontMetrics(small).height();
    const int gap = 1;
    const int left = rect.x() + textLeft;
    const int width = rect.right() - margin / 2 - left;
    int y = rect.y() + (rect.height() - strongLine - 2 * smallLine - 2 * gap) / 2;

    painter.setFont(strong);
    painter.setPen(selected ? theme.onSelection : theme.text);
    drawElided(painter, QRect(left, y, width, strongLine), plainText(info.name), Qt::ElideRight);
    y += strongLine + gap;

    paintGlyph(painter, QRectF(left, y + (smallLine - 12) / 2, 12, 12), stateShape(info));
    painter.setFont(small);
    drawElided(
        painter, QRect(left + 18, y, width - 18, smallLine), stateText(info), Qt::ElideRight);
    y += smallLine + gap;

    painter.setPen(selected ? theme.onSelection : theme.secondary);
    drawElided(painter, QRect(left, y, width, smallLine), detailText(info), Qt::ElideRight);
}

void SideListDelegate::paintImage(QPainter& painter,
                                  const QRect& rect,
                                  const MachineInfo& info,
                                  bool selected) const {
    const Theme& theme = Theme::current();
    const bool broken = info.state == MachineState::Broken;
    const QRectF icon(rect.x() + margin, rect.center().y() - 7.5, 16, 16);
    if (broken)
        paintGlyph(painter, icon.adjusted(2, 2, -2, -2), Glyph::Broken);
    else
        paintThemeIcon(painter, icon, u"image", selected ? theme.onSelection : theme.secondary);

    const QString size = info.allocated.toText();
    painter.setFont(Theme::small());
    painter.setPen(selected ? theme.onSelection : theme.secondary);
    const int sizeWidth = painter.fontMetrics().horizontalAdvance(size);
    painter.drawText(rect.adjusted(margin, 0, -margin, 0), Qt::AlignRight | Qt::AlignVCenter, size);

    painter.setFont(Theme::body());
    const QFontMetrics metrics = painter.fontMetrics();
    const ImageLabel label = m_model->labelOf(info);
    const int left = rect.x() + 40;
    const int room = rect.right() - margin - sizeWidth - spacing::grid - left;
    const int tagRoom = std::min(metrics.horizontalAdvance(label.tag) + 1, room / 2);
    const int nameWidth = std::min(metrics.horizontalAdvance(label.name) + 1, room - tagRoom);
    painter.setPen(selected ? theme.onSelection : theme.text);
    drawElided(
        painter, QRect(left, rect.y(), nameWidth, rect.height()), label.name, Qt::ElideMiddle);
    painter.setPen(selected ? theme.onSelection : theme.secondary);
    drawElided(painter,
               QRect(left + nameWidth, rect.y(), room - nameWidth, rect.height()),
               label.tag,
               Qt::ElideRight);
}

} // namespace vitrine::ui
