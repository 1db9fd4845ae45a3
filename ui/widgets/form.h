// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/widgets/reason_label.h"
#include "ui/widgets/text_label.h"

#include <QWidget>

class QGridLayout;
class QHBoxLayout;
class QLabel;

namespace vitrine::ui {

// A form: labels right-aligned in one column, controls in the other, help and the reason of a
// greyed control below the control.
class Form final : public QWidget {
    Q_OBJECT
public:
    struct Row {
        QLabel* label = nullptr;
        QHBoxLayout* controls = nullptr; // more controls on the same line; a stretch is at its end
        TextLabel* help = nullptr;
        ReasonLabel* reason = nullptr;
    };
    // Width of the label column in pixels, so that several forms on a page line up.
    explicit Form(int labelWidth = 160, QWidget* parent = nullptr);

    // Takes ownership of `control`. `label` becomes its buddy and, if it has none, accessible name.
    Row addRow(const QString& label, QWidget* control, const QString& help = {});
    void setRowVisible(const Row& row, bool visible);
    // Facts instead of controls: labels in secondary, rows as high as their text.
    void setDense(bool dense) { m_dense = dense; }

private:
    QGridLayout* m_grid;
    int m_labelWidth;
    int m_rows = 0;
    bool m_dense = false;
};

} // namespace vitrine::ui
