// SPDX-License-Identifier: Apache-2.0
#include "core/bench/executor_spec.h"

#include <algorithm>

namespace vitrine::bench {

namespace {

const QLatin1String hostWord("host");
const QLatin1String runningWord("running");
const QLatin1String defaultWord("default");
const QLatin1String shareStart("share:");

Error unknown(const QString& text, const QString& why) {
    return {
        Error::Kind::InvalidInput,
        Tr::tr("There is no executor \"%1\"%2. There are: host; kernel:9p and "
               "kernel:virtiofs (a kernel that is booted each time); running (the machine as it "
               "runs); default, sync=none, sync=fsync, caching=cached, caching=uncached, or "
               "two of these with a comma (a throw-away clone with these root disk options); "
               "share:virtiofs with cache=auto, always or none, or share:9p with "
               "security=none, mapped-xattr, mapped-file or passthrough (a folder of this "
               "computer in such a clone).")
            .arg(text, why.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(why)),
        {}};
}

// "virtiofs,cache=auto"; a default is written out, so that figures say what they are of.
Result<ExecutorSpec> shareFrom(const QString& text, const QString& words) {
    const QString transport = words.section(QLatin1Char(','), 0, 0);
    const QString option = words.section(QLatin1Char(','), 1);
    const bool isVirtiofs = transport == QLatin1String("virtiofs");
    const QString key = isVirtiofs ? QStringLiteral("cache") : QStringLiteral("security");
    QString value = isVirtiofs ? QStringLiteral("auto") : QStringLiteral("none");
    if (words.contains(QLatin1Char(','))) {
        if (!option.startsWith(key + QLatin1Char('=')))
            return fail(unknown(text, {}));
        value = option.mid(key.size() + 1);
    }
    // What the virtiofsd that is written in Rust calls its modes.
    if (isVirtiofs && value == QLatin1String("never"))
        value = QStringLiteral("none");
    if (isVirtiofs && value == QLatin1String("metadata"))
        return fail(unknown(text, Tr::tr("the virtiofsd of QEMU 7.2 has no such cache mode")));
    const auto sharing =
        ShareOptions::fromJson(QJsonObject{{QStringLiteral("transport"), transport}, {key, value}});
    if (!sharing)
        return fail(unknown(text, {}));
    return ExecutorSpec{ExecutorSpec::Kind::Share,
                        QStringLiteral("share:%1,%2=%3").arg(transport, key, value),
                        {},
                        *sharing};
}

} // namespace

Result<ExecutorSpec> ExecutorSpec::fromText(const QString& text) {
    const QString word = text.trimmed();
    if (word == hostWord)
        return ExecutorSpec{Kind::Host, word, {}};
    if (word == runningWord)
        return ExecutorSpec{Kind::Running, word, {}};
    if (word == QLatin1String("kernel:9p") || word == QLatin1String("kernel:virtiofs"))
        return ExecutorSpec{Kind::Kernel, word, {}};
    if (word == defaultWord)
        return ExecutorSpec{Kind::Machine, word, {}};
    if (word.startsWith(shareStart))
        return shareFrom(text, word.mid(shareStart.size()));
    if (word.isEmpty() || !word.contains(QLatin1Char('=')))
        return fail(unknown(text, {}));
    const auto options = DiskOptions::fromText(word);
    if (!options)
        return fail(unknown(text, {}));
    if (options->readOnly)
        return fail(unknown(text, Tr::tr("nothing can be measured on a read-only disk")));
    const QString only = options->toText();
    return ExecutorSpec{Kind::Machine, only.isEmpty() ? QString(defaultWord) : only, *options};
}

Result<QList<ExecutorSpec>> ExecutorSpec::listFrom(const QStringList& texts, bool hasMachine) {
    QStringList wanted = texts;
    if (wanted.isEmpty())
        wanted.append(hostWord);
    if (texts.isEmpty() && hasMachine)
        wanted << defaultWord << QStringLiteral("sync=none") << QStringLiteral("caching=cached")
               << QStringLiteral("sync=none,caching=cached");
    QList<ExecutorSpec> specs;
    for (const QString& text : std::as_const(wanted)) {
        auto spec = fromText(text);
        if (!spec)
            return fail(spec.error());
        if (!specs.contains(*spec))
            specs.append(*std::move(spec));
    }
    const auto inMachine = [](const ExecutorSpec& spec) { return spec.needsMachine(); };
    const auto found = std::find_if(specs.begin(), specs.end(), inMachine);
    if (!hasMachine && found != specs.end())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The executor \"%1\" needs a machine. Name it with --machine, or a "
                           "pulled image with --image.")
                        .arg(found->text));
    if (hasMachine && found == specs.end())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("No executor uses the machine. Name one that does with --executor, such "
                           "as default, or leave the machine away."));
    return specs;
}

QJsonObject ExecutorSpec::options() const {
    if (kind == Kind::Host)
        return {{QStringLiteral("kind"), QStringLiteral("host")}};
    if (kind == Kind::Kernel)
        return {{QStringLiteral("kind"), QStringLiteral("vm")},
                {QStringLiteral("share"), text.section(QLatin1Char(':'), 1)}};
    QJsonObject options = rootDiskOptions(rootDisk);
    if (kind == Kind::Share) {
        options.insert(QStringLiteral("share"), sharing.transport);
        if (!sharing.cache.isEmpty())
            options.insert(QStringLiteral("share_cache"), sharing.cache);
        if (!sharing.security.isEmpty())
            options.insert(QStringLiteral("share_security"), sharing.security);
    }
    options.insert(QStringLiteral("kind"), QStringLiteral("vm"));
    return options;
}

QStringList textsOf(const QList<ExecutorSpec>& specs) {
    QStringList texts;
    for (const ExecutorSpec& spec : specs)
        texts.append(spec.text);
    return texts;
}

QJsonObject rootDiskOptions(const DiskOptions& options) {
    QJsonObject object;
    for (const QString& item : options.toText().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (item.contains(QLatin1Char('=')))
            object.insert(item.section(QLatin1Char('='), 0, 0), item.section(QLatin1Char('='), 1));
    return object;
}

} // namespace vitrine::bench
