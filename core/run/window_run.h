// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/channel/json_channel.h"
#include "core/disk/file_descriptor.h"
#include "core/hypervisor/machine_host.h"
#include "core/library/runtime_directory.h"
#include "core/run/run_request_file.h"

#include <QList>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>

class QSocketNotifier;

namespace vitrine {

// The command line's end of a machine that a window runs: hands the request over
// (run_request_file.h), follows the machine and passes wishes on. Lives on one thread; nothing
// blocks. Goes without the machine: that stays in the window.
//
// Lines on answer.sock are JSON objects. From the window:
//   {"event": "taken"}      this window has the request and starts the machine when it is told to
//   {"event": "missing"}    it came for a request that another one has taken
//   {"event": "started"}    the guest runs
//   {"event": "told", "kind": …, "text": …}     MachineHost::told
//   {"event": "viewer", "path": …}              MachineHost::viewerOpened
//   {"event": "declined", "kind": …, "message": …, "detail": …}   MachineHost::declined
//   {"event": "heard"}      the last wish has arrived
//   {"event": "refused", "kind": …, "message": …, "detail": …}    not started; the last line
//   {"event": "ended"}      after "started"; with the three words above when it failed; the last
// To it: {"do": "start"}, the answer to "taken"; {"do": "interrupt"}, {"do": "suspend"} or
// {"do": "shut-down"}. The end of the socket before "start" takes the request back, later it is
// nothing: whoever follows may go.
class WindowRun final : public QObject {
    Q_OBJECT
public:
    struct Patience {              // ms
        int untilTaken = 120000;   // a Mac looks at a program for long when it is opened first
        int afterHandOver = 10000; // from the end of the program that was started
        int afterMissing = 10000;
        int untilHeard = 10000; // of a wish
    };
    [[nodiscard]] static Result<std::unique_ptr<WindowRun>>
    make(const Hypervisor::RunRequest& request, Patience patience);
    [[nodiscard]] static Result<std::unique_ptr<WindowRun>>
    make(const Hypervisor::RunRequest& request) {
        return make(request, Patience());
    }
    ~WindowRun() override;

    [[nodiscard]] QString requestPath() const { return m_file.path(); }
    // The program that was started to take the request. Its end is waited for: it may hand it over.
    void watch(pid_t window);
    // Before the request is taken each but Suspend, which is nothing then, takes it back.
    void wish(MachineHost::Wish wish);
    // The window has not heard the last wish for a while.
    [[nodiscard]] bool isDeaf() const { return m_deaf; }

    enum class Outcome {
        NotTaken, // no window has it: taken back, or none came
        Refused,  // it did not start
        Ended,    // it ran and has ended
        Lost      // the window has gone, or does not answer any more
    };

Q_SIGNALS:
    void started();
    void told(const QString& kind, const QString& text);
    void viewerOpened(const QString& path);
    void declined(const vitrine::Error& error);
    void deaf();
    // Once, the last one. `error`: none when the machine was shut down, forced off or suspended.
    void finished(vitrine::WindowRun::Outcome outcome, const std::optional<vitrine::Error>& error);

private:
    WindowRun(QString name, RunRequestFile file, Patience patience);
    Result<> listen();
    void accept();
    void drop(JsonChannel* channel);
    void heard(JsonChannel* channel, const QJsonObject& line);
    void follow(const QJsonObject& line);
    void waitAtMost(int milliseconds, const QString& otherwise);
    void giveUp();
    void finish(Outcome outcome, std::optional<Error> error);

    const QString m_name;
    const Patience m_patience;
    RunRequestFile m_file;
    std::optional<SocketAddress> m_address;
    FileDescriptor m_server;
    std::unique_ptr<QSocketNotifier> m_accepts;
    FileDescriptor m_window; // its process
    std::unique_ptr<QSocketNotifier> m_windowEnds;
    QList<JsonChannel*> m_callers; // children, until one of them has the request
    JsonChannel* m_channel = nullptr;
    bool m_cancelled = false; // it is taken and the window has not said so yet
    QTimer m_limit;
    QString m_otherwise; // why it was given up, at the end of m_limit
    QTimer m_hearing;
    bool m_deaf = false;
    bool m_over = false;
};

} // namespace vitrine
