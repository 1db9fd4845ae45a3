// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"

#include <QImage>
#include <QWidget>

namespace vitrine::ui {

// The guest's screen in small, or a word about why there is none.
class LivePicture final : public QWidget {
    Q_OBJECT
public:
    explicit LivePicture(QWidget* parent = nullptr);
    void showPicture(const QImage& image, MachineState state);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QImage m_image;
    MachineState m_state = MachineState::Stopped;
};

} // namespace vitrine::ui
