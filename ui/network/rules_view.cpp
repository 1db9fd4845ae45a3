// SPDX-License-Identifier: Apache-2.0
#include "ui/network/rules_view.h"

#include "core/machine/network_rules.h"
#include "core/softnet/softnet_rules.h"
#include "ui/network/firewall_link.h"
#include "ui/network/rule_lists.h"
#include "ui/theme/theme.h"
#include "ui/widgets/reason_label.h"
#include "ui/widgets/text_label.h"

#include <QGridLayout>
#include <QScrollArea>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

QStringList without(const QStringList& list, const QStringList& others) {
    QStringList rest;
    for (const QString& item : list)
        if (!others.contains(item))
            rest.append(item);
    return rest;
}

} // namespace

RulesView::RulesView(FirewallLink* link, QWidget* parent)
    : QWidget(parent)
    , m_link(link)
    , m_reason(new ReasonLabel(this)) {
    auto* area = new QScrollArea(this);
    auto* page = new QWidget(area);
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    m_allow = allowList(page);
    m_block = blockList(page);
    m_expose = exposeList(page);
    m_forwards = forwardList(page);
    tellOfBoth(m_allow, m_block);
    auto* help = helpLabel(
        tr("A row counts as soon as it is finished, also for open connections. A rule with a port "
           "goes before one without, then the longest prefix, then block before allow; without a "
           "rule public addresses pass, private ones and this computer do not."),
        page);
    auto* grid = new QGridLayout(page);
    grid->setContentsMargins(0, 0, spacing::grid, spacing::grid);
    grid->setHorizontalSpacing(spacing::column);
    grid->setVerticalSpacing(spacing::block);
    grid->addWidget(help, 0, 0, 1, 2);
    grid->addWidget(m_allow, 1, 0, Qt::AlignTop);
    grid->addWidget(m_block, 1, 1, Qt::AlignTop);
    grid->addWidget(m_expose, 2, 0, Qt::AlignTop);
    grid->addWidget(m_forwards, 2, 1, Qt::AlignTop);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(3, 1);
    area->setWidget(page);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::grid);
    layout->addWidget(m_reason);
    layout->addWidget(area, 1);

    connect(m_allow, &ValueList::committed, this, &RulesView::changeRules);
    connect(m_block, &ValueList::committed, this, &RulesView::changeRules);
    connect(m_expose, &ValueList::committed, this, &RulesView::changeExposed);
    connect(m_forwards, &ValueList::committed, this, &RulesView::changeForwards);
    connect(m_link, &FirewallLink::statusChanged, this, &RulesView::showStatus);
    showStatus();
}

void RulesView::showStatus() {
    const FirewallStatus& status = m_link->status();
    // A row that is wrong stays until it is mended.
    if (m_allow->isValid())
        m_allow->setValues(status.policy.allow);
    if (m_block->isValid())
        m_block->setValues(status.policy.block);
    QStringList exposed;
    QHash<QString, ValueList::Note> notes;
    for (const FirewallStatus::Port& port : status.exposed) {
        exposed.append(port.spec);
        notes.insert(port.spec,
                     port.problem.isEmpty() ? ValueList::Note{tr("open"), false}
                                            : ValueList::Note{port.problem, true});
    }
    if (m_expose->isValid())
        m_expose->setValues(exposed);
    m_expose->setNotes(notes);
    QStringList forwards;
    QStringList fixed;
    QHash<QString, ValueList::Note> uses;
    for (const PortForward& forward : m_link->forwards()) {
        forwards.append(portForwardText(forward));
        if (forward.hostPort != m_link->sshPort())
            continue;
        fixed.append(portForwardText(forward));
        uses.insert(portForwardText(forward), {tr("ssh, always there"), false});
    }
    if (m_forwards->isValid())
        m_forwards->setValues(forwards);
    m_forwards->setFixed(fixed);
    m_forwards->setNotes(uses);
    const QString learning =
        status.learning ? tr("While the machine learns, everything passes and no rule is changed.")
                        : QString();
    m_reason->setReason(learning);
    for (ValueList* list : {m_allow, m_block})
        list->setReason(learning);
}

std::function<void(const Result<>&)> RulesView::answer(const QString& title) {
    return [this, title](const Result<>& done) {
        if (done)
            return; // the new status comes by itself
        Q_EMIT failed(done.error(), title);
        showStatus(); // what holds, not what was wanted
    };
}

void RulesView::changeRules() {
    if (!m_allow->isValid() || !m_block->isValid())
        return;
    const SoftnetPolicy& now = m_link->status().policy;
    const SoftnetPolicy wanted{m_allow->values(), m_block->values()};
    const SoftnetPolicy gone{without(now.allow, wanted.allow), without(now.block, wanted.block)};
    const SoftnetPolicy added{without(wanted.allow, now.allow), without(wanted.block, now.block)};
    if (gone == SoftnetPolicy{} && added == SoftnetPolicy{})
        return;
    const bool allows = !added.allow.isEmpty() || !gone.allow.isEmpty();
    const QStringList rules = allows ? (added.allow.isEmpty() ? gone.allow : added.allow)
                                     : (added.block.isEmpty() ? gone.block : added.block);
    QStringList words{allows ? QStringLiteral("allow") : QStringLiteral("block")};
    words += rules;
    if (allows ? added.allow.isEmpty() : added.block.isEmpty())
        words << QStringLiteral("--remove");
    if (!m_keep)
        words << QStringLiteral("--once");
    Q_EMIT changed(words);
    const FirewallLink::Edit edit = [gone, added](SoftnetPolicy& policy) {
        for (const QString& rule : gone.allow)
            takeSoftnetRule(policy, SoftnetList::Allow, rule);
        for (const QString& rule : gone.block)
            takeSoftnetRule(policy, SoftnetList::Block, rule);
        // Not putSoftnetRule(): it may stand in both, as typed.
        for (const QString& rule : added.allow)
            if (!policy.allow.contains(rule))
                policy.allow.append(rule);
        for (const QString& rule : added.block)
            if (!policy.block.contains(rule))
                policy.block.append(rule);
    };
    m_link->change(edit,
                   m_keep ? edit : FirewallLink::Edit(),
                   [done = answer(tr("The rules were not changed."))](
                       const Result<FirewallLink::Before>& before) {
                       done(before ? Result<>() : fail(before.error()));
                   });
}

void RulesView::changeExposed() {
    if (!m_expose->isValid())
        return;
    QStringList now;
    for (const FirewallStatus::Port& port : m_link->status().exposed)
        now.append(port.spec);
    const QStringList wanted = m_expose->values();
    const auto tell = [this](const QString& spec, bool remove) {
        QStringList words{QStringLiteral("expose"), spec};
        if (remove)
            words << QStringLiteral("--remove");
        if (!m_keep)
            words << QStringLiteral("--once");
        Q_EMIT changed(words);
    };
    for (const QString& spec : without(now, wanted)) {
        tell(spec, true);
        m_link->conceal(spec, m_keep, answer(tr("Port %1 is still exposed.").arg(spec)));
    }
    for (const QString& spec : without(wanted, now)) {
        tell(spec, false);
        m_link->expose(spec, m_keep, answer(tr("Port %1 is not exposed.").arg(spec)));
    }
}

void RulesView::changeForwards() {
    if (!m_forwards->isValid())
        return;
    QStringList now;
    for (const PortForward& forward : m_link->forwards())
        now.append(portForwardText(forward));
    const QStringList wanted = m_forwards->values();
    for (const QString& text : without(now, wanted))
        if (const auto forward = portForwardFromText(text))
            m_link->removeForward(*forward, answer(tr("Port %1 still leads in.").arg(text)));
    for (const QString& text : without(wanted, now))
        if (const auto forward = portForwardFromText(text))
            m_link->addForward(*forward, answer(tr("Port %1 was not forwarded.").arg(text)));
}

} // namespace vitrine::ui
