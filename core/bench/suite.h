// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace vitrine::bench {

// One thing that is measured: a line for /bin/sh, run in an empty folder of its own or in one where
// the suite's other workloads ran before.
struct Workload {
    enum class Kind {
        Fio, // prints fio's JSON
        Time // how long it takes is the result
    };
    QString name;
    Kind kind = Kind::Fio;
    QString setup;   // run before, not measured
    QString command; // "${SIZE}" stands for the working set
    QString pair;    // the workload that is the same past the page cache; may be empty
    friend bool operator==(const Workload&, const Workload&) = default;
};

// How large the file is that is worked on.
struct WorkingSet {
    double timesMemory = 1;
    quint64 atLeast = 0; // bytes
    quint64 atMost = 0;  // bytes
    friend bool operator==(const WorkingSet&, const WorkingSet&) = default;
};

// docs/benchmarks.md has the file.
struct Suite {
    QString id;
    QString title;
    QString description;
    std::optional<WorkingSet> workingSet;
    QList<Workload> workloads;

    // Integrity names the key; one that is not known is refused, it is probably mistyped.
    [[nodiscard]] static Result<Suite> fromJson(const QByteArray& bytes);
    // Bytes of the working set for the larger of two memories, whole MiB; 0 without "workingSet".
    [[nodiscard]] quint64 workingSetFor(quint64 memory) const;
    // As it is run there.
    [[nodiscard]] QString commandOf(const Workload& workload, quint64 memory) const;

    friend bool operator==(const Suite&, const Suite&) = default;
};

// The same line for a trial of seconds: short times, small files. Its figures are no result.
[[nodiscard]] QString shortened(const QString& command);

// The suites that come with the program. They are known to be whole.
[[nodiscard]] QList<Suite> shippedSuites();

// Those and the user's own: *.json in `folder` (<library>/benchmarks/suites), which may be missing.
struct SuiteEntry {
    QString path; // empty for those that come with the program
    Result<Suite> suite;
};
[[nodiscard]] QList<SuiteEntry> allSuites(const QString& folder);
// NotFound lists those that there are.
[[nodiscard]] Result<Suite> findSuite(const QString& id, const QString& folder);

} // namespace vitrine::bench
