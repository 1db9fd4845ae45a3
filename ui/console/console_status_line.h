// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace vitrine::ui {

class ElidedLabel;
class GlyphLabel;
class TextLabel;

// The line below the screen: where the keyboard is and how to change that; the picture's rate.
class ConsoleStatusLine final : public QWidget {
    Q_OBJECT
public:
    explicit ConsoleStatusLine(QWidget* parent = nullptr);

    enum class Keyboard { Unavailable, Here, InGuest, InTerminal, AtTerminal };
    // `note`: which keys stay here even so; may be empty.
    void setKeyboard(Keyboard keyboard, const QString& note = {});
    void setRate(int updatesPerSecond);                  // negative: none is shown
    void setClipboard(const QString& text, bool shared); // empty: not shown
    [[nodiscard]] QString text() const;
    [[nodiscard]] QString clipboardText() const;
    [[nodiscard]] QString rateText() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    GlyphLabel* m_icon;
    TextLabel* m_strong;
    ElidedLabel* m_text;
    GlyphLabel* m_tick;
    TextLabel* m_clipboard;
    TextLabel* m_rate;
};

} // namespace vitrine::ui
