// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace vitrine::ui {

enum class TextSize { Small, SmallStrong, Body, BodyStrong, Heading, PageTitle, Fixed };
enum class TextTone { Text, Secondary, Disabled, Accent, Error, Warning, Running };

// Plain text in a size and colour of the theme; follows a change of scheme. Never interprets
// markup.
class TextLabel final : public QLabel {
    Q_OBJECT
public:
    explicit TextLabel(const QString& text = {},
                       TextSize size = TextSize::Body,
                       TextTone tone = TextTone::Text,
                       QWidget* parent = nullptr);
    void setTone(TextTone tone);
    // Lets the text be marked and copied with mouse and keyboard.
    void makeSelectable();

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyTone();
    TextTone m_tone;
    bool m_applying = false;
};

[[nodiscard]] QFont fontOf(TextSize size);

// Heading of a section of a page; assistive technology reads it as the name of what follows.
[[nodiscard]] TextLabel* sectionHeading(const QString& text, QWidget* parent = nullptr);
// Help below a control: small, secondary, wrapped.
[[nodiscard]] TextLabel* helpLabel(const QString& text, QWidget* parent = nullptr);

} // namespace vitrine::ui
