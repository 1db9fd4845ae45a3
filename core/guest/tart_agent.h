// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/tart_agent_message.h"
#include "core/result/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace vitrine {

class GrpcCall;

// One question to Tart's guest agent (specification 6.1 and 6.3) over a connection to port 8080 of
// the guest: a vsock connection or one to `control.sock`. Each question needs a connection and an
// object of its own. Text and bytes from the guest are untrusted. Lives on one thread; nothing
// blocks; what it keeps is bounded in both directions. Every reply comes exactly once, from the
// event loop, unless this is destroyed first, which cancels; it may be destroyed in any of them.
//
// Errors: Timeout when no agent answers, which then has not got the question; Unsupported when it
// does not know it; Network when it goes away half-way; otherwise what it said.
class TartAgent final : public QObject {
    Q_OBJECT
public:
    static constexpr quint32 port = 8080;
    static constexpr int openingTime = 10000;            // ms until it has taken the question
    static constexpr qsizetype longestInput = 64 * 1024; // bytes of one writeInput()

    // Takes the descriptor of a connected stream socket.
    explicit TartAgent(int descriptor, QObject* parent = nullptr);
    ~TartAgent() override;

    // The first address that other computers can use; empty when the guest has none yet.
    void resolveIp(int timeoutMilliseconds, std::function<void(const Result<QString>&)> reply);

    struct ExecListener {
        std::function<void(const QByteArray&)> output;
        std::function<void(const QByteArray&)> errors;
        std::function<void()> inputWanted; // isInputWanted() became true again
        // Exit code 0 … 255; 255 also for a process that a signal ended. An agent that goes away
        // without telling the exit code is an error.
        std::function<void(const Result<int>&)> finished;
    };
    void exec(const TartAgentCommand& command, ExecListener listener);

    // All of exec(). Write at most as much as is wanted: nothing is refused, everything is kept.
    // None is wanted before the agent has taken the command: without one it is still there for
    // another way.
    [[nodiscard]] bool isInputWanted() const;
    void writeInput(QByteArrayView bytes);
    void closeInput(); // in a terminal of the guest it is the byte 0x04
    void resize(const GuestTerminalSize& size);
    // Nothing is delivered meanwhile, and the command in the guest has to wait when it writes more.
    void setPaused(bool paused);
    void cancel(); // the agent ends the command; finished() follows with Cancelled

private:
    void take(const QByteArray& message);
    void end(const Result<int>& result);

    int m_descriptor;
    std::unique_ptr<GrpcCall> m_call;
    bool m_taken = false; // the command
    ExecListener m_listener;
};

} // namespace vitrine
