// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/widgets/text_label.h"

#include <QWidget>

namespace vitrine::ui {

// The line below a greyed control that says why it is greyed: a lock and the reason. Hidden when
// there is none.
class ReasonLabel final : public QWidget {
    Q_OBJECT
public:
    explicit ReasonLabel(QWidget* parent = nullptr);
    void setReason(const QString& reason);
    [[nodiscard]] QString reason() const { return m_text->text(); }

private:
    TextLabel* m_text;
};

// Enables `control`, or greys it and says why in `label` and to assistive technology.
void setAvailable(QWidget* control, ReasonLabel* label, bool available, const QString& reason);

} // namespace vitrine::ui
