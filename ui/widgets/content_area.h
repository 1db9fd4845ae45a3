// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>

namespace vitrine::ui {

// The content of a dialogue: the dialogue is made as high as it needs, also when it grows later;
// where the screen is lower, the content scrolls. Put the buttons below it.
class ContentArea final : public QScrollArea {
    Q_OBJECT
public:
    explicit ContentArea(QWidget* parent = nullptr);
    void setContent(QWidget* content); // takes ownership
    // The dialogue also gets lower with its content, unless somebody gave it another height.
    void setShrinks(bool shrinks) { m_shrinks = shrinks; }
    [[nodiscard]] QSize sizeHint() const override;
    void fitWindow(); // now; it is done by itself when the layout has settled

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool m_shrinks = false;
    int m_height = 0; // that the dialogue was given here
};

} // namespace vitrine::ui
