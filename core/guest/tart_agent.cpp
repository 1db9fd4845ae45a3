// SPDX-License-Identifier: Apache-2.0
#include "core/guest/tart_agent.h"

#include "core/guest/grpc_call.h"
#include "core/guest/grpc_status.h"

#include <QHostAddress>
#include <QTimer>

#include <unistd.h>
#include <utility>

namespace vitrine {

namespace {

constexpr quint32 exitCodeBits = 0xff; // what a process of this computer can end with

Result<QString> addressOf(const QByteArray& message) {
    auto text = decodeAddress(message);
    if (text && !text->isEmpty() && QHostAddress(*text).isNull())
        return fail(Error::Kind::Integrity,
                    TartAgent::tr("The guest agent told an address that is none."));
    return text;
}

} // namespace

TartAgent::TartAgent(int descriptor, QObject* parent)
    : QObject(parent)
    , m_descriptor(descriptor) {}

TartAgent::~TartAgent() {
    m_call.reset();
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

void TartAgent::resolveIp(int timeoutMilliseconds,
                          std::function<void(const Result<QString>&)> reply) {
    struct State {
        std::function<void(const Result<QString>&)> reply;
        Result<QString> address = QString();
    };
    const auto state = std::make_shared<State>();
    state->reply = std::move(reply);
    const auto answer = [state](const Result<QString>& result) {
        if (const auto once = std::exchange(state->reply, {}))
            once(result);
    };
    GrpcCall::Listener listener;
    listener.message = [state](const QByteArray& message) { state->address = addressOf(message); };
    listener.finished = [state, answer](const Result<>& end) {
        answer(end ? state->address : Result<QString>(fail(end.error())));
    };
    m_call = std::make_unique<GrpcCall>(std::exchange(m_descriptor, -1),
                                        QByteArrayLiteral("/Agent/ResolveIP"),
                                        std::move(listener),
                                        timeoutMilliseconds);
    m_call->send({});
    m_call->finishSending();
    QTimer::singleShot(timeoutMilliseconds, this, [answer, timeoutMilliseconds] {
        answer(fail(GrpcStatus::silent((timeoutMilliseconds + 999) / 1000)));
    });
}

void TartAgent::exec(const TartAgentCommand& command, ExecListener listener) {
    m_listener = std::move(listener);
    GrpcCall::Listener events;
    events.message = [this](const QByteArray& message) { take(message); };
    events.drained = [this] {
        m_taken = true;
        if (const auto wanted = m_listener.inputWanted)
            wanted();
    };
    events.finished = [this](const Result<>& result) {
        end(result ? Result<int>(fail(GrpcStatus::brokenOff())) : fail(result.error()));
    };
    m_call = std::make_unique<GrpcCall>(std::exchange(m_descriptor, -1),
                                        QByteArrayLiteral("/Agent/Exec"),
                                        std::move(events),
                                        openingTime);
    m_call->send(encodeCommand(command));
}

void TartAgent::take(const QByteArray& message) {
    const auto event = decodeExecEvent(message);
    if (!event) {
        end(fail(event.error()));
        return;
    }
    switch (event->kind) {
    case TartAgentEvent::Kind::Nothing:
        break;
    case TartAgentEvent::Kind::Output:
    case TartAgentEvent::Kind::Errors: {
        // A copy: it may destroy this.
        const auto receive =
            event->kind == TartAgentEvent::Kind::Output ? m_listener.output : m_listener.errors;
        if (receive && !event->bytes.isEmpty())
            receive(event->bytes);
        break;
    }
    case TartAgentEvent::Kind::Exit:
        end(static_cast<int>(static_cast<quint32>(event->exitCode) & exitCodeBits));
        break;
    }
}

void TartAgent::end(const Result<int>& result) {
    const auto finished = std::exchange(m_listener.finished, {});
    m_listener = {};
    if (finished)
        finished(result);
}

bool TartAgent::isInputWanted() const {
    return m_taken && m_call->unsent() < GrpcCall::lowWater;
}

void TartAgent::writeInput(QByteArrayView bytes) {
    while (m_call && !bytes.isEmpty()) {
        const qsizetype size = qMin(bytes.size(), longestInput);
        m_call->send(encodeInput(bytes.first(size)));
        bytes = bytes.sliced(size);
    }
}

void TartAgent::closeInput() {
    if (m_call)
        m_call->send(encodeInput({}));
}

void TartAgent::resize(const GuestTerminalSize& size) {
    if (m_call)
        m_call->send(encodeResize(size));
}

void TartAgent::setPaused(bool paused) {
    if (m_call)
        m_call->setPaused(paused);
}

void TartAgent::cancel() {
    if (m_call)
        m_call->cancel();
}

} // namespace vitrine
