// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sharing/share_status.h"
#include "ui/services.h"

#include <QWidget>

class QPushButton;
class QStackedWidget;

namespace vitrine::ui {

class CommandRow;
class MessageBar;
class PathDrop;
class ReasonLabel;
class ShareActions;
class ShareTable;
class TextLabel;

// Folders of this computer inside one machine. While it runs, everything applies at once.
class SharingPage final : public QWidget {
    Q_OBJECT
public:
    // `actions` outlives the page.
    SharingPage(const Services& services, ShareActions* actions, QWidget* parent = nullptr);

    // For another machine and whenever something about this one changed.
    void showMachine(const MachineInfo& info);
    [[nodiscard]] ShareTable* table() const { return m_table; }
    [[nodiscard]] MessageBar* message() const { return m_message; } // what was tried and failed
    [[nodiscard]] MessageBar* problem() const { return m_problem; } // of the selected share
    [[nodiscard]] QPushButton* addButton() const { return m_add; }
    [[nodiscard]] QPushButton* removeButton() const { return m_remove; }
    [[nodiscard]] QPushButton* ownButton() const { return m_own; }
    [[nodiscard]] PathDrop* drop() const { return m_drop; }

Q_SIGNALS:
    void pathsDropped(const QStringList& paths, bool writable);
    void showLogRequested(const QString& path);

private:
    void reload();
    void showList(const ShareList& list);
    void updateControls();
    void updateProblem();
    void tellWaiting(const ShareStatus& share);
    void addSshUser(const ShareSpec& share); // a field of the problem's bar
    void chooseFolder();
    void addFolder(const QString& folder);
    void removeSelected(bool force);
    void setReadOnly(const ShareSpec& share, bool readOnly);
    void mountAgain(const ShareSpec& share);
    void takeOwnership();
    // Afterwards the list is read again, and an error is shown.
    [[nodiscard]] std::function<void(Result<>)> answer(const QString& title);

    Services m_services;
    ShareActions* m_actions;
    MachineInfo m_info;
    bool m_wasRunning = false;
    int m_asked = 0; // an older answer than the last question does not count
    ShareList m_list;
    std::optional<ShareStatus> m_toldProblem; // what the problem's bar is about
    QString m_toldUser;
    std::optional<QString> m_typedUser; // for ssh, not remembered yet
    TextLabel* m_hint;
    QPushButton* m_add;
    QPushButton* m_own;
    QPushButton* m_remove;
    ReasonLabel* m_reason;
    TextLabel* m_transport;
    ShareTable* m_table;
    QStackedWidget* m_stack;
    MessageBar* m_message;
    MessageBar* m_problem;
    PathDrop* m_drop;
    CommandRow* m_command;
};

} // namespace vitrine::ui
