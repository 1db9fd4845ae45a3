// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QDateTime>

#include <chrono>
#include <optional>
#include <stop_token>

namespace vitrine {

// One attempt that failed, and whether another one may do better.
struct Failure {
    Error error;
    bool transient = false;                              // transport errors, 408, 425, 429 and 5xx
    std::optional<std::chrono::milliseconds> retryAfter; // what the server asked for
    bool stalled = false;                                // bytes came, but too slowly

    [[nodiscard]] static Failure permanent(Error error) {
        return {std::move(error), false, {}, false};
    }
    [[nodiscard]] static Failure passing(Error error) {
        return {std::move(error), true, {}, false};
    }
};

template <class T = void>
using Attempt = tl::expected<T, Failure>;

[[nodiscard]] inline tl::unexpected<Failure> failed(Failure failure) {
    return tl::unexpected<Failure>(std::move(failure));
}

struct RetryPolicy {
    int attemptsWithoutProgress = 5;
    double delayScale = 1.0; // tests shorten the waits
    // A server that asks for a longer pause is not waited for; its time is in the error.
    std::chrono::milliseconds longestWait = std::chrono::minutes(10);
};

// Seconds or an HTTP date (RFC 9110 section 10.2.3), never negative; nullopt for anything else.
[[nodiscard]] std::optional<std::chrono::milliseconds>
parseRetryAfter(const QByteArray& value, const QDateTime& now = QDateTime::currentDateTimeUtc());

// Counts attempts that moved nothing. After attempt n the wait is uniform between 0 and
// min(20 s, 2^(n-1) s), but not shorter than the server's Retry-After; one that is longer than the
// policy's longestWait is the end. One thread.
class RetryBudget final {
public:
    explicit RetryBudget(RetryPolicy policy)
        : m_policy(policy) {}

    void progressed() { m_failures = 0; }
    // The wait before the next attempt; nullopt when there must be none.
    [[nodiscard]] std::optional<std::chrono::milliseconds> next(const Failure& failure);
    [[nodiscard]] int failures() const { return m_failures; }

private:
    RetryPolicy m_policy;
    int m_failures = 0;
};

// False when the stop came first.
bool waitFor(std::chrono::milliseconds duration, const std::stop_token& stop);

} // namespace vitrine
