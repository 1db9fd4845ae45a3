// SPDX-License-Identifier: Apache-2.0
#include "core/registry/token_cache.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace vitrine {

std::optional<Token> Token::fromJson(const QByteArray& json) {
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    QString text = object.value(QLatin1String("token")).toString();
    if (text.isEmpty())
        text = object.value(QLatin1String("access_token")).toString();
    // A token goes into a header as it is.
    const bool clean = std::all_of(
        text.begin(), text.end(), [](QChar c) { return c.unicode() > 0x20 && c.unicode() < 0x7f; });
    if (text.isEmpty() || !clean)
        return std::nullopt;
    Token token;
    token.value = text.toLatin1();
    constexpr double longest = 30.0 * 24 * 3600;
    const double lifetime = object.value(QLatin1String("expires_in")).toDouble(60);
    token.lifetime =
        std::chrono::seconds(static_cast<qint64>(lifetime > 0 ? std::min(lifetime, longest) : 60));
    return token;
}

Attempt<QByteArray>
TokenCache::fetchInto(Entry& entry, const Fetch& fetch, std::unique_lock<std::mutex>& lock) {
    entry.fetching = true;
    lock.unlock();
    const Attempt<Token> token = fetch();
    lock.lock();
    entry.fetching = false;
    ++entry.generation;
    m_changed.notify_all();
    if (!token) {
        // A thread that was stopped says nothing about the server: the next one tries itself.
        entry.lastFailure.reset();
        if (!token.error().error.isCancelled())
            entry.lastFailure = token.error();
        return failed(token.error());
    }
    entry.lastFailure.reset();
    const auto now = m_now();
    // A tenth of the lifetime, at most half a minute, before the end.
    const auto early = std::min<Clock::duration>(token->lifetime / 10, std::chrono::seconds(30));
    entry.token = token->value;
    entry.expiresAt = now + token->lifetime;
    entry.renewAt = entry.expiresAt - early;
    return entry.token;
}

Attempt<QByteArray>
TokenCache::get(const TokenKey& key, const Fetch& fetch, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex);
    Entry& entry = m_entries[key];
    while (true) {
        const auto now = m_now();
        const bool valid = !entry.token.isEmpty() && now < entry.expiresAt;
        if (valid && (now < entry.renewAt || entry.fetching))
            return entry.token;
        if (!entry.fetching) {
            const QByteArray old = valid ? entry.token : QByteArray();
            auto fresh = fetchInto(entry, fetch, lock);
            if (!fresh && !old.isEmpty() && !fresh.error().error.isCancelled() &&
                m_now() < entry.expiresAt) {
                entry.renewAt = std::min(m_now() + std::chrono::seconds(5), entry.expiresAt);
                return old;
            }
            return fresh;
        }
        const quint64 generation = entry.generation;
        m_changed.wait(lock, stop, [&] { return entry.generation != generation; });
        if (stop.stop_requested())
            return failed(Failure::permanent(Error::cancelled()));
        if (entry.lastFailure)
            return failed(*entry.lastFailure);
    }
}

void TokenCache::forget(const TokenKey& key, const QByteArray& token) {
    const std::scoped_lock lock(m_mutex);
    const auto found = m_entries.find(key);
    if (found != m_entries.end() && found->second.token == token)
        found->second.token.clear();
}

} // namespace vitrine
