// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/services.h"
#include "ui/snapshots/snapshot_list.h"

#include <QWidget>

class QCheckBox;
class QPushButton;
class QStackedWidget;

namespace vitrine::ui {

class MessageBar;
class ReasonLabel;
class TextLabel;

// The restore points of one machine: the tree, what the chosen one is, and what can be done with
// it. All work is done by vitrinectl in a job of the window; this page only reads, in the
// background.
class SnapshotsPage final : public QWidget {
    Q_OBJECT
public:
    explicit SnapshotsPage(const Services& services, QWidget* parent = nullptr);

    void showMachine(const MachineInfo& info);
    void takeSnapshot(); // asks for a name
    // Jobs under Transfers; errors show here.
    void startRestore(const Snapshot& snapshot, bool saveCurrent);
    void startRemove(const Snapshot& snapshot);
    [[nodiscard]] const SnapshotView& view() const { return m_view; }

    [[nodiscard]] SnapshotList* list() const { return m_list; }
    [[nodiscard]] QPushButton* takeButton() const { return m_take; }
    [[nodiscard]] QPushButton* restoreButton() const { return m_restore; }
    [[nodiscard]] QPushButton* branchButton() const { return m_branch; }
    [[nodiscard]] QPushButton* deleteButton() const { return m_delete; }
    [[nodiscard]] QCheckBox* automaticBox() const { return m_automatic; }
    [[nodiscard]] ReasonLabel* reason() const { return m_reason; }
    [[nodiscard]] MessageBar* message() const { return m_message; }
    [[nodiscard]] bool isEmptyShown() const;

Q_SIGNALS:
    // The shell asks first.
    void restoreRequested(const vitrine::MachineInfo& machine, const vitrine::Snapshot& snapshot);
    void deleteRequested(const vitrine::MachineInfo& machine, const vitrine::Snapshot& snapshot);
    void branchRequested(const vitrine::MachineInfo& machine, const vitrine::Snapshot& snapshot);

protected:
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] QWidget* buildSide();
    [[nodiscard]] QWidget* buildEmpty();
    void read();
    void updateVerbs();
    // A job under Transfers; the list is read again when it ends.
    void work(const QString& title,
              const QString& subtitle,
              const QStringList& words,
              const QString& failure);
    [[nodiscard]] const Snapshot* chosen() const;
    [[nodiscard]] bool isStopped() const;
    [[nodiscard]] bool isWorking() const;

    Services m_services;
    MachineInfo m_info;
    SnapshotView m_view;
    bool m_known = false; // m_view is of this machine
    MessageBar* m_message;
    QStackedWidget* m_stack;
    SnapshotList* m_list;
    TextLabel* m_name;
    TextLabel* m_facts;
    QPushButton* m_take;
    QPushButton* m_restore;
    QPushButton* m_branch;
    QPushButton* m_delete;
    ReasonLabel* m_reason;
    QCheckBox* m_automatic;
};

} // namespace vitrine::ui
