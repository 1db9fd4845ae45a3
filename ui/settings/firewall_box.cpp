// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/firewall_box.h"

#include "core/machine/network_rules.h"
#include "ui/machines/background.h"
#include "ui/network/rule_lists.h"
#include "ui/theme/theme.h"

#include <QBoxLayout>
#include <QResizeEvent>

namespace vitrine::ui {

namespace {

constexpr int roomForTwo = 680;

QStringList itemsOf(const QString& list) {
    return list.split(QLatin1Char(','), Qt::SkipEmptyParts);
}

QString textOf(const ValueList* list) {
    return list->values().join(QLatin1Char(','));
}

QStringList normal(QStringList rules) {
    for (QString& rule : rules)
        rule = normalNetworkRule(rule);
    rules.sort();
    rules.removeDuplicates();
    return rules;
}

} // namespace

FirewallBox::FirewallBox(QWidget* parent)
    : QWidget(parent)
    , m_networks(hostNetworks)
    , m_presets(softnetPresets({}))
    , m_allow(allowList(this))
    , m_block(blockList(this))
    , m_expose(exposeList(this))
    , m_pair(new QBoxLayout(QBoxLayout::TopToBottom)) {
    tellOfBoth(m_allow, m_block);
    m_pair->setSpacing(spacing::block);
    m_pair->addWidget(m_allow, 1, Qt::AlignTop);
    m_pair->addWidget(m_block, 1, Qt::AlignTop);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(spacing::block);
    layout->addLayout(m_pair);
    layout->addWidget(m_expose);
    for (ValueList* list : {m_allow, m_block, m_expose})
        connect(list, &ValueList::edited, this, &FirewallBox::edited);
}

void FirewallBox::showLists(const NetworkOptions& network) {
    m_allow->setValues(itemsOf(network.allow));
    m_block->setValues(itemsOf(network.block));
    m_expose->setValues(itemsOf(network.expose));
}

QString FirewallBox::allow() const {
    return textOf(m_allow);
}

QString FirewallBox::block() const {
    return textOf(m_block);
}

QString FirewallBox::expose() const {
    return textOf(m_expose);
}

int FirewallBox::current() const {
    const SoftnetPolicy now{normal(m_allow->values()), normal(m_block->values())};
    for (int i = 0; i < m_presets.size(); ++i)
        if (m_presets.at(i).whyNot.isEmpty() && m_presets.at(i).policy == now)
            return i;
    return -1;
}

void FirewallBox::fillWith(int preset) {
    if (preset < 0 || preset >= m_presets.size() || !m_presets.at(preset).whyNot.isEmpty()) {
        Q_EMIT presetsChanged();
        return;
    }
    m_allow->setValues(m_presets.at(preset).policy.allow);
    m_block->setValues(m_presets.at(preset).policy.block);
    Q_EMIT edited();
}

void FirewallBox::setNetworks(Networks networks) {
    m_networks = std::move(networks);
    m_asked = false;
}

void FirewallBox::askNetworks() {
    if (m_asked)
        return;
    m_asked = true;
    inBackground(this, m_networks, [this, question = ++m_question](const QStringList& networks) {
        if (question != m_question)
            return;
        m_presets = softnetPresets(networks);
        Q_EMIT presetsChanged();
    });
}

void FirewallBox::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const auto direction =
        event->size().width() >= roomForTwo ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom;
    if (m_pair->direction() != direction)
        m_pair->setDirection(direction);
}

} // namespace vitrine::ui
