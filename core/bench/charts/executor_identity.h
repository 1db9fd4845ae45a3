// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>

namespace vitrine::bench {

// What an executor is, so that "local" of one campaign pairs with "host" of another, and Tart's
// names with ours.
struct ExecutorIdentity {
    enum class Kind { Host, Machine, Other };
    Kind kind = Kind::Other;
    QString key;     // equal for executors that are the same
    QString name;    // translated, for legends: "Host", "Default", "sync=none"
    QString sync;    // root disk option, empty: by default
    QString caching; // root disk option, empty: by default

    // Root disk options and nothing else tell it from the machine by default.
    [[nodiscard]] bool isRootDiskChoice() const;

    friend bool operator==(const ExecutorIdentity&, const ExecutorIdentity&) = default;
};

// `options` is BenchRun::options.
[[nodiscard]] ExecutorIdentity identityOf(const QString& executor, const QJsonObject& options);

} // namespace vitrine::bench
