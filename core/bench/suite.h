// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine::bench {

// One thing that is measured: a line for /bin/sh, run in an empty folder of its own or in one where
// the suite's other workloads ran before.
struct Workload {
    enum class Kind {
        Fio,     // prints fio's JSON
        Time,    // how long it takes is the result
        Reported // prints how long it took (reported_time.h)
    };
    // What the page cache holds when it begins. Cached and Invalidated are the two halves of a
    // check (cache_check.h); both have a setup that reads the file.
    enum class Cache {
        Emptied,    // as for every figure that is to be quoted
        Cached,     // what the setup has read
        Invalidated // emptied after the setup has read
    };
    QString name;
    Kind kind = Kind::Fio;
    QString setup;   // run before, not measured
    QString command; // "${SIZE}" stands for the working set
    QString pair;    // the workload that is the same past the page cache; may be empty
    Cache cache = Cache::Emptied;
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
    int rounds = 3;        // where none are asked for
    QStringList executors; // ExecutorSpec, where none are asked for; empty: as for any suite
    QList<Workload> workloads;

    // Integrity names the key; one that is not known is refused, it is probably mistyped.
    [[nodiscard]] static Result<Suite> fromJson(const QByteArray& bytes);
    // Bytes of the working set for the larger of two memories, whole MiB; 0 without "workingSet".
    [[nodiscard]] quint64 workingSetFor(quint64 memory) const;
    // The working set is smaller than wanted for that memory, as "atMost" says.
    [[nodiscard]] bool isLimitedFor(quint64 memory) const;
    // As it is run there.
    [[nodiscard]] QString commandOf(const Workload& workload, quint64 memory) const;

    friend bool operator==(const Suite&, const Suite&) = default;
};

[[nodiscard]] QString wordOf(Workload::Kind kind); // for files: "fio", "time", "reported"
[[nodiscard]] std::optional<Workload::Kind> kindFrom(const QString& word);
// For files: "cached", "invalidated"; empty for Emptied.
[[nodiscard]] QString wordOf(Workload::Cache cache);
// nullopt for another word.
[[nodiscard]] std::optional<Workload::Cache> cacheFrom(const QString& word);

// The same line for a trial of seconds: short times, small files (of fio, and of dd in MiB), few
// `folders=`. Its figures are no result.
[[nodiscard]] QString shortened(const QString& command);

// The suites that come with the program. They are known to be whole.
[[nodiscard]] QList<Suite> shippedSuites();

// A suite "command" made on the spot: a workload for each line, of one kind, each after `setup`.
// It is checked as a file is: Integrity names what is wrong.
[[nodiscard]] Result<Suite>
commandSuite(const QStringList& lines, const QString& setup, Workload::Kind kind);

// Those and the user's own: *.json in `folder` (<library>/benchmarks/suites), which may be missing.
struct SuiteEntry {
    QString path; // empty for those that come with the program
    Result<Suite> suite;
};
[[nodiscard]] QList<SuiteEntry> allSuites(const QString& folder);
// NotFound lists those that there are.
[[nodiscard]] Result<Suite> findSuite(const QString& id, const QString& folder);

} // namespace vitrine::bench
