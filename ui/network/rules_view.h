// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QStringList>
#include <QWidget>

#include <functional>

namespace vitrine::ui {

class FirewallLink;
class ReasonLabel;
class ValueList;

// The rules in force and the ports that lead into the guest, edited while the machine runs: a row
// counts as soon as it is finished.
class RulesView final : public QWidget {
    Q_OBJECT
public:
    // `link` outlives it.
    explicit RulesView(FirewallLink* link, QWidget* parent = nullptr);

    void setKeep(bool keep) { m_keep = keep; } // from now on, else until the machine stops
    void showStatus();                         // as it is in force
    [[nodiscard]] ValueList* allow() const { return m_allow; }
    [[nodiscard]] ValueList* block() const { return m_block; }
    [[nodiscard]] ValueList* expose() const { return m_expose; }
    [[nodiscard]] ValueList* forwards() const { return m_forwards; }

Q_SIGNALS:
    void failed(const vitrine::Error& error, const QString& title);
    void changed(const QStringList& words); // what `vitrinectl net NAME` needs to do the same

private:
    void changeRules();
    void changeExposed();
    void changeForwards();
    [[nodiscard]] std::function<void(const Result<>&)> answer(const QString& title);

    FirewallLink* m_link;
    ReasonLabel* m_reason;
    ValueList* m_allow;
    ValueList* m_block;
    ValueList* m_expose;
    ValueList* m_forwards;
    bool m_keep = true;
};

} // namespace vitrine::ui
