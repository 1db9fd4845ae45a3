// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

class QWidget;

namespace vitrine::ui {

// A label and its control, kept together where lines break. The label is the control's buddy and a
// TextLabel below what is returned.
[[nodiscard]] QWidget* labelled(const QString& text, QWidget* control, QWidget* parent);

} // namespace vitrine::ui
