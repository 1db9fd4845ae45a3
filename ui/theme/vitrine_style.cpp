// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/vitrine_style.h"

#include "ui/theme/theme.h"

#include <QAbstractItemView>
#include <QEvent>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>
#include <QTextEdit>

#include <algorithm>
#include <cmath>

namespace vitrine::ui {

namespace drawing {

void roundedOutline(QPainter& painter, const QRectF& rect, const QColor& color, double width) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    const double inset = width / 2;
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset),
                            spacing::radius - inset,
                            spacing::radius - inset);
    painter.restore();
}

void roundedFill(QPainter& painter, const QRectF& rect, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawRoundedRect(rect, spacing::radius, spacing::radius);
    painter.restore();
}

void focusRing(QPainter& painter, const QRectF& rect) {
    roundedOutline(painter, rect, Theme::current().accent, 2);
}

void progressTrack(QPainter& painter, const QRectF& rect, double fraction, const QColor& color) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const double height = std::min<double>(spacing::progressTrack, rect.height());
    const QRectF track(rect.x(), std::round(rect.center().y() - height / 2), rect.width(), height);
    painter.setBrush(Theme::current().separator);
    painter.drawRoundedRect(track, height / 3, height / 3);
    if (fraction > 0) {
        QRectF filled = track;
        filled.setWidth(std::max(height, track.width() * std::min(1.0, fraction)));
        painter.setBrush(color);
        painter.drawRoundedRect(filled, height / 3, height / 3);
    }
    painter.restore();
}

} // namespace drawing

namespace {

bool hasFlag(const QWidget* widget, const char* name) {
    return widget != nullptr && widget->property(name).toBool();
}

bool keyboardFocus(const QStyleOption& option) {
    return option.state.testFlag(QStyle::State_HasFocus) &&
           option.state.testFlag(QStyle::State_KeyboardFocusChange);
}

// The box of a field: filled, outlined, ringed when it has the focus or is wrong.
void drawField(const QStyleOption& option, QPainter& painter, const QWidget* widget) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const QRectF rect(option.rect);
    drawing::roundedFill(painter, rect, enabled ? theme.surface : theme.window);
    if (hasFlag(widget, property::invalid))
        drawing::roundedOutline(painter, rect, theme.error, 2);
    else if (option.state.testFlag(QStyle::State_HasFocus))
        drawing::focusRing(painter, rect);
    else
        drawing::roundedOutline(painter, rect, enabled ? theme.border : theme.separator, 1);
}

void drawCheckIndicator(const QStyleOption& option, QPainter& painter) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool on = option.state.testFlag(QStyle::State_On);
    const bool partly = option.state.testFlag(QStyle::State_NoChange);
    const QRectF rect(option.rect);
    if (enabled && (on || partly)) {
        drawing::roundedFill(painter, rect, theme.accent);
    } else {
        drawing::roundedFill(painter, rect, enabled ? theme.surface : theme.window);
        drawing::roundedOutline(painter, rect, enabled ? theme.border : theme.separator, 1);
    }
    if (!on && !partly)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(enabled ? theme.onAccent : theme.disabled,
                        1.6,
                        Qt::SolidLine,
                        Qt::RoundCap,
                        Qt::RoundJoin));
    painter.translate(rect.topLeft());
    painter.scale(rect.width() / 16, rect.height() / 16);
    if (partly)
        painter.drawLine(QPointF(4.5, 8), QPointF(11.5, 8));
    else
        painter.drawPolyline(QPolygonF({{4.2, 8.3}, {7, 11}, {11.8, 5.2}}));
    painter.restore();
}

void drawRadioIndicator(const QStyleOption& option, QPainter& painter) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool on = option.state.testFlag(QStyle::State_On);
    const QRectF rect = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(!enabled ? theme.separator : on ? theme.accent : theme.border, 1));
    painter.setBrush(!enabled ? theme.window : on ? theme.accent : theme.surface);
    painter.drawEllipse(rect);
    if (on) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(enabled ? theme.onAccent : theme.disabled);
        painter.drawEllipse(rect.center(), 3, 3);
    }
    painter.restore();
}

void drawToolPanel(const QStyleOption& option, QPainter& painter) {
    const Theme& theme = Theme::current();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool pressed = option.state.testFlag(QStyle::State_Sunken);
    const bool on = option.state.testFlag(QStyle::State_On);
    if (on || (pressed && enabled)) {
        drawing::roundedFill(painter, QRectF(option.rect), theme.selection);
    } else if (enabled && option.state.testFlag(QStyle::State_MouseOver)) {
        drawing::roundedFill(painter, QRectF(option.rect), theme.separator);
    }
    if (keyboardFocus(option))
        drawing::focusRing(painter, QRectF(option.rect));
}

} // namespace

VitrineStyle::VitrineStyle()
    : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {
    setObjectName(QStringLiteral("vitrine"));
}

void VitrineStyle::drawPrimitive(PrimitiveElement element,
                                 const QStyleOption* option,
                                 QPainter* painter,
                                 const QWidget* widget) const {
    const Theme& theme = Theme::current();
    switch (element) {
    case PE_FrameFocusRect:
        if (option->state.testFlag(State_KeyboardFocusChange) ||
            qobject_cast<const QAbstractItemView*>(widget) != nullptr)
            drawing::focusRing(*painter, QRectF(option->rect));
        return;
    case PE_PanelLineEdit:
        if (const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            frame != nullptr && frame->lineWidth > 0)
            drawField(*option, *painter, widget);
        else
            painter->fillRect(option->rect, option->palette.brush(QPalette::Base));
        return;
    case PE_FrameLineEdit:
        return; // drawn with the panel
    case PE_Frame:
        if (qobject_cast<const QTextEdit*>(widget) != nullptr ||
            qobject_cast<const QPlainTextEdit*>(widget) != nullptr)
            drawField(*option, *painter, widget);
        else
            drawing::roundedOutline(*painter, QRectF(option->rect), theme.separator, 1);
        return;
    case PE_PanelButtonCommand:
        if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option))
            drawButtonPanel(*button, *painter, widget);
        return;
    case PE_FrameDefaultButton:
        return;
    case PE_IndicatorCheckBox:
        drawCheckIndicator(*option, *painter);
        return;
    case PE_IndicatorItemViewItemCheck:
        drawCheckIndicator(*option, *painter);
        return;
    case PE_IndicatorRadioButton:
        drawRadioIndicator(*option, *painter);
        return;
    case PE_PanelButtonTool:
        drawToolPanel(*option, *painter);
        return;
    case PE_FrameTabBarBase:
        painter->fillRect(
            QRect(option->rect.left(), option->rect.bottom(), option->rect.width(), 1),
            theme.separator);
        return;
    case PE_FrameTabWidget:
    case PE_PanelToolBar:
    case PE_FrameStatusBarItem:
        return;
    case PE_PanelItemViewRow:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            if (item->state.testFlag(State_Selected))
                painter->fillRect(item->rect, theme.selection);
            else if (item->features.testFlag(QStyleOptionViewItem::Alternate))
                painter->fillRect(item->rect, theme.alternate);
        }
        return;
    case PE_PanelItemViewItem:
        if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
            if (item->state.testFlag(State_Selected))
                painter->fillRect(item->rect, theme.selection);
            else if (item->backgroundBrush.style() != Qt::NoBrush)
                painter->fillRect(item->rect, item->backgroundBrush);
        }
        return;
    case PE_IndicatorBranch:
        if (option->state.testFlag(State_Children)) {
            const QRectF box(
                option->rect.center().x() - 7.5, option->rect.center().y() - 7.5, 16, 16);
            const bool selected = option->state.testFlag(State_Selected);
            paintThemeIcon(*painter,
                           box,
                           option->state.testFlag(State_Open) ? u"chevron-down" : u"chevron-right",
                           selected ? theme.onSelection : theme.text);
        }
        return;
    case PE_IndicatorArrowDown:
    case PE_IndicatorArrowUp:
    case PE_IndicatorArrowRight: {
        const QColor color = option->state.testFlag(State_Enabled) ? theme.text : theme.disabled;
        const QRectF box(option->rect.center().x() - 7.5, option->rect.center().y() - 7.5, 16, 16);
        paintThemeIcon(*painter,
                       box,
                       element == PE_IndicatorArrowDown ? u"chevron-down"
                       : element == PE_IndicatorArrowUp ? u"chevron-up"
                                                        : u"chevron-right",
                       color);
        return;
    }
    default:
        QProxyStyle::drawPrimitive(element, option, painter, widget);
    }
}

void VitrineStyle::drawComplexControl(ComplexControl control,
                                      const QStyleOptionComplex* option,
                                      QPainter* painter,
                                      const QWidget* widget) const {
    if (control == CC_ComboBox) {
        if (const auto* combo = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
            if (combo->frame)
                drawField(*option, *painter, widget);
            drawComboBox(*combo, *painter, widget);
            return;
        }
    }
    if (control == CC_SpinBox) {
        if (const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
            if (spin->frame)
                drawField(*option, *painter, widget);
            drawSpinBox(*spin, *painter, widget);
            return;
        }
    }
    if (control == CC_ToolButton) {
        if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option)) {
            drawToolButton(*button, *painter, widget);
            return;
        }
    }
    if (control == CC_ScrollBar) {
        if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
            drawScrollBar(*slider, *painter);
            return;
        }
    }
    QProxyStyle::drawComplexControl(control, option, painter, widget);
}

int VitrineStyle::pixelMetric(PixelMetric metric,
                              const QStyleOption* option,
                              const QWidget* widget) const {
    const bool window = widget != nullptr && widget->isWindow();
    switch (metric) {
    case PM_LayoutLeftMargin:
    case PM_LayoutRightMargin:
        return window ? spacing::pageHorizontal : 0;
    case PM_LayoutTopMargin:
    case PM_LayoutBottomMargin:
        return window ? spacing::pageVertical : 0;
    case PM_LayoutHorizontalSpacing:
    case PM_LayoutVerticalSpacing:
        return spacing::grid;
    case PM_IndicatorWidth:
    case PM_IndicatorHeight:
    case PM_ExclusiveIndicatorWidth:
    case PM_ExclusiveIndicatorHeight:
        return 16;
    case PM_CheckBoxLabelSpacing:
    case PM_RadioButtonLabelSpacing:
        return 8;
    case PM_SplitterWidth:
        return 1;
    case PM_ScrollBarExtent:
        return 12;
    case PM_ScrollBarSliderMin:
        return 32;
    case PM_ScrollView_ScrollBarSpacing:
        return 0;
    case PM_ToolBarIconSize:
    case PM_ButtonIconSize:
    case PM_SmallIconSize:
        return 16;
    case PM_ToolBarFrameWidth:
    case PM_ToolBarItemMargin:
    case PM_MenuBarPanelWidth:
    case PM_MenuBarVMargin:
        return 0;
    case PM_MenuBarHMargin:
        return 8;
    case PM_MenuBarItemSpacing:
        return 0;
    case PM_ToolBarItemSpacing:
        return 4;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
    case PM_ButtonDefaultIndicator:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabOverlap:
    case PM_TabBarBaseOverlap:
        return 0;
    case PM_MenuButtonIndicator:
        return 20;
    case PM_TreeViewIndentation:
        return 24;
    case PM_HeaderMargin:
        return 8;
    case PM_FocusFrameHMargin:
        return 8;
    default:
        return QProxyStyle::pixelMetric(metric, option, widget);
    }
}

int VitrineStyle::styleHint(StyleHint hint,
                            const QStyleOption* option,
                            const QWidget* widget,
                            QStyleHintReturn* data) const {
    switch (hint) {
    case SH_EtchDisabledText:
    case SH_UnderlineShortcut:
    case SH_ComboBox_Popup:
    case SH_DialogButtonBox_ButtonsHaveIcons:
    case SH_ScrollBar_Transient:
        return 0;
    case SH_ItemView_ShowDecorationSelected:
    case SH_ItemView_ArrowKeysNavigateIntoChildren:
    case SH_Menu_AllowActiveAndDisabled: // a greyed entry tells its reason when it is pointed at
        return 1;
    case SH_FormLayoutLabelAlignment:
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case SH_FormLayoutFormAlignment:
        return static_cast<int>(Qt::AlignLeft | Qt::AlignTop);
    case SH_Header_ArrowAlignment:
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    default:
        return QProxyStyle::styleHint(hint, option, widget, data);
    }
}

void VitrineStyle::polish(QWidget* widget) {
    QProxyStyle::polish(widget);
    // Text edits repaint only their inside when the focus changes; the ring is outside.
    if (qobject_cast<QTextEdit*>(widget) != nullptr ||
        qobject_cast<QPlainTextEdit*>(widget) != nullptr)
        widget->installEventFilter(this);
    if (widget->inherits("QAbstractButton") || widget->inherits("QTabBar"))
        widget->setAttribute(Qt::WA_Hover);
}

bool VitrineStyle::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        if (auto* widget = qobject_cast<QWidget*>(watched))
            widget->update();
    }
    return QProxyStyle::eventFilter(watched, event);
}

} // namespace vitrine::ui
