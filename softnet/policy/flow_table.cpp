// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/flow_table.h"

#include "softnet/policy/frame.h"

#include <algorithm>
#include <bit>

namespace vitrine::softnet {

namespace {

Time lifeOf(FlowTable::Kind kind) {
    switch (kind) {
    case FlowTable::Kind::TcpOpening:
        return FlowTable::tcpOpening;
    case FlowTable::Kind::Tcp:
        return FlowTable::tcp;
    case FlowTable::Kind::Udp:
        return FlowTable::udp;
    case FlowTable::Kind::Echo:
        break;
    }
    return FlowTable::echo;
}

constexpr std::uint64_t mix(std::uint64_t value) { // the finaliser of SplitMix64
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

} // namespace

FlowTable::FlowTable(std::uint64_t seed, std::size_t capacity)
    : m_seed(mix(seed + 0x9e3779b97f4a7c15))
    , m_entries(std::max<std::size_t>(capacity, 1))
    , m_buckets(std::bit_ceil(m_entries.size()) * 2, -1) {
    clear();
}

void FlowTable::clear() {
    std::fill(m_buckets.begin(), m_buckets.end(), -1);
    m_queues.fill({});
    m_size = 0;
    m_hasForgottenCuts = false;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        m_entries[i] = {};
        enqueue(static_cast<std::int32_t>(i), freeQueue);
    }
}

std::size_t FlowTable::bucketOf(const FlowKey& key) const {
    const std::uint64_t ends =
        std::uint64_t{key.other.value} << 32 | std::uint64_t{key.otherPort} << 16 | key.guestPort;
    return mix(mix(ends ^ m_seed) + key.protocol + m_seed) & (m_buckets.size() - 1);
}

std::int32_t FlowTable::indexOf(const Flow& flow) const {
    const auto* entry = reinterpret_cast<const Entry*>(&flow);
    return static_cast<std::int32_t>(entry - m_entries.data());
}

Flow* FlowTable::find(const FlowKey& key) {
    for (std::int32_t index = m_buckets[bucketOf(key)]; index >= 0;
         index = at(index).nextInBucket) {
        if (at(index).flow.key == key) {
            return &at(index).flow;
        }
    }
    return nullptr;
}

Flow* FlowTable::insert(
    const FlowKey& key, Side initiator, Kind kind, WhenFull whenFull, Time now) {
    const std::int32_t index = placeFor(whenFull, now);
    if (index < 0) {
        return nullptr;
    }
    unqueue(index);
    Entry& entry = at(index);
    entry.flow = {};
    entry.flow.key = key;
    entry.flow.initiator = initiator;
    entry.flow.expires = now + lifeOf(kind);
    std::int32_t& bucket = m_buckets[bucketOf(key)];
    entry.nextInBucket = bucket;
    bucket = index;
    enqueue(index, static_cast<std::uint8_t>(kind));
    ++m_size;
    return &entry.flow;
}

std::int32_t FlowTable::placeFor(WhenFull whenFull, Time now) {
    if (m_queues[freeQueue].first >= 0) {
        return m_queues[freeQueue].first;
    }
    std::int32_t oldest = -1;
    for (std::uint8_t queue = 0; queue < revokedQueue; ++queue) {
        const std::int32_t first = m_queues[queue].first;
        if (first >= 0 && (oldest < 0 || at(first).flow.expires < at(oldest).flow.expires)) {
            oldest = first;
        }
    }
    const bool expired = oldest >= 0 && !isLive(at(oldest).flow, now);
    const std::int32_t revoked = m_queues[revokedQueue].first;
    if (oldest < 0 || (whenFull == WhenFull::Refuse && !expired)) {
        if (revoked < 0) {
            return -1;
        }
        m_hasForgottenCuts = m_hasForgottenCuts || at(revoked).flow.key.protocol == protocol::tcp;
        oldest = revoked;
    }
    erase(at(oldest).flow);
    return m_queues[freeQueue].first;
}

void FlowTable::refresh(Flow& flow, Kind kind, Time now) {
    flow.expires = now + lifeOf(kind);
    const std::int32_t index = indexOf(flow);
    unqueue(index);
    enqueue(index, static_cast<std::uint8_t>(kind));
}

void FlowTable::reopen(Flow& flow, Side initiator, Kind kind, Time now) {
    const FlowKey key = flow.key;
    flow = {};
    flow.key = key;
    flow.initiator = initiator;
    refresh(flow, kind, now);
}

void FlowTable::revoke(Flow& flow, Time now) {
    if (!flow.revoked) {
        flow.formerExpiry = flow.expires;
    }
    flow.revoked = true;
    flow.expires = now + revokedDatagrams;
    const std::int32_t index = indexOf(flow);
    unqueue(index);
    enqueue(index, revokedQueue);
}

void FlowTable::restore(Flow& flow, Kind kind, Time now) {
    flow.revoked = false;
    if (now < flow.formerExpiry) {
        refresh(flow, kind, now);
        return;
    }
    flow.expires = flow.formerExpiry;
    const std::int32_t index = indexOf(flow);
    unqueue(index);
    enqueueFirst(index, static_cast<std::uint8_t>(kind)); // its place is free to take
}

void FlowTable::erase(Flow& flow) {
    const std::int32_t index = indexOf(flow);
    unhash(index);
    unqueue(index);
    at(index).flow = {};
    enqueue(index, freeQueue);
    --m_size;
}

void FlowTable::unhash(std::int32_t index) {
    std::int32_t* link = &m_buckets[bucketOf(at(index).flow.key)];
    while (*link != index) {
        link = &at(*link).nextInBucket;
    }
    *link = at(index).nextInBucket;
    at(index).nextInBucket = -1;
}

void FlowTable::unqueue(std::int32_t index) {
    Entry& entry = at(index);
    Queue& queue = m_queues[entry.queue];
    (entry.previous < 0 ? queue.first : at(entry.previous).next) = entry.next;
    (entry.next < 0 ? queue.last : at(entry.next).previous) = entry.previous;
}

void FlowTable::enqueue(std::int32_t index, std::uint8_t to) {
    Entry& entry = at(index);
    Queue& queue = m_queues[to];
    entry.queue = to;
    entry.previous = queue.last;
    entry.next = -1;
    (queue.last < 0 ? queue.first : at(queue.last).next) = index;
    queue.last = index;
}

void FlowTable::enqueueFirst(std::int32_t index, std::uint8_t to) {
    Entry& entry = at(index);
    Queue& queue = m_queues[to];
    entry.queue = to;
    entry.previous = -1;
    entry.next = queue.first;
    (queue.first < 0 ? queue.last : at(queue.first).previous) = index;
    queue.first = index;
}

} // namespace vitrine::softnet
