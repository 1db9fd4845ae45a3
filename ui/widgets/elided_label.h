// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/widgets/text_label.h"

#include <QWidget>

namespace vitrine::ui {

// One line of plain text that is shortened where it does not fit, with the whole in the tool tip.
class ElidedLabel final : public QWidget {
    Q_OBJECT
public:
    explicit ElidedLabel(const QString& text = {},
                         Qt::TextElideMode mode = Qt::ElideRight,
                         TextSize size = TextSize::Body,
                         TextTone tone = TextTone::Text,
                         QWidget* parent = nullptr);
    void setText(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    void setTone(TextTone tone);
    // Never asks for more than this many pixels; 0 for no limit.
    void setMaximumTextWidth(int pixels);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateToolTip();
    QString m_text;
    Qt::TextElideMode m_mode;
    TextTone m_tone;
    int m_maximum = 0;
};

} // namespace vitrine::ui
