// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/verdict.h"

#include <array>
#include <chrono>
#include <vector>

namespace vitrine::softnet {

using Time = std::chrono::milliseconds; // since any fixed moment, never going back

// One conversation of the guest. `guestPort` is the identifier of an ICMP echo, whose `otherPort`
// is 0 if the guest asks and 1 if the other side does.
struct FlowKey {
    Ipv4 other;
    std::uint16_t otherPort = 0;
    std::uint16_t guestPort = 0;
    std::uint8_t protocol = 0;

    friend constexpr bool operator==(const FlowKey&, const FlowKey&) = default;
};

struct Flow {
    FlowKey key;
    Side initiator = Side::Guest;
    bool revoked = false; // a later policy forbids it: nothing of it passes any more
    std::int16_t rule = -1;
    Time expires{};
    Time formerExpiry{}; // of a revoked one: when it would have expired
    std::uint64_t bytesFromGuest = 0;
    std::uint64_t bytesToGuest = 0;
};

// The conversations seen, at most `capacity` of them, all memory taken at the start. A flow is live
// until it expires; after that it is kept, as a memory of who opened it, until its place is needed.
// Every operation takes constant time. The seed makes collisions unpredictable to the guest.
class FlowTable final {
public:
    static constexpr std::size_t defaultCapacity = 32768;
    // What a flow is given, counted from its initiator's last frame.
    static constexpr Time tcpOpening{60'000};
    static constexpr Time tcp{300'000};
    static constexpr Time udp{30'000};
    static constexpr Time echo{30'000};
    // Datagrams of a revoked flow are forgotten after this much silence. Revoked TCP is not: only a
    // new SYN may open the same ports again.
    static constexpr Time revokedDatagrams{300'000};

    enum class Kind : std::uint8_t { TcpOpening, Tcp, Udp, Echo };
    enum class WhenFull { Refuse, ReplaceOldest };

    explicit FlowTable(std::uint64_t seed, std::size_t capacity = defaultCapacity);

    [[nodiscard]] Flow* find(const FlowKey& key); // valid until the next insert() or clear()
    [[nodiscard]] static bool isLive(const Flow& flow, Time now) { return now < flow.expires; }
    // A place for a key that is not in the table: a free one, else that of a flow that has expired,
    // else (Refuse) that of the revoked one that was silent for longest, else (ReplaceOldest) that
    // of a live one and of a revoked one last. Null if there is none.
    Flow* insert(const FlowKey& key, Side initiator, Kind kind, WhenFull whenFull, Time now);
    void refresh(Flow& flow, Kind kind, Time now);                // lives on from now
    void reopen(Flow& flow, Side initiator, Kind kind, Time now); // as if it were new
    void revoke(Flow& flow, Time now);
    // Lives on from now, or has expired still if it had before.
    void restore(Flow& flow, Kind kind, Time now);
    void erase(Flow& flow);
    void clear();

    // Whether a revoked TCP flow had to give up its place, so that nobody knows that it is cut.
    [[nodiscard]] bool hasForgottenCuts() const { return m_hasForgottenCuts; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] std::size_t capacity() const { return m_entries.size(); }
    // Calls visit(Flow&) for every flow; it may revoke, restore or erase it or change its counters.
    template <class Visit>
    void forEach(Visit visit) {
        for (Entry& entry : m_entries) {
            if (entry.queue != freeQueue) {
                visit(entry.flow);
            }
        }
    }

private:
    // Queues of equal life, oldest first: the first of each is the next one to expire.
    static constexpr std::uint8_t revokedQueue = 4;
    static constexpr std::uint8_t freeQueue = 5;
    static constexpr std::size_t queueCount = 6;

    struct Entry {
        Flow flow; // first: a Flow of this table is found back by its address
        std::int32_t nextInBucket = -1;
        std::int32_t previous = -1;
        std::int32_t next = -1;
        std::uint8_t queue = freeQueue;
    };
    struct Queue {
        std::int32_t first = -1;
        std::int32_t last = -1;
    };

    [[nodiscard]] std::size_t bucketOf(const FlowKey& key) const;
    [[nodiscard]] std::int32_t indexOf(const Flow& flow) const;
    [[nodiscard]] Entry& at(std::int32_t index) {
        return m_entries[static_cast<std::size_t>(index)];
    }
    void unqueue(std::int32_t index);
    void enqueue(std::int32_t index, std::uint8_t queue);
    void enqueueFirst(std::int32_t index, std::uint8_t queue);
    void unhash(std::int32_t index);
    [[nodiscard]] std::int32_t placeFor(WhenFull whenFull, Time now);

    std::uint64_t m_seed;
    std::vector<Entry> m_entries;
    std::vector<std::int32_t> m_buckets;
    std::array<Queue, queueCount> m_queues;
    std::size_t m_size = 0;
    bool m_hasForgottenCuts = false;
};

} // namespace vitrine::softnet
