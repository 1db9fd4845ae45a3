// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/transfers/transfer_text.h"

#include <QWidget>

namespace vitrine::ui {

// The parts of one job, painted: at most a row for each part at work and one for each of the other
// states.
class LayerList final : public QWidget {
    Q_OBJECT
public:
    explicit LayerList(QWidget* parent = nullptr);
    void setRows(QList<LayerRow> rows);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QList<LayerRow> m_rows;
};

} // namespace vitrine::ui
