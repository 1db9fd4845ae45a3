// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace vitrine::ui {

// One line of a pixel in the separator colour.
class Hairline final : public QWidget {
    Q_OBJECT
public:
    explicit Hairline(Qt::Orientation orientation = Qt::Horizontal, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace vitrine::ui
