// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/rule_table.h"

#include <algorithm>
#include <set>

namespace vitrine::softnet {

RuleTable::Side::Side(std::vector<Entry> entries) {
    // Outer prefixes before inner ones, so that a node finds those around it ready.
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& left, const Entry& right) {
        return std::pair(left.prefix.first(), left.prefix.length) <
               std::pair(right.prefix.first(), right.prefix.length);
    });
    for (auto begin = entries.begin(); begin != entries.end();) {
        const auto end = std::find_if(begin, entries.end(), [&begin](const Entry& entry) {
            return entry.prefix.first() != begin->prefix.first() ||
                   entry.prefix.length != begin->prefix.length;
        });
        addNode({begin, end});
        begin = end;
    }
    layOut();
}

void RuleTable::Side::addNode(std::span<const Entry> samePrefix) {
    Node node;
    node.prefix = {samePrefix.front().prefix.first(), samePrefix.front().prefix.length};
    // In this order the one added last is inside the one around this node, or is it.
    auto outer = static_cast<std::int32_t>(m_nodeList.size()) - 1;
    const auto around = [this](std::int32_t index) -> const Node& {
        return m_nodeList[static_cast<std::size_t>(index)];
    };
    while (outer >= 0 && !around(outer).prefix.contains(node.prefix.address)) {
        outer = around(outer).outer;
    }
    node.outer = outer;
    if (outer >= 0) {
        node.plain = around(outer).plain;
        node.withPorts = around(outer).withPorts;
    }
    const Entry* plain = nullptr;
    for (const Entry& entry : samePrefix) {
        if (!entry.ports && (plain == nullptr ||
                             (plain->action == Action::Allow && entry.action == Action::Block))) {
            plain = &entry;
        }
    }
    if (plain != nullptr) {
        node.plain = {plain->action, static_cast<std::uint8_t>(node.prefix.length), plain->rule};
    }
    addPorts(node, samePrefix);
    if (node.portsBegin != node.portsEnd) {
        node.withPorts = static_cast<std::int32_t>(m_nodeList.size());
    }
    m_nodeList.push_back(node);
}

void RuleTable::Side::addPorts(Node& node, std::span<const Entry> samePrefix) {
    struct Edge {
        std::uint32_t at;
        bool opens;
        std::int16_t rule;
        Action action;
    };
    std::vector<Edge> edges;
    for (const Entry& entry : samePrefix) {
        if (entry.ports) {
            edges.push_back({entry.ports->first, true, entry.rule, entry.action});
            edges.push_back({entry.ports->last + 1U, false, entry.rule, entry.action});
        }
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& left, const Edge& right) {
        return left.at < right.at;
    });
    node.portsBegin = static_cast<std::uint32_t>(m_ports.size());
    std::set<std::int16_t> allows;
    std::set<std::int16_t> blocks;
    for (std::size_t i = 0; i < edges.size();) {
        const std::uint32_t at = edges[i].at;
        for (; i < edges.size() && edges[i].at == at; ++i) {
            auto& rules = edges[i].action == Action::Block ? blocks : allows;
            if (edges[i].opens) {
                rules.insert(edges[i].rule);
            } else {
                rules.erase(edges[i].rule);
            }
        }
        if (at > 0xffff) {
            break;
        }
        PortCell cell{static_cast<std::uint16_t>(at)};
        if (!blocks.empty()) {
            cell.rule = *blocks.begin();
        } else if (!allows.empty()) {
            cell.action = Action::Allow;
            cell.rule = *allows.begin();
        }
        m_ports.push_back(cell);
    }
    node.portsEnd = static_cast<std::uint32_t>(m_ports.size());
}

// Cuts the addresses into stretches, each with the longest prefix that covers it.
void RuleTable::Side::layOut() {
    const auto begin = [this](std::uint32_t start, std::int32_t node) {
        if (!m_starts.empty() && m_starts.back() == start) {
            m_nodes.back() = node;
        } else {
            m_starts.push_back(start);
            m_nodes.push_back(node);
        }
    };
    const auto close = [&](std::int32_t node) {
        const Node& closed = m_nodeList[static_cast<std::size_t>(node)];
        if (closed.prefix.last() != Ipv4::broadcast()) {
            begin(closed.prefix.last().value + 1, closed.outer);
        }
        return closed.outer;
    };
    begin(0, -1);
    std::int32_t open = -1;
    for (std::size_t i = 0; i < m_nodeList.size(); ++i) {
        while (open != m_nodeList[i].outer) {
            open = close(open);
        }
        open = static_cast<std::int32_t>(i);
        begin(m_nodeList[i].prefix.address.value, open);
    }
    while (open >= 0) {
        open = close(open);
    }
    m_starts.shrink_to_fit();
    m_nodes.shrink_to_fit();
    m_nodeList.shrink_to_fit();
    m_ports.shrink_to_fit();
}

std::int32_t RuleTable::Side::nodeOf(Ipv4 address) const {
    if (m_starts.empty()) {
        return -1;
    }
    // The last start that is not above the address. Written so that the loop has no branch to miss.
    const std::uint32_t* base = m_starts.data();
    std::size_t left = m_starts.size();
    while (left > 1) {
        const std::size_t half = left / 2;
        base += base[half] <= address.value ? half : 0;
        left -= half;
    }
    return m_nodes[static_cast<std::size_t>(base - m_starts.data())];
}

std::optional<RuleTable::Match>
RuleTable::Side::match(Ipv4 other, std::optional<std::uint16_t> port, int shortest) const {
    const std::int32_t index = nodeOf(other);
    if (index < 0) {
        return std::nullopt;
    }
    const Node& found = m_nodeList[static_cast<std::size_t>(index)];
    if (port) {
        for (std::int32_t at = found.withPorts; at >= 0;) {
            const Node& node = m_nodeList[static_cast<std::size_t>(at)];
            const auto begin = m_ports.begin() + node.portsBegin;
            const auto end = m_ports.begin() + node.portsEnd;
            const auto next =
                std::upper_bound(begin, end, *port, [](std::uint16_t value, const PortCell& cell) {
                    return value < cell.first;
                });
            if (next != begin && (next - 1)->rule >= 0 && node.prefix.length >= shortest) {
                return Match{(next - 1)->action,
                             static_cast<std::uint8_t>(node.prefix.length),
                             (next - 1)->rule};
            }
            at = node.outer < 0 ? -1 : m_nodeList[static_cast<std::size_t>(node.outer)].withPorts;
        }
    }
    // Those around it are of shorter prefixes still.
    return found.plain.rule < 0 || found.plain.prefixLength < shortest ? std::nullopt
                                                                       : std::optional(found.plain);
}

bool RuleTable::Side::portsMatter(Ipv4 other) const {
    const std::int32_t index = nodeOf(other);
    return index >= 0 && m_nodeList[static_cast<std::size_t>(index)].withPorts >= 0;
}

Checked<RuleTable> RuleTable::compile(const Policy& policy, std::span<const Ipv4> host) {
    if (policy.ruleCount() > Policy::maximumRules) {
        return refuse("more than " + std::to_string(Policy::maximumRules) + " rules");
    }
    std::vector<Ipv4> hosts(host.begin(), host.end());
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    if (hosts.size() > maximumHostAddresses) {
        return refuse("the host has more than " + std::to_string(maximumHostAddresses) +
                      " addresses");
    }
    RuleTable table;
    table.m_policy = policy;
    std::vector<Entry> out;
    std::vector<Entry> in;
    bool hostWithoutPorts[3][2] = {}; // one such rule says it all
    for (std::size_t rule = 0; rule < policy.ruleCount(); ++rule) {
        const Target& target = policy.target(rule);
        const Action action = rule < policy.allow.size() ? Action::Allow : Action::Block;
        table.m_stateful = table.m_stateful || target.direction != Direction::Both;
        Entry entry{{}, target.ports, action, static_cast<std::int16_t>(rule)};
        const auto add = [&](const Prefix& prefix) {
            entry.prefix = prefix;
            if (target.direction != Direction::In) {
                out.push_back(entry);
            }
            if (target.direction != Direction::Out) {
                in.push_back(entry);
            }
        };
        if (target.prefix) {
            add(*target.prefix);
            continue;
        }
        if (!target.ports) {
            bool& told = hostWithoutPorts[static_cast<int>(target.direction)]
                                         [action == Action::Allow ? 0 : 1];
            if (told) {
                continue;
            }
            told = true;
        }
        if (out.size() + in.size() + 2 * hosts.size() > maximumEntries) {
            return refuse("too many rules for @host with ports: the host has " +
                          std::to_string(hosts.size()) + " addresses");
        }
        for (const Ipv4 address : hosts) {
            add({address, 32});
        }
    }
    table.m_out = Side(std::move(out));
    table.m_in = Side(std::move(in));
    return table;
}

} // namespace vitrine::softnet
