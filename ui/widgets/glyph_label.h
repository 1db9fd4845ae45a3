// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

#include <optional>

namespace vitrine::ui {

// A state's shape or an icon beside a text; decoration only, the word next to it says the same.
class GlyphLabel final : public QWidget {
    Q_OBJECT
public:
    explicit GlyphLabel(QWidget* parent = nullptr);
    GlyphLabel(Glyph glyph, int size, QWidget* parent = nullptr);
    void setGlyph(Glyph glyph, int size = 12);
    enum class IconTone { Text, Secondary, Accent };
    void setIcon(QStringView name, int size, IconTone tone = IconTone::Secondary);
    [[nodiscard]] QSize sizeHint() const override { return {m_size, m_size}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::optional<Glyph> m_glyph;
    QString m_icon;
    IconTone m_tone = IconTone::Secondary;
    int m_size = 12;
};

} // namespace vitrine::ui
