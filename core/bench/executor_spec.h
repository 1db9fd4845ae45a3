// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "core/sharing/share_options.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace vitrine::bench {

// Where a workload runs, as typed for --executor and kept in a campaign's plan.
struct ExecutorSpec {
    enum class Kind {
        Host,    // this computer
        Machine, // a throw-away clone of the machine or image, with root disk options
        Running, // the machine itself, as it runs
        Share,   // a folder of this computer in the guest of a throw-away clone
        Kernel   // a kernel of the user's with this computer's files, booted for each workload
    };
    Kind kind = Kind::Host;
    QString text; // its one spelling: "host", "default", "sync=none", "running", "kernel:9p"
    DiskOptions rootDisk;      // of Machine
    ShareOptions sharing = {}; // of Share: transport, and cache or security

    // "host", "running", "kernel:9p", "kernel:virtiofs", "default", what `run --root-disk-opts`
    // takes but "ro", "share:virtiofs,cache=auto" or "share:9p,security=none". InvalidInput says
    // what there is.
    [[nodiscard]] static Result<ExecutorSpec> fromText(const QString& text);
    // Those of a plan or command line, each once. Without any: the host, and, where there is a
    // machine, what Tart's benchmark compares.
    [[nodiscard]] static Result<QList<ExecutorSpec>> listFrom(const QStringList& texts,
                                                              bool hasMachine);

    [[nodiscard]] bool needsMachine() const { return needsClone() || kind == Kind::Running; }
    [[nodiscard]] bool needsClone() const { return kind == Kind::Machine || kind == Kind::Share; }
    // BenchRun::options: "kind" is "host" or "vm", then the root disk options that are no default,
    // or "share" with "share_cache" or "share_security".
    [[nodiscard]] QJsonObject options() const;

    friend bool operator==(const ExecutorSpec&, const ExecutorSpec&) = default;
};

[[nodiscard]] QStringList textsOf(const QList<ExecutorSpec>& specs);
// "sync" and "caching" where they are no defaults.
[[nodiscard]] QJsonObject rootDiskOptions(const DiskOptions& options);

} // namespace vitrine::bench
