// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/run/event_log.h"
#include "vz/host/agent_requests.h"
#include "vz/host/control_requests.h"
#include "vz/host/machine_holder.h"
#include "vz/host/run_preparation.h"
#include "vz/host/screen_requests.h"
#include "vz/host/serial_port.h"
#include "vz/host/services.h"
#include "vz/host/share_requests.h"
#include "vz/plan/machine_run.h"

#include <QObject>
#include <QStringList>
#include <QThreadPool>

#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace vitrine::vz {

// A machine that runs in this process, from its locks to its end: with or without a window. It has
// the locks held, plans, makes the machine of Apple's framework, and answers on vitrine.sock as a
// machine's process does (contract 1). Main thread, nothing waits. Destroyed while it runs it takes
// the machine with it, as if the plug was pulled.
class HostedMachine final : public QObject {
    Q_OBJECT
public:
    enum class Screen { None, Window };
    // `services` outlive this.
    HostedMachine(const Services& services,
                  Hypervisor::RunRequest request,
                  std::unique_ptr<MachineHolder> holder,
                  Screen screen,
                  QObject* parent = nullptr);
    ~HostedMachine() override;

    // Of the window, before start(). Without it there are no pictures of the screen.
    void setPictures(TakeScreen take) { m_takeScreen = std::move(take); }
    void start(); // once
    // Before there is a guest each of the first three ends the start.
    void shutDown();
    void interrupt(); // as SIGINT: shut down and force off when the time is over; again: off
    void forceOff();
    void suspend();
    [[nodiscard]] const QString& name() const { return m_request.name; }
    // Null before and after it is there. For a window's view.
    [[nodiscard]] MachineRun* run() const { return m_run.get(); }
    [[nodiscard]] const MachinePlan* plan() const; // likewise

Q_SIGNALS:
    void started(); // the guest runs
    void told(const QString& kind, const QString& text);
    void refused(const vitrine::Error& error); // what a signal or a menu asked for
    void viewerOpened(const QString& path); // terminal of the serial line, vnc://… of the guest
    // The last one: everything is let go. `exitCode` and `error` as runMachine() returns and tells
    // them; no error when it was shut down, forced off or suspended. Delete this only later.
    void ended(int exitCode, const std::optional<vitrine::Error>& error);

private:
    void begin();
    void prepare();
    void prepared(PreparedRun run);
    [[nodiscard]] Result<> makeRun();
    void openServices();
    void setAddress(const QString& address, const QString& source);
    void setNote(const QString& progress); // empty: what there is to say of the whole run
    void setState(MachineState state);
    void report(const Error& error);
    void finished(int exitCode, std::optional<Error> error);
    void failStart(const Error& error);
    void letGo();
    void tell(const QString& kind, const QString& text);
    void log(const QString& line);

    const Services& m_services;
    const Hypervisor::RunRequest m_request;
    const Screen m_screen;
    std::stop_source m_stop; // of the preparation
    std::unique_ptr<MachineHolder> m_holder;
    QThreadPool m_logWriter;            // has written before the locks go
    std::shared_ptr<EventLog> m_events; // also of the thread that writes its end
    TakeScreen m_takeScreen;
    std::unique_ptr<ControlRequests> m_requests;
    std::unique_ptr<AgentRequests> m_agent;
    std::unique_ptr<ScreenRequests> m_screens; // null without a window
    std::unique_ptr<ShareRequests> m_shares;
    std::optional<PreparedRun> m_prepared;
    std::unique_ptr<SerialPort> m_serial;
    std::unique_ptr<MachineRun> m_run;
    std::unique_ptr<QObject> m_opened; // services of the running machine
    MachineState m_state = MachineState::Starting;
    bool m_hasRun = false; // the guest has run
    bool m_goesOn = false; // from a saved state
    bool m_forcedOff = false;
    bool m_over = false;
    int m_interrupts = 0;
    QString m_viewer; // vnc://…, told
    int m_exitCode = 0;
    std::optional<Error> m_error;
};

} // namespace vitrine::vz
