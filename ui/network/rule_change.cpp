// SPDX-License-Identifier: Apache-2.0
#include "ui/network/rule_change.h"

#include "core/machine/network_rules.h"
#include "ui/network/destination_model.h"
#include "ui/network/firewall_link.h"
#include "ui/widgets/message_bar.h"

#include <algorithm>

namespace vitrine::ui {

namespace {

bool holds(const QStringList& list, const QString& rule) {
    const QString normal = normalNetworkRule(rule);
    return std::any_of(list.cbegin(), list.cend(), [&normal](const QString& other) {
        return normalNetworkRule(other) == normal;
    });
}

} // namespace

RuleChange::RuleChange(FirewallLink* link, MessageBar* message, QObject* parent)
    : QObject(parent)
    , m_link(link)
    , m_message(message) {}

void RuleChange::make(const SoftnetDestination& destination,
                      SoftnetList list,
                      SoftnetScope scope,
                      bool keep) {
    if (m_link->status().learning) {
        m_message->showMessage(MessageBar::Kind::Warning,
                               tr("No rule was made."),
                               tr("While the machine learns, everything passes. Stop learning "
                                  "first."));
        return;
    }
    ++m_count;
    const QString rule = softnetRuleFor(destination, m_link->status().policy, scope);
    QStringList words{
        list == SoftnetList::Allow ? QStringLiteral("allow") : QStringLiteral("block"), rule};
    if (!keep)
        words << QStringLiteral("--once");
    Q_EMIT made(words);
    const FirewallLink::Edit edit = [list, rule](SoftnetPolicy& policy) {
        putSoftnetRule(policy, list, rule);
    };
    m_link->change(edit,
                   keep ? edit : FirewallLink::Edit(),
                   [this, destination, list, rule, keep, count = m_count](
                       const Result<FirewallLink::Before>& before) {
                       if (!before) {
                           m_message->showError(
                               before.error(),
                               list == SoftnetList::Allow
                                   ? tr("%1 was not allowed.").arg(calledText(destination))
                                   : tr("%1 was not blocked.").arg(calledText(destination)));
                           return;
                       }
                       if (count != m_count)
                           return;
                       const Made made{destination, list, rule, keep, *before};
                       tell(made);
                       lookAtIt(made);
                   });
}

void RuleChange::tell(const Made& made) {
    const QString name = calledText(made.destination);
    m_message->showMessage(
        MessageBar::Kind::Info,
        made.list == SoftnetList::Allow ? tr("%1 is allowed.").arg(name)
                                        : tr("%1 is blocked.").arg(name),
        made.keep ? tr("The rule %1 holds at once and from now on, also for open connections.")
                        .arg(made.rule)
                  : tr("The rule %1 holds at once and until the machine stops, also for open "
                       "connections.")
                        .arg(made.rule));
    m_message->addAction(tr("Undo"), [this, made] { undo(made); });
}

void RuleChange::lookAtIt(const Made& made) {
    m_link->test(
        softnetQuestion(made.destination),
        [this, made, count = m_count](const Result<SoftnetAnswer>& answer) {
            if (count != m_count || !answer || answer->passes == (made.list == SoftnetList::Allow))
                return;
            const QString why = softnetReasonText(answer->reason, answer->rule);
            m_message->showMessage(
                MessageBar::Kind::Warning,
                answer->passes ? tr("%1 still passes.").arg(calledText(made.destination))
                               : tr("%1 is still blocked.").arg(calledText(made.destination)),
                tr("The rule %1 was added, but another one goes before it: %2. Change "
                   "that one under Rules and Ports.")
                    .arg(made.rule, why));
            m_message->addAction(tr("Undo"), [this, made] { undo(made); });
        });
}

// Only this rule: others may have been changed since.
void RuleChange::undo(const Made& made) {
    ++m_count;
    const auto back = [&made](const SoftnetPolicy& before) {
        return FirewallLink::Edit(
            [list = made.list,
             rule = made.rule,
             wasAllowed = holds(before.allow, made.rule),
             wasBlocked = holds(before.block, made.rule)](SoftnetPolicy& policy) {
                takeSoftnetRule(policy, list, rule);
                if (wasAllowed)
                    putSoftnetRule(policy, SoftnetList::Allow, rule);
                if (wasBlocked)
                    putSoftnetRule(policy, SoftnetList::Block, rule);
            });
    };
    m_link->change(back(made.before.inForce),
                   made.keep ? back(made.before.stored) : FirewallLink::Edit(),
                   [this, rule = made.rule](const Result<FirewallLink::Before>& before) {
                       if (before)
                           m_message->showMessage(
                               MessageBar::Kind::Info,
                               {},
                               tr("The rules are as before: %1 was taken back.").arg(rule));
                       else
                           m_message->showError(before.error(), tr("%1 still holds.").arg(rule));
                   });
}

} // namespace vitrine::ui
