// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign_run.h"
#include "core/job/job.h"
#include "core/library/library.h"

#include <memory>
#include <vector>

namespace vitrine::bench {

// What executors are made for.
struct ExecutorSetup {
    Library library;
    RunPlan plan;
    QString campaign;   // its identifier
    QString hypervisor; // "QEMU 7.2.22", for Campaign::guest
};

// All executors of a plan, ready to measure: one class for each ExecutorSpec::Kind. Throw-away
// clones end and are removed with this. Main thread: what it starts ends with that thread.
class ExecutorSet final {
public:
    // Fails before anything is written or started where that can be known: a machine that is not
    // there, running or suspended, a size that is not possible.
    [[nodiscard]] static Result<> check(const Library& library, const RunPlan& plan);
    // Takes as long as a guest needs to start. DiskFull when the test files do not fit. Removes
    // what it made on failure and cancel.
    [[nodiscard]] static Result<ExecutorSet> open(const ExecutorSetup& setup,
                                                  const JobContext& context);

    [[nodiscard]] QList<Executor*> list() const;
    [[nodiscard]] const QJsonObject& guest() const { return m_guest; } // Campaign::guest
    [[nodiscard]] const QStringList& notes() const { return m_notes; } // for Campaign::notes

private:
    std::vector<std::unique_ptr<Executor>> m_executors;
    QJsonObject m_guest;
    QStringList m_notes;
};

} // namespace vitrine::bench
