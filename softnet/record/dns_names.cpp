// SPDX-License-Identifier: Apache-2.0
#include "softnet/record/dns_names.h"

namespace vitrine::softnet {

namespace {

constexpr std::size_t headerLength = 12;
constexpr unsigned mostAnswers = 64;
constexpr std::uint16_t typeAddress = 1;
constexpr std::uint16_t classInternet = 1;

// The question's name, behind the header. Moves `at` behind it.
std::optional<std::string> questionName(Bytes message, std::size_t& at) {
    std::string name;
    while (at < message.size()) {
        const std::size_t length = message[at++];
        if (length == 0) {
            return name.empty() ? std::nullopt : std::optional(name);
        }
        // Longer "labels" are pointers, which a question has no use for.
        if (length > 63 || length > message.size() - at ||
            name.size() + length + 1 > DnsNames::mostLetters) {
            return std::nullopt;
        }
        name += name.empty() ? "" : ".";
        for (const std::uint8_t byte : message.subspan(at, length)) {
            const char c = static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
            const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                               c == '_' || c == '*';
            if (!plain) {
                return std::nullopt;
            }
            name += c;
        }
        at += length;
    }
    return std::nullopt;
}

// Moves `at` behind a name of an answer. Pointers are not followed.
bool skipName(Bytes message, std::size_t& at) {
    while (at < message.size()) {
        const std::size_t length = message[at++];
        if (length == 0) {
            return true;
        }
        if (length >= 0xc0) {
            ++at;
            return at <= message.size();
        }
        if (length > 63) {
            return false;
        }
        at += length;
    }
    return false;
}

} // namespace

void DnsNames::learn(Bytes message) {
    // An answer (QR), a plain query (opcode 0), without error, to one question.
    if (message.size() < headerLength || (message[2] & 0xf8) != 0x80 || (message[3] & 0x0f) != 0 ||
        be16(message, 4) != 1) {
        return;
    }
    std::size_t at = headerLength;
    const auto name = questionName(message, at);
    if (!name) {
        return;
    }
    at += 4; // type and class
    for (unsigned left = std::min<unsigned>(be16(message, 6), mostAnswers); left > 0; --left) {
        if (!skipName(message, at) || message.size() < at + 10) {
            return;
        }
        const std::uint16_t type = be16(message, at);
        const std::uint16_t classOf = be16(message, at + 2);
        const std::size_t length = be16(message, at + 8);
        at += 10;
        if (message.size() < at + length) {
            return;
        }
        if (type == typeAddress && classOf == classInternet && length == 4) {
            set({be32(message, at)}, *name);
        }
        at += length;
    }
}

void DnsNames::set(Ipv4 address, const std::string& name) {
    if (const auto known = m_names.find(address); known != m_names.end()) {
        known->second.name = name;
        m_order.splice(m_order.end(), m_order, known->second.place);
        return;
    }
    if (m_names.size() >= m_capacity) {
        m_names.erase(m_order.front());
        m_order.pop_front();
    }
    m_names.emplace(address, Entry{name, m_order.insert(m_order.end(), address)});
}

std::string DnsNames::nameOf(Ipv4 address) const {
    const auto found = m_names.find(address);
    return found == m_names.end() ? std::string() : found->second.name;
}

} // namespace vitrine::softnet
