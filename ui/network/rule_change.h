// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_rules.h"
#include "ui/network/firewall_link.h"

#include <QObject>

namespace vitrine::ui {

class MessageBar;

// One rule by one click, told in a message with Undo. Looks afterwards whether the rule decides,
// and says which one does if it does not.
class RuleChange final : public QObject {
    Q_OBJECT
public:
    // Both outlive it.
    RuleChange(FirewallLink* link, MessageBar* message, QObject* parent = nullptr);

    // `keep`: from now on, else until the machine stops.
    void
    make(const SoftnetDestination& destination, SoftnetList list, SoftnetScope scope, bool keep);

Q_SIGNALS:
    void made(const QStringList& words); // what `vitrinectl net NAME` needs to do it

private:
    struct Made {
        SoftnetDestination destination;
        SoftnetList list = SoftnetList::Allow;
        QString rule;
        bool keep = true;
        FirewallLink::Before before;
    };
    void tell(const Made& made);
    void lookAtIt(const Made& made);
    void undo(const Made& made);

    FirewallLink* m_link;
    MessageBar* m_message;
    int m_count = 0; // what is told of an earlier change does not count
};

} // namespace vitrine::ui
