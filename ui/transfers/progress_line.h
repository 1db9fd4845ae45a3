// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QWidget>

#include <optional>

namespace vitrine::ui {

// The 6-pixel bar of a transfer. Painted only when its filled width changes by a pixel.
class ProgressLine final : public QWidget {
    Q_OBJECT
public:
    enum class Tone { Running, Done, Failed };
    explicit ProgressLine(QWidget* parent = nullptr);

    // 0 … 1; nullopt: the total is not known yet (an empty track).
    void setFraction(std::optional<double> fraction, Tone tone);
    [[nodiscard]] std::optional<double> fraction() const { return m_fraction; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<double> m_fraction;
    Tone m_tone = Tone::Running;
};

// The track and its filled part, for delegates too.
void paintProgressLine(QPainter& painter, const QRectF& rect, double fraction, const QColor& fill);

} // namespace vitrine::ui
