// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/executor_offer.h"

#include "core/bench/suite.h"
#include "core/result/result.h"

#include <algorithm>

namespace vitrine::ui {

namespace {

using Kind = ExecutorOffer::Kind;

const QString sharedFolder = QStringLiteral("shared-folder");
const QString pageCache = QStringLiteral("page-cache");
const QString bootToCommand = QStringLiteral("boot-to-command");

bool isShipped(const bench::Suite& suite) {
    static const QStringList ids = [] {
        QStringList found;
        for (const bench::Suite& one : bench::shippedSuites())
            found.append(one.id);
        return found;
    }();
    return ids.contains(suite.id);
}

// What a kernel run measures is the time from its start to its end; its files are read-only.
bool isTimed(const bench::Suite& suite) {
    return std::all_of(
        suite.workloads.begin(), suite.workloads.end(), [](const bench::Workload& workload) {
            return workload.kind == bench::Workload::Kind::Time;
        });
}

} // namespace

QList<ExecutorOffer> executorOffers() {
    QList<ExecutorOffer> offers{
        {Kind::Host, QStringLiteral("host"), Tr::tr("This computer (host)")},
        {Kind::Default, QStringLiteral("default"), Tr::tr("Default options")}};
    for (const char* const options : {"sync=none",
                                      "caching=cached",
                                      "sync=none,caching=cached",
                                      "sync=fsync",
                                      "caching=uncached"}) {
        const QString word = QLatin1String(options);
        offers.append(
            {Kind::RootDisk, word, QString(word).replace(QLatin1Char(','), QLatin1String(", "))});
    }
    for (const char* const cache : {"auto", "always", "none"})
        offers.append({Kind::Share,
                       QStringLiteral("share:virtiofs,cache=") + QLatin1String(cache),
                       Tr::tr("Folder over virtiofs, cache=%1").arg(QLatin1String(cache))});
    for (const char* const security : {"none", "mapped-xattr", "mapped-file", "passthrough"})
        offers.append({Kind::Share,
                       QStringLiteral("share:9p,security=") + QLatin1String(security),
                       Tr::tr("Folder over 9P, security=%1").arg(QLatin1String(security))});
    offers.append({Kind::Kernel, QStringLiteral("kernel:9p"), Tr::tr("Kernel run over 9P")});
    offers.append(
        {Kind::Kernel, QStringLiteral("kernel:virtiofs"), Tr::tr("Kernel run over virtiofs")});
    offers.append(
        {Kind::Running, QStringLiteral("running"), Tr::tr("In the running machine, as it is")});
    return offers;
}

bool isOfRootDisk(const bench::Suite& suite) {
    return isShipped(suite) && suite.id != sharedFolder && suite.id != pageCache &&
           suite.id != bootToCommand;
}

bool isOffered(const ExecutorOffer& offer, const bench::Suite& suite) {
    switch (offer.kind) {
    case Kind::Host:
        return true;
    case Kind::Default:
    case Kind::Running:
        return suite.id != bootToCommand;
    case Kind::RootDisk:
        return suite.id != bootToCommand && suite.id != sharedFolder;
    case Kind::Share:
        return suite.id != bootToCommand && !isOfRootDisk(suite);
    case Kind::Kernel:
        return suite.id == bootToCommand || (!isShipped(suite) && isTimed(suite));
    }
    return false;
}

bool isUsual(const ExecutorOffer& offer, const bench::Suite& suite) {
    if (!isOffered(offer, suite))
        return false;
    if (suite.id == bootToCommand)
        return offer.kind == Kind::Kernel;
    switch (offer.kind) {
    case Kind::Host:
    case Kind::Default:
        return true;
    case Kind::RootDisk: // what Tart's benchmark compares
        return suite.id != pageCache && offer.word != QLatin1String("sync=fsync") &&
               offer.word != QLatin1String("caching=uncached");
    case Kind::Share:
        return suite.id == sharedFolder && (offer.word.contains(QLatin1String("cache=")) ||
                                            offer.word.endsWith(QLatin1String("security=none")));
    case Kind::Kernel:
    case Kind::Running:
        return false;
    }
    return false;
}

} // namespace vitrine::ui
