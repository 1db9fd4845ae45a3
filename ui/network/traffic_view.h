// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_rules.h"
#include "ui/network/destination_model.h"

#include <QWidget>

#include <array>

class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace vitrine::ui {

class DestinationTable;
class FirewallLink;
class PassTester;
class TextLabel;

// What the guest talked to, live, and "would this pass?".
class TrafficView final : public QWidget {
    Q_OBJECT
public:
    // `link` outlives it.
    explicit TrafficView(FirewallLink* link, QWidget* parent = nullptr);

    void showMachine(); // another one was chosen
    [[nodiscard]] DestinationModel* model() const { return m_model; }
    [[nodiscard]] DestinationTable* table() const { return m_table; }
    [[nodiscard]] PassTester* tester() const { return m_tester; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    [[nodiscard]] QPushButton* verdictButton(DestinationModel::Verdicts verdicts) const {
        return m_verdicts.at(static_cast<size_t>(verdicts));
    }
    // What `vitrinectl net NAME` needs to tell or do the same as is shown or chosen.
    [[nodiscard]] QStringList commandWords(bool keep) const;

Q_SIGNALS:
    void pressed(const vitrine::SoftnetDestination& destination);
    void ruleWanted(const vitrine::SoftnetDestination& destination,
                    vitrine::SoftnetScope scope,
                    bool keep);
    void commandChanged();

private:
    void setVerdicts(DestinationModel::Verdicts verdicts);
    void updateTotals();
    void showMenu(const SoftnetDestination& destination, QPoint position);

    FirewallLink* m_link;
    DestinationModel* m_model;
    std::array<QPushButton*, 3> m_verdicts;
    QLineEdit* m_filter;
    QStackedWidget* m_stack;
    DestinationTable* m_table;
    TextLabel* m_empty;
    TextLabel* m_emptyWhy;
    PassTester* m_tester;
    bool m_testing = false; // the tester was used after the list
};

} // namespace vitrine::ui
