// SPDX-License-Identifier: Apache-2.0
#include "softnet/record/destination_table.h"

#include <algorithm>
#include <bit>

namespace vitrine::softnet {

namespace {

constexpr std::uint8_t otherProtocol = 255; // all that is neither TCP, UDP nor ICMP

constexpr std::uint64_t mix(std::uint64_t value) { // the finaliser of SplitMix64
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

bool hasName(std::uint8_t number) {
    return number == protocol::tcp || number == protocol::udp || number == protocol::icmp;
}

bool isListed(const Verdict& verdict) {
    switch (verdict.reason) {
    case Reason::Dhcp:
    case Reason::DhcpMalformed:
    case Reason::ForeignDhcp:
    case Reason::Martian:
    case Reason::Multicast:
        return false;
    default:
        return verdict.other != Ipv4{} || verdict.protocol != 0;
    }
}

// The last frame was dropped for its own form, which no rule changes.
bool isAboutTheFrame(Reason reason) {
    return reason == Reason::SourceAddress || reason == Reason::Fragment ||
           reason == Reason::TransportMalformed || reason == Reason::FlowTableFull;
}

} // namespace

DestinationTable::DestinationTable(std::uint64_t seed, std::size_t capacity)
    : m_seed(mix(seed + 0x9e3779b97f4a7c15))
    , m_entries(std::max<std::size_t>(capacity, 1))
    , m_buckets(std::bit_ceil(m_entries.size()) * 2, -1) {}

std::int32_t& DestinationTable::bucketOf(const Destination& key) {
    const std::uint64_t value = std::uint64_t{key.address.value} << 32 |
                                std::uint64_t{key.port} << 16 | std::uint64_t{key.protocol} << 8 |
                                (key.opened == Side::Guest ? 0 : 1);
    return m_buckets[mix(value ^ m_seed) & (m_buckets.size() - 1)];
}

void DestinationTable::unlink(std::int32_t index) {
    const Entry& gone = entry(index);
    (gone.older >= 0 ? entry(gone.older).newer : m_oldest) = gone.newer;
    (gone.newer >= 0 ? entry(gone.newer).older : m_newest) = gone.older;
}

void DestinationTable::makeNewest(std::int32_t index) {
    entry(index).newer = -1;
    entry(index).older = m_newest;
    (m_newest >= 0 ? entry(m_newest).newer : m_oldest) = index;
    m_newest = index;
    entry(index).value.sequence = ++m_sequence;
}

// A free place or that of the oldest, made the newest.
std::int32_t DestinationTable::place(const Destination& key) {
    std::int32_t index = static_cast<std::int32_t>(m_size);
    if (m_size < m_entries.size()) {
        ++m_size;
    } else {
        index = m_oldest;
        std::int32_t* at = &bucketOf(entry(index).value);
        while (*at != index) {
            at = &entry(*at).nextInBucket;
        }
        *at = entry(index).nextInBucket;
        unlink(index);
    }
    std::int32_t& bucket = bucketOf(key);
    entry(index) = {};
    entry(index).value = key;
    entry(index).nextInBucket = bucket;
    bucket = index;
    makeNewest(index);
    return index;
}

DestinationTable::Noted
DestinationTable::note(Side sender, const Verdict& verdict, std::size_t size, Time now) {
    if (!isListed(verdict)) {
        return {};
    }
    Destination key;
    key.address = verdict.other;
    key.protocol = hasName(verdict.protocol) ? verdict.protocol : otherProtocol;
    key.opened = verdict.opened;
    if (verdict.hasPorts) {
        key.port = verdict.opened == Side::Guest ? verdict.otherPort : verdict.guestPort;
    }
    std::int32_t index = bucketOf(key);
    const auto isKey = [&key](const Destination& value) {
        return value.address == key.address && value.port == key.port &&
               value.protocol == key.protocol && value.opened == key.opened;
    };
    while (index >= 0 && !isKey(entry(index).value)) {
        index = entry(index).nextInBucket;
    }
    const bool isNew = index < 0;
    if (isNew) {
        index = place(key);
    } else {
        unlink(index);
        makeNewest(index);
    }
    Entry& found = entry(index);
    Destination& value = found.value;
    const bool passed = verdict.passes();
    const bool isNews = isNew || softnet::passes(value.now.reason) != passed ||
                        (!passed && now - found.told >= newsInterval);
    // "Part of an open conversation" says less than why that was let through.
    const bool follows = verdict.reason == Reason::OpenFlow || verdict.reason == Reason::Incoming;
    if (isNew || !follows || !softnet::passes(value.now.reason)) {
        value.now = {verdict.reason, verdict.rule};
    }
    value.then = value.now;
    value.formerRule.reset();
    if (passed) {
        value.learned = true;
        (sender == Side::Guest ? value.bytesOut : value.bytesIn) += size;
    }
    ++value.packets;
    value.last = now;
    if (isNews) {
        found.told = now;
    }
    return {&value, isNews};
}

void DestinationTable::beginLearning() {
    for (std::size_t i = 0; i < m_size; ++i) {
        m_entries[i].value.learned = false;
    }
}

void DestinationTable::keepRules(const Policy& policy) {
    for (std::size_t i = 0; i < m_size; ++i) {
        Destination& value = m_entries[i].value;
        if (value.then.rule >= 0) {
            value.formerRule = policy.target(static_cast<std::size_t>(value.then.rule));
            value.then.rule = -1;
        }
    }
}

void DestinationTable::judgeAgain(const Filter& filter) {
    const std::uint64_t before = m_sequence;
    for (std::int32_t index = m_oldest; index >= 0 && entry(index).value.sequence <= before;) {
        const std::int32_t next = entry(index).newer;
        Destination& value = entry(index).value;
        value.now.rule = isAboutTheFrame(value.now.reason) ? std::int16_t{-1} : value.now.rule;
        if (!isAboutTheFrame(value.now.reason)) {
            const Verdict now =
                filter.wouldPass(value.opened, value.protocol, value.address, value.port);
            const Destination::Judged judged{now.reason, now.rule};
            const bool changed = judged != value.now;
            value.now = judged;
            if (changed) {
                unlink(index);
                makeNewest(index);
            }
        }
        index = next;
    }
}

} // namespace vitrine::softnet
