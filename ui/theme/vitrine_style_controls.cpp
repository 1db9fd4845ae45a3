// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/theme/vitrine_style_parts.h"

#include <QMenuBar>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace vitrine::ui {

namespace {

QColor mixed(const QColor& a, const QColor& b, double part) {
    return QColor::fromRgbF(static_cast<float>(a.redF() * (1 - part) + b.redF() * part),
                            static_cast<float>(a.greenF() * (1 - part) + b.greenF() * part),
                            static_cast<float>(a.blueF() * (1 - part) + b.blueF() * part));
}

bool showsRing(const QStyleOption& option) {
    return option.state.testFlag(QStyle::State_HasFocus) &&
           option.state.testFlag(QStyle::State_KeyboardFocusChange);
}

// Rounded only where the row of joined buttons ends.
QPainterPath segmentPath(const QRectF& rect, Segment segment) {
    const double radius = spacing::radius;
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    path.addRoundedRect(rect, radius, radius);
    if (segment == Segment::Middle || segment == Segment::Last)
        path.addRect(QRectF(rect.x(), rect.y(), radius * 2, rect.height()));
    if (segment == Segment::Middle || segment == Segment::First)
        path.addRect(QRectF(rect.right() - radius * 2, rect.y(), radius * 2, rect.height()));
    return path.simplified();
}

void drawSegment(const QStyleOption& option, QPainter& painter, Segment segment) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool on = option.state.testFlag(QStyle::State_On);
    QRectF rect = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    if (segment == Segment::Middle || segment == Segment::Last)
        rect.setLeft(rect.left() - 1); // shares its left line with the neighbour
    painter.save();
    painter.setClipRect(option.rect);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.border, 1));
    painter.setBrush(on ? theme.selection : enabled ? theme.surface : theme.window);
    painter.drawPath(segmentPath(rect, segment));
    painter.restore();
    if (showsRing(option))
        drawing::focusRing(painter, QRectF(option.rect));
}

} // namespace

void VitrineStyle::drawButtonPanel(const QStyleOptionButton& option,
                                   QPainter& painter,
                                   const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const QRectF rect(option.rect);
    const bool enabled = option.state.testFlag(State_Enabled);
    const bool hover = option.state.testFlag(State_MouseOver);
    const bool pressed = option.state.testFlag(State_Sunken);
    if (const Segment segment = segmentOf(widget); segment != Segment::None) {
        drawSegment(option, painter, segment);
        return;
    }
    if (option.features.testFlag(QStyleOptionButton::Flat) || isLink(widget)) {
        if (enabled && !isLink(widget) && (hover || pressed))
            drawing::roundedFill(painter, rect, pressed ? theme.selection : theme.separator);
    } else if (!enabled) {
        drawing::roundedFill(painter, rect, theme.window);
        drawing::roundedOutline(painter, rect, theme.separator, 1);
    } else if (option.features.testFlag(QStyleOptionButton::DefaultButton)) {
        const double shade = pressed ? 0.18 : hover ? 0.09 : 0;
        drawing::roundedFill(painter, rect, mixed(theme.accent, theme.text, shade));
        if (showsRing(option))
            drawing::roundedOutline(painter, rect.adjusted(2, 2, -2, -2), theme.onAccent, 2);
        return;
    } else {
        const bool on = option.state.testFlag(State_On);
        drawing::roundedFill(painter,
                             rect,
                             pressed || on ? theme.selection
                             : hover       ? theme.window
                                           : theme.surface);
        drawing::roundedOutline(painter, rect, theme.border, 1);
    }
    if (showsRing(option))
        drawing::focusRing(painter, rect);
}

void VitrineStyle::drawButtonLabel(const QStyleOptionButton& option,
                                   QPainter& painter,
                                   const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(State_Enabled);
    const bool primary =
        enabled && option.features.testFlag(QStyleOptionButton::DefaultButton) && !isLink(widget);
    const bool pressedSegment =
        segmentOf(widget) != Segment::None && option.state.testFlag(State_On);
    QColor color = !enabled                          ? theme.disabled
                   : primary                         ? theme.onAccent
                   : isLink(widget)                  ? theme.accent
                   : pressedSegment                  ? theme.onSelection
                   : option.state.testFlag(State_On) ? theme.onSelection
                                                     : theme.text;
    painter.save();
    if (primary || pressedSegment) {
        QFont font = painter.font();
        font.setWeight(QFont::DemiBold);
        painter.setFont(font);
    }
    const int iconSide = option.icon.isNull() ? 0 : option.iconSize.height();
    const bool menu = option.features.testFlag(QStyleOptionButton::HasMenu);
    const QFontMetrics metrics(painter.font());
    const int textWidth = metrics.size(Qt::TextShowMnemonic, option.text).width();
    const int gap = iconSide > 0 && !option.text.isEmpty() ? iconGap : 0;
    const int menuWidth = menu ? 20 : 0;
    int x = option.rect.x() + (option.rect.width() - iconSide - gap - textWidth - menuWidth) / 2;
    x = std::max(x, option.rect.x() + 2);
    if (isLink(widget))
        x = option.rect.x() + 2;
    if (iconSide > 0) {
        const QRect box(
            x, option.rect.y() + (option.rect.height() - iconSide) / 2, iconSide, iconSide);
        const QString name = option.icon.name();
        if (name.isEmpty())
            option.icon.paint(&painter, box);
        else
            paintThemeIcon(painter, QRectF(box), name, color);
        x += iconSide + gap;
    }
    painter.setPen(color);
    painter.drawText(QRect(x, option.rect.y(), option.rect.right() - x + 1, option.rect.height()),
                     Qt::AlignVCenter | Qt::AlignLeft | Qt::TextHideMnemonic | Qt::TextSingleLine,
                     option.text);
    if (menu)
        paintThemeIcon(painter,
                       QRectF(x + textWidth + 4, option.rect.center().y() - 7.5, 16, 16),
                       u"chevron-down",
                       color);
    painter.restore();
}

void VitrineStyle::drawTabShape(const QStyleOptionTab& option, QPainter& painter) const {
    const Theme& theme = Theme::current();
    if (option.state.testFlag(State_Selected)) {
        painter.fillRect(
            QRect(option.rect.x() + 4, option.rect.bottom() - 1, option.rect.width() - 8, 2),
            theme.accent);
    } else if (option.state.testFlag(State_MouseOver) && option.state.testFlag(State_Enabled)) {
        painter.fillRect(
            QRect(option.rect.x() + 4, option.rect.bottom() - 1, option.rect.width() - 8, 2),
            theme.separator);
    }
    if (option.state.testFlag(State_HasFocus) && option.state.testFlag(State_Selected))
        drawing::focusRing(painter, QRectF(option.rect).adjusted(2, 3, -2, -3));
}

void VitrineStyle::drawTabLabel(const QStyleOptionTab& option, QPainter& painter) const {
    const Theme& theme = Theme::current();
    const bool selected = option.state.testFlag(State_Selected);
    painter.save();
    QFont font = painter.font();
    font.setWeight(selected ? QFont::DemiBold : QFont::Normal);
    painter.setFont(font);
    painter.setPen(!option.state.testFlag(State_Enabled) ? theme.disabled
                   : selected                            ? theme.text
                                                         : theme.secondary);
    painter.drawText(
        option.rect, Qt::AlignCenter | Qt::TextHideMnemonic | Qt::TextSingleLine, option.text);
    painter.restore();
}

void VitrineStyle::drawProgress(const QStyleOptionProgressBar& option,
                                QPainter& painter,
                                const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const qint64 range = static_cast<qint64>(option.maximum) - option.minimum;
    const double fraction = range > 0
                                ? static_cast<double>(qint64(option.progress) - option.minimum) /
                                      static_cast<double>(range)
                                : 0.0;
    QColor color = theme.accent;
    if (widget != nullptr && widget->property(property::failed).toBool())
        color = theme.error;
    else if (widget != nullptr && widget->property(property::done).toBool())
        color = theme.running;
    drawing::progressTrack(painter, QRectF(option.rect), fraction, color);
}

void VitrineStyle::drawComboBox(const QStyleOptionComboBox& option,
                                QPainter& painter,
                                const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const QRect arrow = subControlRect(CC_ComboBox, &option, SC_ComboBoxArrow, widget);
    paintThemeIcon(painter,
                   QRectF(arrow.center().x() - 7.5, arrow.center().y() - 7.5, 16, 16),
                   u"chevron-down",
                   option.state.testFlag(State_Enabled) ? theme.text : theme.disabled);
}

void VitrineStyle::drawSpinBox(const QStyleOptionSpinBox& option,
                               QPainter& painter,
                               const QWidget* widget) const {
    if (option.buttonSymbols == QAbstractSpinBox::NoButtons)
        return;
    const Theme& theme = Theme::current();
    const auto arrow =
        [&](SubControl part, QStringView name, QAbstractSpinBox::StepEnabledFlag step) {
            const QRect rect = subControlRect(CC_SpinBox, &option, part, widget);
            const bool enabled =
                option.state.testFlag(State_Enabled) && option.stepEnabled.testFlag(step);
            if (enabled && option.activeSubControls.testFlag(part) &&
                option.state.testFlag(State_Sunken))
                painter.fillRect(rect.adjusted(1, 1, -1, -1), theme.selection);
            const double shift = part == SC_SpinBoxUp ? 1 : -1;
            paintThemeIcon(painter,
                           QRectF(rect.center().x() - 6.5, rect.center().y() - 6.5 + shift, 14, 14),
                           name,
                           enabled ? theme.secondary : theme.separator);
        };
    arrow(SC_SpinBoxUp, u"chevron-up", QAbstractSpinBox::StepUpEnabled);
    arrow(SC_SpinBoxDown, u"chevron-down", QAbstractSpinBox::StepDownEnabled);
}

void VitrineStyle::drawToolButton(const QStyleOptionToolButton& option,
                                  QPainter& painter,
                                  const QWidget* widget) const {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(State_Enabled);
    const Segment segment = segmentOf(widget);
    if (segment != Segment::None)
        drawSegment(option, painter, segment);
    else
        proxy()->drawPrimitive(PE_PanelButtonTool, &option, &painter, widget);
    const bool on = option.state.testFlag(State_On);
    const QColor color = !enabled ? theme.disabled : on ? theme.onSelection : theme.text;
    const bool greyed = widget != nullptr && widget->property(property::greyedVerb).toBool();
    const QColor verbColor = greyed ? theme.disabled : color;
    const bool hasText = !option.text.isEmpty() && option.toolButtonStyle != Qt::ToolButtonIconOnly;
    const bool hasIcon = !option.icon.isNull() && option.toolButtonStyle != Qt::ToolButtonTextOnly;
    const bool split = option.features.testFlag(QStyleOptionToolButton::MenuButtonPopup);
    const bool menu = split || option.features.testFlag(QStyleOptionToolButton::HasMenu);
    const int side = hasIcon ? option.iconSize.height() : 0;
    const bool chevron = menu && hasText;

    painter.save();
    if (segment != Segment::None && on) {
        QFont font = option.font;
        font.setWeight(QFont::DemiBold);
        painter.setFont(font);
    } else {
        painter.setFont(option.font);
    }
    const int textWidth =
        hasText ? painter.fontMetrics().size(Qt::TextShowMnemonic, option.text).width() : 0;
    const int gap = hasText && hasIcon ? iconGap : 0;
    const int chevronWidth = chevron ? 20 : 0;
    int x = option.rect.x() + (option.rect.width() - side - gap - textWidth - chevronWidth) / 2;
    if (hasIcon) {
        const QRect box(x, option.rect.y() + (option.rect.height() - side) / 2, side, side);
        const QString name = option.icon.name();
        if (name.isEmpty())
            option.icon.paint(&painter,
                              box,
                              Qt::AlignCenter,
                              enabled && !greyed ? QIcon::Normal : QIcon::Disabled);
        else
            paintThemeIcon(painter, QRectF(box), name, verbColor);
        x += side + gap;
    }
    if (hasText) {
        painter.setPen(verbColor);
        painter.drawText(QRect(x, option.rect.y(), textWidth + 2, option.rect.height()),
                         Qt::AlignVCenter | Qt::AlignLeft | Qt::TextHideMnemonic |
                             Qt::TextSingleLine,
                         option.text);
        x += textWidth;
    }
    if (chevron)
        paintThemeIcon(
            painter, QRectF(x + 5, option.rect.center().y() - 7.5, 16, 16), u"chevron-down", color);
    painter.restore();
}

void VitrineStyle::drawScrollBar(const QStyleOptionSlider& option, QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QRectF slider(subControlRect(CC_ScrollBar, &option, SC_ScrollBarSlider, nullptr));
    if (option.maximum <= option.minimum)
        return;
    const bool active =
        option.activeSubControls.testFlag(SC_ScrollBarSlider) &&
        (option.state.testFlag(State_MouseOver) || option.state.testFlag(State_Sunken));
    const double inset = active ? 2 : 3;
    QRectF handle = option.orientation == Qt::Vertical ? slider.adjusted(inset, 2, -inset, -2)
                                                       : slider.adjusted(2, inset, -2, -inset);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(active ? theme.secondary : theme.border);
    const double radius = std::min(handle.width(), handle.height()) / 2;
    painter.drawRoundedRect(handle, radius, radius);
    painter.restore();
}

void VitrineStyle::drawControl(ControlElement element,
                               const QStyleOption* option,
                               QPainter* painter,
                               const QWidget* widget) const {
    const Theme& theme = Theme::current();
    switch (element) {
    case CE_PushButtonBevel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            drawButtonPanel(*button, *painter, widget);
            return;
        }
        break;
    case CE_PushButtonLabel:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            drawButtonLabel(*button, *painter, widget);
            return;
        }
        break;
    case CE_PushButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            drawButtonPanel(*button, *painter, widget);
            drawButtonLabel(*button, *painter, widget);
            return;
        }
        break;
    case CE_ComboBoxLabel: // Qt cuts what does not fit without a sign
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            QStyleOptionComboBox shortened(*combo);
            const int room =
                subControlRect(CC_ComboBox, combo, SC_ComboBoxEditField, widget).width() - 2;
            const int icon =
                combo->currentIcon.isNull() ? 0 : combo->iconSize.width() + spacing::tight;
            shortened.currentText =
                combo->fontMetrics.elidedText(combo->currentText, Qt::ElideRight, room - icon);
            QProxyStyle::drawControl(element, &shortened, painter, widget);
            return;
        }
        break;
    case CE_TabBarTabShape:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            drawTabShape(*tab, *painter);
            return;
        }
        break;
    case CE_TabBarTabLabel:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            drawTabLabel(*tab, *painter);
            return;
        }
        break;
    case CE_ProgressBar:
        if (const auto* bar = qstyleoption_cast<const QStyleOptionProgressBar*>(option)) {
            drawProgress(*bar, *painter, widget);
            return;
        }
        break;
    case CE_Splitter:
        painter->fillRect(option->rect, theme.separator);
        return;
    case CE_MenuBarEmptyArea:
        painter->fillRect(option->rect, theme.window);
        return;
    case CE_MenuBarItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
            painter->fillRect(item->rect, theme.window);
            const bool active =
                item->state.testFlag(State_Selected) || item->state.testFlag(State_Sunken);
            if (active && item->state.testFlag(State_Enabled))
                drawing::roundedFill(
                    *painter, QRectF(item->rect).adjusted(1, 2, -1, -2), theme.selection);
            painter->setPen(active ? theme.onSelection : theme.text);
            painter->drawText(item->rect,
                              Qt::AlignCenter | Qt::TextHideMnemonic | Qt::TextSingleLine,
                              item->text);
            return;
        }
        break;
    case CE_HeaderSection:
        painter->fillRect(option->rect, theme.surface);
        painter->fillRect(QRect(option->rect.x(), option->rect.bottom(), option->rect.width(), 1),
                          theme.separator);
        return;
    case CE_HeaderEmptyArea:
        painter->fillRect(option->rect, theme.surface);
        painter->fillRect(QRect(option->rect.x(), option->rect.bottom(), option->rect.width(), 1),
                          theme.separator);
        return;
    case CE_HeaderLabel:
        if (const auto* header = qstyleoption_cast<const QStyleOptionHeader*>(option)) {
            painter->save();
            painter->setFont(Theme::smallStrong());
            painter->setPen(theme.secondary);
            painter->drawText(header->rect,
                              static_cast<int>(header->textAlignment | Qt::AlignVCenter) |
                                  Qt::TextSingleLine,
                              painter->fontMetrics().elidedText(
                                  header->text, Qt::ElideRight, header->rect.width()));
            painter->restore();
            return;
        }
        break;
    case CE_ToolBar:
        painter->fillRect(option->rect, theme.window);
        return;
    default:
        break;
    }
    QProxyStyle::drawControl(element, option, painter, widget);
}

} // namespace vitrine::ui
