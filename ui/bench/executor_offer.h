// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

namespace vitrine::bench {
struct Suite;
}

namespace vitrine::ui {

// One place where a suite can be measured, as the Benchmarks page offers it.
struct ExecutorOffer {
    enum class Kind { Host, Default, RootDisk, Share, Kernel, Running };
    Kind kind = Kind::Host;
    QString word; // for --executor
    QString text; // translated

    [[nodiscard]] bool needsMachine() const { return kind != Kind::Host && kind != Kind::Kernel; }
    [[nodiscard]] bool needsClone() const { return needsMachine() && kind != Kind::Running; }
};

// All that there are, in the order in which they are shown. Any thread.
[[nodiscard]] QList<ExecutorOffer> executorOffers();
// Whether it says something of that suite.
[[nodiscard]] bool isOffered(const ExecutorOffer& offer, const bench::Suite& suite);
// Whether it is ticked for that suite unless somebody unticks it.
[[nodiscard]] bool isUsual(const ExecutorOffer& offer, const bench::Suite& suite);
// Whether all that is offered, besides the host, concerns the root disk.
[[nodiscard]] bool isOfRootDisk(const bench::Suite& suite);

} // namespace vitrine::ui
