// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/retry_policy.h"

#include <QByteArray>
#include <QString>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>

namespace vitrine {

// What a token is good for: the parameters of a Bearer challenge.
struct TokenKey {
    QString realm;
    QString service;
    QString scope;
    friend bool operator<(const TokenKey& a, const TokenKey& b) {
        return std::tie(a.realm, a.service, a.scope) < std::tie(b.realm, b.service, b.scope);
    }
};

struct Token {
    QByteArray value;
    std::chrono::seconds lifetime{60};

    // The answer of a token server: "token" or "access_token" (the first wins), "expires_in"
    // (default 60). "issued_at" is not looked at: the lifetime counts from receipt, so that a wrong
    // clock on either side does no harm. nullopt without a token.
    [[nodiscard]] static std::optional<Token> fromJson(const QByteArray& json);
};

// Bearer tokens by scope, in memory only. Any thread. Of several threads that need the same token
// one fetches it and the others wait; a token near its end is renewed by one thread while the
// others go on with the old one.
class TokenCache final {
public:
    using Clock = std::chrono::steady_clock;
    using Fetch = std::function<Attempt<Token>()>;

    explicit TokenCache(std::function<Clock::time_point()> now = &Clock::now)
        : m_now(std::move(now)) {}

    // The failure of a fetch goes to everybody who waited for it. A failed early renewal is no
    // failure while the old token is good.
    [[nodiscard]] Attempt<QByteArray>
    get(const TokenKey& key, const Fetch& fetch, const std::stop_token& stop);
    // The registry refused this token. One that has been replaced meanwhile stays.
    void forget(const TokenKey& key, const QByteArray& token);

private:
    struct Entry {
        QByteArray token; // empty: none
        Clock::time_point renewAt;
        Clock::time_point expiresAt;
        bool fetching = false;
        quint64 generation = 0; // of finished fetches
        std::optional<Failure> lastFailure;
    };
    [[nodiscard]] Attempt<QByteArray>
    fetchInto(Entry& entry, const Fetch& fetch, std::unique_lock<std::mutex>& lock);

    std::function<Clock::time_point()> m_now;
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::map<TokenKey, Entry> m_entries; // never erased: references stay valid
};

} // namespace vitrine
