// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_rules.h"
#include "ui/services.h"

#include <QWidget>

class QComboBox;
class QPushButton;
class QStackedWidget;
class QToolButton;

namespace vitrine::ui {

class CommandRow;
class FirewallLink;
class LearnDialog;
class MessageBar;
class RuleChange;
class RulesView;
class TextLabel;
class TrafficView;

// The firewall of one machine while it runs: what passed and what did not, rules by one click,
// "would this pass?", learning, export; the rules in force and the ports that lead into the guest.
// Asks the machine only while it is shown.
class NetworkPage final : public QWidget {
    Q_OBJECT
public:
    enum class View { Traffic, Rules };
    enum class Format { Csv, Json };

    explicit NetworkPage(const Services& services, QWidget* parent = nullptr);

    // For another machine and whenever something about this one changed.
    void showMachine(const MachineInfo& info);
    void showView(View view);
    // Writes the list as it is shown, off the window's thread; a failure is told on the page.
    void exportTo(const QString& path, Format format);

    [[nodiscard]] FirewallLink* link() const { return m_link; }
    [[nodiscard]] TrafficView* traffic() const { return m_traffic; }
    [[nodiscard]] RulesView* rules() const { return m_rules; }
    [[nodiscard]] MessageBar* message() const { return m_message; }   // what was done or failed
    [[nodiscard]] MessageBar* learning() const { return m_learning; } // while it learns
    [[nodiscard]] MessageBar* trouble() const { return m_trouble; }   // the helper is not there
    [[nodiscard]] QPushButton* learnButton() const { return m_learn; }
    [[nodiscard]] QComboBox* keepBox() const { return m_keep; }
    [[nodiscard]] QString stateText() const; // in place of the list; empty while that is shown

Q_SIGNALS:
    void startRequested();
    void settingsRequested(); // the Network pane of this machine's settings
    void exported(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    struct StateWords {
        QString title;
        QString text;
        bool start = false;
        bool settings = false;
    };
    [[nodiscard]] StateWords stateWords() const;
    [[nodiscard]] bool keeps() const;
    void updateState();
    void updateLearning();
    void updateCommand();
    void offerLearning();
    void startLearning();
    void stopLearning(bool propose);
    void propose(const QList<SoftnetDestination>& seen, const SoftnetPolicy& inForce);
    void applyProposal(const SoftnetPolicy& policy);
    void chooseExport(Format format);

    Services m_services;
    FirewallLink* m_link;
    QPushButton* m_showTraffic;
    QPushButton* m_showRules;
    QComboBox* m_keep;
    QPushButton* m_learn;
    QToolButton* m_export;
    MessageBar* m_message;
    MessageBar* m_learning;
    MessageBar* m_trouble;
    QStackedWidget* m_stack;
    TrafficView* m_traffic;
    RulesView* m_rules;
    QWidget* m_state;
    TextLabel* m_stateTitle;
    TextLabel* m_stateText;
    QPushButton* m_start;
    QPushButton* m_settings;
    CommandRow* m_command;
    RuleChange* m_change;
    QStringList m_lastWords; // of what was done last on the page of rules
};

} // namespace vitrine::ui
