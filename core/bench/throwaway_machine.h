// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_client.h"
#include "core/job/job.h"
#include "core/library/library.h"
#include "core/machine/run_options.h"

#include <QProcess>

#include <functional>
#include <memory>

namespace vitrine::bench {

// A clone of a machine or cached image that exists as long as this value: in a library of its own
// below tmp/, locked, run by a `vitrinectl run` that the kernel ends with this process, however
// that ends. What is left on the disk then is collected at the next start of any vitrinectl. Main
// thread.
class ThrowawayMachine final {
public:
    struct Request {
        Library library;
        QString source; // name or reference
        int cpus = 1;
        quint64 memory = 0; // bytes
        // Of what the source is run with; its shares, extra disks and forwards are left out before.
        std::function<void(RunOptions&)> change = [](RunOptions&) {};
    };
    // Copies; nothing runs. Removes what it made on failure and cancel.
    [[nodiscard]] static Result<std::unique_ptr<ThrowawayMachine>> make(const Request& request,
                                                                        const JobContext& context);
    ThrowawayMachine(const ThrowawayMachine&) = delete;
    ThrowawayMachine& operator=(const ThrowawayMachine&) = delete;
    ~ThrowawayMachine(); // ends it, forced, and removes it

    // Starts it without a window; its process answers then. The error has the last line that this
    // process said.
    Result<> start(const std::stop_token& stop);
    // Shuts the guest down; forced off after a minute.
    Result<> shutDown();
    Result<> pause();
    Result<> resume();
    [[nodiscard]] bool isRunning() const;

    // Only while it runs.
    [[nodiscard]] MachineClient& client() { return *m_client; }
    [[nodiscard]] const QString& directory() const { return m_directory; }
    [[nodiscard]] QString diskPath() const { return m_directory + QStringLiteral("/disk.img"); }
    [[nodiscard]] const QString& folder() const { return m_place.path; } // files of its user's
    [[nodiscard]] QString saidAtLast() const; // by its process; a line, may be empty

private:
    explicit ThrowawayMachine(Library::TemporaryDirectory place);
    Result<> fill(const Request& request, const JobContext& context);
    Result<> ask(const char* method);

    Library::TemporaryDirectory m_place;
    QString m_home;
    QString m_directory;
    std::unique_ptr<MachineClient> m_client;
    std::unique_ptr<QProcess> m_process;
};

} // namespace vitrine::bench
