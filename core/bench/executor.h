// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QJsonObject>

#include <stop_token>

namespace vitrine::bench {

// Where workloads run: this computer, a machine. One thread at a time.
class Executor {
public:
    struct Output {
        int exitCode = 0;
        QByteArray out;     // standard output, at most maximumFioOutput
        QByteArray err;     // its last lines
        double seconds = 0; // from start to end
    };

    Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    virtual ~Executor() = default;

    [[nodiscard]] virtual QString name() const = 0;
    [[nodiscard]] virtual QJsonObject options() const = 0; // BenchRun::options
    // Before and after each measurement with its preparation; others run in between. end() comes
    // after a begin() that failed, too.
    virtual Result<> begin(std::stop_token /*stop*/) { return {}; }
    virtual void end() {}
    // Runs a line with /bin/sh in the folder for test files. A command that fails is no error here.
    // Cancelled when `stop` is asked for: then the command and its children have ended. NotRunning
    // or Timeout: its guest is gone, nothing more can be measured there.
    [[nodiscard]] virtual Result<Output> run(const QString& command, std::stop_token stop) = 0;
    // Writes the test files to the disk and takes them out of the page cache.
    virtual Result<> dropCaches() = 0;
    // Removes the test files, which else fill a disk for all that comes after. Nothing where they
    // are on no disk.
    virtual Result<> removeTestFiles(std::stop_token /*stop*/) { return {}; }
    [[nodiscard]] virtual Result<quint64> freeSpace() const = 0; // bytes, for test files
    [[nodiscard]] virtual QJsonObject noise() const = 0;         // BenchRun::noise
};

} // namespace vitrine::bench
