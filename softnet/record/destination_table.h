// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/filter.h"

namespace vitrine::softnet {

// Everything that one port of one address had to do with the guest.
struct Destination {
    struct Judged {
        Reason reason = Reason::Global;
        std::int16_t rule = -1; // of the rules in force

        friend bool operator==(const Judged&, const Judged&) = default;
    };

    Ipv4 address;
    std::uint16_t port = 0; // of the side that did not begin; 0 without ports
    std::uint8_t protocol = 0;
    Side opened = Side::Guest;
    Judged then;                      // what happened to the last frame
    std::optional<Target> formerRule; // that decided it, if it is not of the rules in force
    Judged now;                       // by the rules in force
    std::uint64_t bytesOut = 0;       // of what passed
    std::uint64_t bytesIn = 0;
    std::uint64_t packets = 0; // what was dropped is counted too
    bool learned = false;      // passed since learning began
    Time last{};
    std::uint64_t sequence = 0; // rises with every change of any destination
};

// The destinations seen last. All memory is taken at the start; noting a frame takes constant time.
class DestinationTable final {
public:
    static constexpr std::size_t defaultCapacity = 4096;
    static constexpr Time newsInterval{1000};

    explicit DestinationTable(std::uint64_t seed, std::size_t capacity = defaultCapacity);

    struct Noted {
        const Destination* destination = nullptr; // null: not of a kind that is listed
        // New, judged otherwise than before, or blocked again after newsInterval.
        bool isNews = false;
    };
    // What is listed: IPv4 but for DHCP and dropped broadcasts and multicasts, which every guest
    // sends all the time. The oldest goes when there is no place.
    Noted note(Side sender, const Verdict& verdict, std::size_t size, Time now);
    void beginLearning();
    // Before other rules are set: of the former ones those are kept that decided something.
    void keepRules(const Policy& policy);
    // After other rules were set. What happened stays.
    void judgeAgain(const Filter& filter);

    [[nodiscard]] std::uint64_t sequence() const { return m_sequence; }
    [[nodiscard]] std::size_t size() const { return m_size; }
    // Calls visit(const Destination&) for those with a sequence above `since`, lowest first, until
    // it returns false.
    template <class Visit>
    void forEachSince(std::uint64_t since, Visit visit) const {
        std::int32_t at = m_newest;
        while (at >= 0 && entry(at).older >= 0 && entry(entry(at).older).value.sequence > since) {
            at = entry(at).older;
        }
        if (at >= 0 && entry(at).value.sequence <= since) {
            return;
        }
        for (; at >= 0; at = entry(at).newer) {
            if (!visit(entry(at).value)) {
                return;
            }
        }
    }

private:
    struct Entry {
        Destination value;
        Time told{};
        std::int32_t nextInBucket = -1;
        std::int32_t older = -1;
        std::int32_t newer = -1;
    };
    [[nodiscard]] Entry& entry(std::int32_t index) {
        return m_entries[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Entry& entry(std::int32_t index) const {
        return m_entries[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] std::int32_t& bucketOf(const Destination& key);
    [[nodiscard]] std::int32_t place(const Destination& key);
    void unlink(std::int32_t index);
    void makeNewest(std::int32_t index);

    std::uint64_t m_seed;
    std::vector<Entry> m_entries;
    std::vector<std::int32_t> m_buckets;
    std::size_t m_size = 0;
    std::int32_t m_oldest = -1;
    std::int32_t m_newest = -1;
    std::uint64_t m_sequence = 0;
};

} // namespace vitrine::softnet
