// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/frame.h"

#include <list>
#include <map>

namespace vitrine::softnet {

// Names of addresses, from the answers that name servers gave the guest. A guest can ask a server
// of its own, which may say anything: a name is a hint for people and decides nothing.
class DnsNames final {
public:
    static constexpr std::size_t defaultCapacity = 4096;
    static constexpr std::size_t mostLetters = 253;

    explicit DnsNames(std::size_t capacity = defaultCapacity)
        : m_capacity(capacity) {}

    // The payload of a datagram from port 53. Whatever is not a plain answer to one question is
    // left alone. All addresses in it get the name that was asked for.
    void learn(Bytes message);
    // Empty if there is none. Small letters, digits, ".", "-", "_" and "*" only.
    [[nodiscard]] std::string nameOf(Ipv4 address) const;
    [[nodiscard]] std::size_t size() const { return m_names.size(); }

private:
    struct Entry {
        std::string name;
        std::list<Ipv4>::iterator place;
    };
    void set(Ipv4 address, const std::string& name);

    std::size_t m_capacity;
    std::map<Ipv4, Entry> m_names;
    std::list<Ipv4> m_order; // learned last at the end
};

} // namespace vitrine::softnet
