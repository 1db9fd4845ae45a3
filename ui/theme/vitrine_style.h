// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProxyStyle>

class QStyleOptionButton;
class QStyleOptionComboBox;
class QStyleOptionProgressBar;
class QStyleOptionSlider;
class QStyleOptionSpinBox;
class QStyleOptionTab;
class QStyleOptionToolButton;

namespace vitrine::ui {

// Dynamic properties that change how a widget is drawn.
namespace property {
// bool: 28 instead of 32 pixels high (buttons, fields, combo boxes).
inline constexpr const char* small = "vitrineSmall";
// bool: outline in the error colour (line edits, combo and spin boxes, text edits).
inline constexpr const char* invalid = "vitrineInvalid";
// int, see Segment: a checkable button drawn as part of a row of joined buttons.
inline constexpr const char* segment = "vitrineSegment";
// bool: a flat button that looks like a link.
inline constexpr const char* link = "vitrineLink";
// bool: a progress bar in the colour of a failure or of success.
inline constexpr const char* failed = "vitrineFailed";
inline constexpr const char* done = "vitrineDone";
// bool: a tool button whose verb is greyed while its menu can be opened.
inline constexpr const char* greyedVerb = "vitrineGreyedVerb";
} // namespace property

enum class Segment { None, First, Middle, Last, Only };

// Fusion with the controls of the design: 32-pixel fields and buttons with a corner radius of 4, a
// 2-pixel focus ring in the accent, the default button filled with the accent, tabs underlined, a
// 6-pixel progress track. Layouts of windows get margins of 24 and 16, others none; spacing is 8.
class VitrineStyle final : public QProxyStyle {
    Q_OBJECT
public:
    VitrineStyle();

    void drawPrimitive(PrimitiveElement element,
                       const QStyleOption* option,
                       QPainter* painter,
                       const QWidget* widget) const override;
    void drawControl(ControlElement element,
                     const QStyleOption* option,
                     QPainter* painter,
                     const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control,
                            const QStyleOptionComplex* option,
                            QPainter* painter,
                            const QWidget* widget) const override;
    QRect subControlRect(ComplexControl control,
                         const QStyleOptionComplex* option,
                         SubControl part,
                         const QWidget* widget) const override;
    QRect subElementRect(SubElement element,
                         const QStyleOption* option,
                         const QWidget* widget) const override;
    QSize sizeFromContents(ContentsType type,
                           const QStyleOption* option,
                           const QSize& size,
                           const QWidget* widget) const override;
    int pixelMetric(PixelMetric metric,
                    const QStyleOption* option,
                    const QWidget* widget) const override;
    int styleHint(StyleHint hint,
                  const QStyleOption* option,
                  const QWidget* widget,
                  QStyleHintReturn* data) const override;
    using QProxyStyle::polish;
    void polish(QWidget* widget) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void drawButtonPanel(const QStyleOptionButton& option, QPainter& painter, const QWidget*) const;
    void drawButtonLabel(const QStyleOptionButton& option, QPainter& painter, const QWidget*) const;
    void drawTabShape(const QStyleOptionTab& option, QPainter& painter) const;
    void drawTabLabel(const QStyleOptionTab& option, QPainter& painter) const;
    void
    drawProgress(const QStyleOptionProgressBar& option, QPainter& painter, const QWidget*) const;
    void drawComboBox(const QStyleOptionComboBox& option, QPainter& painter, const QWidget*) const;
    void drawSpinBox(const QStyleOptionSpinBox& option, QPainter& painter, const QWidget*) const;
    void
    drawToolButton(const QStyleOptionToolButton& option, QPainter& painter, const QWidget*) const;
    void drawScrollBar(const QStyleOptionSlider& option, QPainter& painter) const;
};

// Shared drawing of the style's files and of delegates.
namespace drawing {
// A rounded outline inside `rect`; `width` pixels wide.
void roundedOutline(QPainter& painter, const QRectF& rect, const QColor& color, double width);
void roundedFill(QPainter& painter, const QRectF& rect, const QColor& color);
// The 2-pixel ring of the accent, inside `rect`.
void focusRing(QPainter& painter, const QRectF& rect);
// A track of 6 pixels, vertically centred in `rect`, filled to `fraction` (0 … 1).
void progressTrack(QPainter& painter, const QRectF& rect, double fraction, const QColor& color);
} // namespace drawing

} // namespace vitrine::ui
