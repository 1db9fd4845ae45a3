// SPDX-License-Identifier: Apache-2.0
#include "vz/host/guest_commands.h"

#include "core/guest/grpc_status.h"
#include "core/guest/tart_agent.h"

#include <QPointer>
#include <QTimer>

#include <memory>
#include <unistd.h>
#include <utility>

namespace vitrine::vz {

namespace {

void keep(QByteArray& output, const QByteArray& bytes, bool& truncated) {
    const qsizetype room = GuestCommands::longestOutput - output.size();
    output += bytes.left(room);
    truncated = truncated || bytes.size() > room;
}

// The agent tells in words only that there is no such program.
Error told(const Error& error, const QString& program) {
    const bool isMissing =
        error.kind == Error::Kind::Internal &&
        (error.message.contains(QLatin1String("executable file not found")) ||
         error.message.contains(QLatin1String("no such file or directory"), Qt::CaseInsensitive));
    if (!isMissing)
        return error;
    return {Error::Kind::NotFound,
            GuestCommands::tr("The program \"%1\" does not exist in the guest, or not where its "
                              "agent looks for programs.")
                .arg(program.left(256)),
            error.message};
}

} // namespace

class GuestCommands::Call final : public QObject {
public:
    Call(GuestCommands* owner, TartAgentCommand command, QByteArray input, Reply reply)
        : QObject(owner)
        , m_owner(owner)
        , m_command(std::move(command))
        , m_input(std::move(input))
        , m_reply(std::move(reply)) {
        m_command.interactive = !m_input.isEmpty();
    }

    void begin(int timeout) {
        QTimer::singleShot(timeout, this, [this] {
            finish(fail(Error::Kind::Timeout,
                        m_taken ? GuestCommands::tr(
                                      "The command in the guest has not ended in time, so it was "
                                      "ended there.")
                                : GrpcStatus::nobody().message));
        });
        QMetaObject::invokeMethod(
            this, [this] { connectToAgent(); }, Qt::QueuedConnection);
    }
    void finish(const Result<GuestAgent::ExecResult>& result) {
        const Reply reply = std::exchange(m_reply, {});
        if (!reply)
            return;
        m_owner->m_calls.removeOne(this);
        m_agent.reset(); // which ends the command
        deleteLater();
        reply(result);
    }

private:
    void connectToAgent() {
        m_owner->m_machine->connectVsock(TartAgent::port,
                                         [self = QPointer(this)](const Result<int>& connection) {
                                             if (!self || !self->m_reply) {
                                                 if (connection)
                                                     ::close(*connection);
                                             } else if (connection) {
                                                 self->exec(*connection);
                                             } else {
                                                 Error nobody = GrpcStatus::nobody();
                                                 nobody.detail = connection.error().message;
                                                 self->finish(fail(nobody));
                                             }
                                         });
    }
    void exec(int connection) {
        m_agent = std::make_unique<TartAgent>(connection);
        TartAgent::ExecListener listener;
        listener.output = [this](const QByteArray& bytes) {
            keep(m_result.standardOutput, bytes, m_result.truncated);
        };
        listener.errors = [this](const QByteArray& bytes) {
            keep(m_result.standardError, bytes, m_result.truncated);
        };
        listener.inputWanted = [this] {
            m_taken = true;
            feed();
        };
        listener.finished = [this](const Result<int>& end) {
            if (!end) {
                finish(fail(told(end.error(), m_command.name)));
                return;
            }
            m_result.exitCode = *end;
            finish(m_result);
        };
        m_agent->exec(m_command, std::move(listener));
    }
    void feed() {
        if (m_input.isEmpty())
            return;
        while (m_sent < m_input.size() && m_agent->isInputWanted()) {
            const QByteArrayView next = QByteArrayView(m_input).sliced(m_sent).first(
                qMin(TartAgent::longestInput, m_input.size() - m_sent));
            m_agent->writeInput(next);
            m_sent += next.size();
        }
        if (m_sent == m_input.size() && !std::exchange(m_inputEnded, true))
            m_agent->closeInput();
    }

    GuestCommands* m_owner;
    TartAgentCommand m_command;
    const QByteArray m_input;
    qsizetype m_sent = 0;
    bool m_inputEnded = false;
    bool m_taken = false; // by the agent
    Reply m_reply;        // until it is answered
    GuestAgent::ExecResult m_result;
    std::unique_ptr<TartAgent> m_agent;
};

GuestCommands::GuestCommands(Machine* machine, QObject* parent)
    : QObject(parent)
    , m_machine(machine) {}

GuestCommands::~GuestCommands() {
    const QList<Call*> calls = m_calls;
    for (Call* const call : calls)
        call->finish(fail(Error::Kind::NotRunning, tr("The machine does not run any more.")));
}

void GuestCommands::run(const QString& path,
                        const QStringList& arguments,
                        const QByteArray& input,
                        int timeoutMilliseconds,
                        Reply reply) {
    if (m_calls.size() >= most) {
        QMetaObject::invokeMethod(
            this,
            [reply = std::move(reply)] {
                reply(fail(Error::Kind::Busy,
                           tr("Too many commands run in the guest already. Try again in a "
                              "moment.")));
            },
            Qt::QueuedConnection);
        return;
    }
    TartAgentCommand command;
    command.name = path;
    command.arguments = arguments;
    auto* const call = new Call(this, std::move(command), input, std::move(reply));
    m_calls << call;
    call->begin(timeoutMilliseconds);
}

} // namespace vitrine::vz
