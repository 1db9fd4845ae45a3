// SPDX-License-Identifier: Apache-2.0
#include "core/registry/retry_policy.h"

#include <QLocale>
#include <QRandomGenerator>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace vitrine {

using std::chrono::milliseconds;

std::optional<milliseconds> parseRetryAfter(const QByteArray& value, const QDateTime& now) {
    const QByteArray text = value.trimmed();
    if (text.isEmpty())
        return std::nullopt;
    const bool digits =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
        constexpr qint64 longest = 365LL * 24 * 3600;
        bool ok = false;
        const qint64 seconds = text.toLongLong(&ok);
        return milliseconds((ok ? std::min(seconds, longest) : longest) * 1000);
    }
    QDateTime when = QLocale::c().toDateTime(QString::fromLatin1(text),
                                             QStringLiteral("ddd, dd MMM yyyy HH:mm:ss 'GMT'"));
    if (!when.isValid())
        return std::nullopt;
    when.setTimeSpec(Qt::UTC);
    return milliseconds(std::max<qint64>(0, now.msecsTo(when)));
}

std::optional<milliseconds> RetryBudget::next(const Failure& failure) {
    if (!failure.transient)
        return std::nullopt;
    ++m_failures;
    if (m_failures >= m_policy.attemptsWithoutProgress)
        return std::nullopt;
    if (failure.retryAfter.value_or(milliseconds(0)) > m_policy.longestWait)
        return std::nullopt;
    const int exponent = std::min(m_failures - 1, 5);
    const int longest = std::min(20000, 1000 << exponent);
    double wait = QRandomGenerator::global()->bounded(longest + 1);
    if (failure.retryAfter)
        wait = std::max(wait, static_cast<double>(failure.retryAfter->count()));
    return milliseconds(static_cast<qint64>(wait * m_policy.delayScale));
}

bool waitFor(milliseconds duration, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock lock(mutex);
    condition.wait_for(lock, stop, duration, [] { return false; });
    return !stop.stop_requested();
}

} // namespace vitrine
