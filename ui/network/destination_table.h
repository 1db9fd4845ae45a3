// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_values.h"

#include <QTableView>

#include <optional>

namespace vitrine::ui {

class DestinationModel;

// The list of destinations with a button at the end of each row. Return or Space presses the button
// of the current row, Ctrl+C copies its address, the menu key opens its menu. Rows keep their
// places while the pointer is over them, so that a click does not meet another row.
class DestinationTable final : public QTableView {
    Q_OBJECT
public:
    // `model` outlives the table.
    explicit DestinationTable(DestinationModel* model, QWidget* parent = nullptr);

    [[nodiscard]] std::optional<SoftnetDestination> current() const;

Q_SIGNALS:
    void pressed(const vitrine::SoftnetDestination& destination); // its button
    void menuWanted(const vitrine::SoftnetDestination& destination, QPoint globalPosition);
    void currentMoved();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

private:
    void sizeColumns();
    void press(int row);
    [[nodiscard]] std::optional<SoftnetDestination> buttonAt(QPoint position) const;

    DestinationModel* m_model;
    bool m_hasNames = false;                  // when columns were last sized
    std::optional<SoftnetDestination> m_down; // whose button the pointer went down on
};

} // namespace vitrine::ui
