// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "core/hypervisor/display.h"
#include "core/hypervisor/machine_client.h"
#include "core/library/library.h"
#include "core/machine/run_options.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>

#include <functional>
#include <memory>

namespace vitrine::test {

// A library of its own with one machine, "guest": a copy of the sample guest, run by
// `vitrinectl run guest --no-graphics` as a user would. Waits run the event loop.
class RunningGuest final {
public:
    struct Setup {
        Architecture architecture = Architecture::Amd64;
        bool byKernel = false; // without firmware
        // Made by `vitrinectl create --from-image` from the sample's disk, without its variables.
        bool created = false;
        std::function<void(RunOptions&, const QString& folder)> change = {};
    };

    explicit RunningGuest(const Setup& setup); // makes the library; nothing runs
    ~RunningGuest();                           // ends what runs

    void start();
    // "VITRINE-GUEST-READY" on the serial line: services answer. Two minutes at most.
    bool waitUntilReady();
    [[nodiscard]] double secondsToReady() const { return m_secondsToReady; }
    bool waitUntilState(MachineState state);
    // The exit code of vitrinectl; -1 when it did not end in two minutes, -2 after a signal.
    int waitUntilEnded();

    Result<QJsonValue>
    call(const char* method, const QJsonObject& parameters = {}, int timeoutMilliseconds = 60000);
    // A line for the guest's shell, run as root by the guest agent; what it printed.
    QString shell(const QString& line);
    bool waitUntilShellPrints(const QString& line, const QString& expected);

    // Runs vitrinectl and waits.
    struct Ran {
        int exitCode = -1;
        QString output;
        QString errors;
    };
    Ran vitrinectl(const QStringList& arguments, int timeoutMilliseconds = 60000);

    [[nodiscard]] Library& library() { return *m_library; }
    [[nodiscard]] MachineClient& client() { return *m_client; }
    [[nodiscard]] const MachineStatus& status() const { return m_client->status(); }
    [[nodiscard]] qint64 processId() const { return m_process->processId(); }
    [[nodiscard]] qint64 qemuProcessId() const; // 0 when there is none
    [[nodiscard]] QString machineDirectory() const { return m_directory; }
    [[nodiscard]] QString folder() const { return m_folder.path(); }
    [[nodiscard]] QString runtimeFile(const char* name) const;
    [[nodiscard]] QByteArray serialLog() const;
    [[nodiscard]] QString said() const { return m_said; } // by vitrinectl, both streams

private:
    [[nodiscard]] QProcessEnvironment environment() const;
    void copySample(const QString& machine);

    QTemporaryDir m_folder;
    std::optional<Library> m_library;
    QString m_directory;
    std::unique_ptr<MachineClient> m_client;
    std::unique_ptr<QProcess> m_process;
    QElapsedTimer m_clock;
    double m_secondsToReady = 0;
    QString m_said;
};

inline constexpr int longWait = 120000; // ms; a guest boots in 4 to 30 s

} // namespace vitrine::test
