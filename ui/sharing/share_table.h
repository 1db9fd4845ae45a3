// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sharing/share_status.h"

#include <QTreeWidget>

#include <optional>

namespace vitrine::ui {

// The shares of a machine: name (F2 renames), folder, place in the guest with a copy button,
// read-only switch, state. Keeps selection and focus when only states change.
class ShareTable final : public QTreeWidget {
    Q_OBJECT
public:
    explicit ShareTable(QWidget* parent = nullptr);

    // `running`: states are shown; otherwise all count at the next start.
    void setShares(const QList<ShareStatus>& shares, bool running);
    void setChangeable(bool changeable, const QString& reason);
    [[nodiscard]] std::optional<ShareStatus> selected() const;
    [[nodiscard]] const QList<ShareStatus>& shares() const { return m_shares; }

Q_SIGNALS:
    void selectedChanged();
    void readOnlyWanted(const vitrine::ShareSpec& share, bool readOnly);
    void nameWanted(const vitrine::ShareSpec& share, const QString& name);
    void removeWanted(); // Delete was pressed

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill(QTreeWidgetItem* item, const ShareStatus& share);
    void makeCells(QTreeWidgetItem* item, int row);
    void sizeColumns();

    QList<ShareStatus> m_shares;
    bool m_running = false;
    bool m_changeable = true;
    QString m_reason;
    bool m_filling = false;
};

// "Mounted", "Waits for the guest", … and its glyph.
[[nodiscard]] QString shareStateText(const ShareStatus& share, bool running);

} // namespace vitrine::ui
