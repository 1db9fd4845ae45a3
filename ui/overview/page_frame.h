// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QScrollArea>

class QVBoxLayout;

namespace vitrine::ui {

// A page that scrolls up and down when it is higher than the window, with the margins of a page.
class PageFrame : public QScrollArea {
    Q_OBJECT
public:
    explicit PageFrame(QWidget* parent = nullptr);
    [[nodiscard]] QVBoxLayout* content() const { return m_layout; }

private:
    QVBoxLayout* m_layout;
};

// Least height of a section's heading, so that headings of columns side by side line up whether or
// not a link stands beside one. Pixels.
[[nodiscard]] int headingHeight();

} // namespace vitrine::ui
