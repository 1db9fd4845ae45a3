// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "qemu/child_process.h"
#include "qemu/kernel_run/kernel_run_plan.h"
#include "qemu/kernel_run/kernel_share_servers.h"
#include "qemu/kernel_run/output_stream.h"

#include <QObject>
#include <QSocketNotifier>
#include <QTimer>

#include <functional>
#include <memory>
#include <vector>

namespace vitrine::qemu {

// One kernel run: starts the folders' servers and QEMU, passes on what the command writes and ends
// QEMU as soon as everything is there. QEMU and virtiofsd end with this object and with this
// process, and leave no files behind. Main thread, with an event loop; nothing blocks.
class KernelRun final : public QObject {
    Q_OBJECT
public:
    explicit KernelRun(KernelRunPlan plan, QObject* parent = nullptr);
    ~KernelRun() override;

    void start();  // once; finished() always follows
    void cancel(); // finished() with Cancelled follows
    // What is typed into the shell of an interactive run.
    void type(const QByteArray& bytes);
    // After finished(): the command's exit code (128 and more: a signal), or why there is none.
    [[nodiscard]] const Result<int>& outcome() const { return m_outcome; }
    // After finished(): virtiofs could not be started here, and 9P might do.
    [[nodiscard]] bool virtiofsFailed() const { return m_virtiofsFailed; }

Q_SIGNALS:
    void output(const QByteArray& bytes);  // standard output, or the terminal
    void errors(const QByteArray& bytes);  // standard error
    void console(const QByteArray& bytes); // what the kernel says
    void mounted(const QString& method);   // "virtiofs", "9p": how the folders got there
    void finished();                       // once

private:
    // A socket of QEMU's, our end.
    struct Line {
        FileDescriptor ours;
        FileDescriptor theirs;
        std::unique_ptr<QSocketNotifier> notifier;
        std::function<void(const QByteArray&)> received;
    };
    Result<> openLine(Line& line, std::function<void(const QByteArray&)> received);
    Result<> openLines();
    Result<> startEmulator();
    void begin();
    void read(Line& line);
    void receiveControl(const QByteArray& bytes);
    void receiveConsole(const QByteArray& bytes);
    void obey(const QByteArray& line);
    void finishIfComplete();
    void emulatorEnded();
    void timeIsUp();
    void finish(const Result<int>& outcome);
    [[nodiscard]] Error guestEnded() const;
    [[nodiscard]] QString lastConsoleLines() const;

    KernelRunPlan m_plan;
    QByteArray m_mark;
    OutputStream m_output;
    OutputStream m_errors;
    Line m_consoleLine;
    Line m_controlLine;
    Line m_outputLine;
    Line m_errorsLine;
    Line m_terminalLine;
    FileDescriptor m_initramfs;
    std::unique_ptr<KernelShareServers> m_servers;
    std::unique_ptr<ChildProcess> m_emulator;
    QTimer m_timeout;
    QByteArray m_controlText;
    QByteArray m_consoleText; // its end
    Result<int> m_outcome = fail(Error{});
    int m_exitCode = -1;
    bool m_mounted = false;
    bool m_over = false;
    bool m_virtiofsFailed = false;
};

} // namespace vitrine::qemu
