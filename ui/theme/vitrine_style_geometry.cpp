// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"
#include "ui/theme/vitrine_style.h"
#include "ui/theme/vitrine_style_parts.h"

#include <QMenuBar>
#include <QStyleOption>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace vitrine::ui {

QRect VitrineStyle::subControlRect(ComplexControl control,
                                   const QStyleOptionComplex* option,
                                   SubControl part,
                                   const QWidget* widget) const {
    const QRect rect = option->rect;
    if (control == CC_ComboBox) {
        constexpr int arrowWidth = 32;
        switch (part) {
        case SC_ComboBoxArrow:
            return visualRect(
                option->direction,
                rect,
                QRect(rect.right() - arrowWidth + 1, rect.y(), arrowWidth, rect.height()));
        case SC_ComboBoxEditField:
            return visualRect(
                option->direction, rect, rect.adjusted(fieldPadding - 4, 2, -arrowWidth, -2));
        default:
            break;
        }
    }
    if (control == CC_SpinBox) {
        const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
        const bool buttons = spin == nullptr || spin->buttonSymbols != QAbstractSpinBox::NoButtons;
        const int buttonWidth = buttons ? 24 : 0;
        const int half = rect.height() / 2;
        const int x = rect.right() - buttonWidth + 1;
        switch (part) {
        case SC_SpinBoxUp:
            return visualRect(option->direction, rect, QRect(x, rect.y(), buttonWidth, half));
        case SC_SpinBoxDown:
            return visualRect(option->direction,
                              rect,
                              QRect(x, rect.y() + half, buttonWidth, rect.height() - half));
        case SC_SpinBoxEditField:
            return visualRect(
                option->direction, rect, rect.adjusted(fieldPadding - 3, 2, -buttonWidth - 2, -2));
        default:
            break;
        }
    }
    if (control == CC_ScrollBar) {
        const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
        if (slider != nullptr) {
            const bool vertical = slider->orientation == Qt::Vertical;
            const int length = vertical ? rect.height() : rect.width();
            const qint64 range = qint64(slider->maximum) - slider->minimum;
            int handle = length;
            if (range > 0) {
                handle = static_cast<int>(qint64(slider->pageStep) * length /
                                          (range + std::max(slider->pageStep, 1)));
                handle = std::clamp(handle, std::min(32, length), length);
            }
            const int start = sliderPositionFromValue(slider->minimum,
                                                      slider->maximum,
                                                      slider->sliderPosition,
                                                      length - handle,
                                                      slider->upsideDown);
            const auto along = [&](int from, int size) {
                return vertical ? QRect(rect.x(), rect.y() + from, rect.width(), size)
                                : QRect(rect.x() + from, rect.y(), size, rect.height());
            };
            switch (part) {
            case SC_ScrollBarSlider:
                return along(start, handle);
            case SC_ScrollBarGroove:
                return rect;
            case SC_ScrollBarSubPage:
                return along(0, start);
            case SC_ScrollBarAddPage:
                return along(start + handle, length - start - handle);
            default:
                return {};
            }
        }
    }
    return QProxyStyle::subControlRect(control, option, part, widget);
}

QRect VitrineStyle::subElementRect(SubElement element,
                                   const QStyleOption* option,
                                   const QWidget* widget) const {
    switch (element) {
    case SE_LineEditContents:
        return option->rect.adjusted(fieldPadding - 4, 1, -fieldPadding + 4, -1);
    case SE_PushButtonContents:
        return option->rect;
    case SE_ProgressBarGroove:
    case SE_ProgressBarContents:
        return option->rect;
    case SE_HeaderLabel:
        return option->rect.adjusted(8, 0, -8, 0);
    default:
        return QProxyStyle::subElementRect(element, option, widget);
    }
}

QSize VitrineStyle::sizeFromContents(ContentsType type,
                                     const QStyleOption* option,
                                     const QSize& size,
                                     const QWidget* widget) const {
    switch (type) {
    case CT_PushButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option)) {
            QFont font = widget != nullptr ? widget->font() : Theme::body();
            font.setWeight(QFont::DemiBold); // as wide as its boldest look
            const QFontMetrics metrics(font);
            int width = metrics.size(Qt::TextShowMnemonic, button->text).width();
            if (!button->icon.isNull())
                width += button->iconSize.width() + (button->text.isEmpty() ? 0 : iconGap);
            if (button->features.testFlag(QStyleOptionButton::HasMenu))
                width += 20;
            if (isLink(widget))
                return {width + 4, std::max(24, metrics.height() + 4)};
            const bool small = isSmall(widget);
            width += 2 * (small ? smallPadding : buttonPadding);
            const int minimum = button->text.isEmpty() ? spacing::control
                                : small                ? 48
                                                       : spacing::minimumButtonWidth;
            return {std::max(width, segmentOf(widget) != Segment::None ? 0 : minimum),
                    controlHeight(widget, metrics)};
        }
        break;
    case CT_LineEdit:
        return {size.width() + 2 * fieldPadding, controlHeight(widget, option->fontMetrics)};
    case CT_ComboBox:
        return {size.width() + fieldPadding + 36, controlHeight(widget, option->fontMetrics)};
    case CT_SpinBox:
        return {size.width() + fieldPadding + 26, controlHeight(widget, option->fontMetrics)};
    case CT_CheckBox:
    case CT_RadioButton: {
        const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {base.width() + 4, std::max(24, base.height())};
    }
    case CT_ToolButton:
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            const bool hasText =
                !button->text.isEmpty() && button->toolButtonStyle != Qt::ToolButtonIconOnly;
            const bool hasIcon =
                !button->icon.isNull() && button->toolButtonStyle != Qt::ToolButtonTextOnly;
            QFont font = button->font;
            if (segmentOf(widget) != Segment::None)
                font.setWeight(QFont::DemiBold);
            const QFontMetrics metrics(font);
            const int height = controlHeight(widget, metrics);
            if (!hasText)
                return {std::max(height, button->iconSize.width() + 16), height};
            int width = metrics.size(Qt::TextShowMnemonic, button->text).width() + 20;
            if (hasIcon)
                width += button->iconSize.width() + iconGap;
            if (button->features.testFlag(QStyleOptionToolButton::HasMenu) ||
                button->features.testFlag(QStyleOptionToolButton::MenuButtonPopup))
                width += 20;
            return {width, height};
        }
        break;
    case CT_TabBarTab:
        if (const auto* tab = qstyleoption_cast<const QStyleOptionTab*>(option)) {
            QFont font = widget != nullptr ? widget->font() : Theme::body();
            font.setWeight(QFont::DemiBold);
            const QFontMetrics metrics(font);
            return {metrics.size(Qt::TextShowMnemonic, tab->text).width() + 24,
                    std::max(spacing::tabHeight, metrics.height() + 16)};
        }
        break;
    case CT_MenuBarItem:
        return {size.width() + 16, std::max(spacing::menuBarHeight, size.height() + 8)};
    case CT_MenuItem: {
        const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
        const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
        if (item != nullptr && item->menuItemType == QStyleOptionMenuItem::Separator)
            return base;
        return {base.width() + 8, std::max(28, base.height())};
    }
    case CT_HeaderSection: {
        const QSize base = QProxyStyle::sizeFromContents(type, option, size, widget);
        return {base.width() + 8, std::max(28, base.height())};
    }
    case CT_ProgressBar:
        return {size.width(), spacing::progressTrack};
    default:
        break;
    }
    return QProxyStyle::sizeFromContents(type, option, size, widget);
}

} // namespace vitrine::ui
