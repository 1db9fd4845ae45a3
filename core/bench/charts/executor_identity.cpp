// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/executor_identity.h"

#include "core/result/result.h"

#include <QStringList>

namespace vitrine::bench {

namespace {

const QString runningKey = QStringLiteral("running");

// An option that says what is so anyway is none.
QString option(const QJsonObject& options, const char* key, const char* byDefault) {
    const QString value = options.value(QLatin1String(key)).toString();
    return value == QLatin1String(byDefault) ? QString() : value;
}

// "share:9p,security=none", "kernel:virtiofs" in words; others as they are.
QString readable(const QString& executor) {
    const auto transportOf = [](const QString& word) {
        return word == QLatin1String("9p") ? QStringLiteral("9P") : word;
    };
    const QString rest = executor.section(QLatin1Char(':'), 1);
    if (executor.startsWith(QLatin1String("kernel:")))
        return Tr::tr("Kernel run over %1").arg(transportOf(rest));
    if (!executor.startsWith(QLatin1String("share:")))
        return executor;
    QStringList parts = rest.split(QLatin1Char(','));
    parts.first() = transportOf(parts.first());
    return Tr::tr("Folder over %1").arg(parts.join(QStringLiteral(", ")));
}

} // namespace

bool ExecutorIdentity::isRootDiskChoice() const {
    QStringList parts;
    if (!sync.isEmpty())
        parts.append(QStringLiteral("sync=") + sync);
    if (!caching.isEmpty())
        parts.append(QStringLiteral("caching=") + caching);
    return kind == Kind::Machine && key == QStringLiteral("vm:") + parts.join(QLatin1Char(','));
}

ExecutorIdentity identityOf(const QString& executor, const QJsonObject& options) {
    ExecutorIdentity identity;
    const QString kind = options.value(QLatin1String("kind")).toString();
    if (kind == QLatin1String("host"))
        return {ExecutorIdentity::Kind::Host, QStringLiteral("host"), Tr::tr("Host"), {}, {}};
    if (kind != QLatin1String("vm"))
        return {ExecutorIdentity::Kind::Other, executor, executor, {}, {}};
    if (executor == runningKey || options.value(QLatin1String("running")).toBool())
        return {ExecutorIdentity::Kind::Machine, runningKey, Tr::tr("Running machine"), {}, {}};
    identity.kind = ExecutorIdentity::Kind::Machine;
    identity.sync = option(options, "sync", "full");
    identity.caching = option(options, "caching", "automatic");
    QStringList parts;
    if (!identity.sync.isEmpty())
        parts.append(QStringLiteral("sync=") + identity.sync);
    if (!identity.caching.isEmpty())
        parts.append(QStringLiteral("caching=") + identity.caching);
    const bool isPlain = parts.isEmpty();
    bool isRootDisk = true;
    for (auto it = options.begin(); it != options.end(); ++it) { // in the order of the keys
        const bool isKnown = it.key() == QLatin1String("kind") ||
                             it.key() == QLatin1String("sync") ||
                             it.key() == QLatin1String("caching") || it.key() == runningKey;
        // Numbers are sizes of the machine: the same executor all the same.
        if (isKnown || !it->isString())
            continue;
        isRootDisk = false;
        parts.append(it.key() + QLatin1Char('=') + it->toString());
    }
    identity.key = QStringLiteral("vm:") + parts.join(QLatin1Char(','));
    if (!isRootDisk)
        identity.name = readable(executor);
    else
        identity.name = isPlain ? Tr::tr("Default") : parts.join(QStringLiteral(", "));
    return identity;
}

} // namespace vitrine::bench
