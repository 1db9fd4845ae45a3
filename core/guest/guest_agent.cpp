// SPDX-License-Identifier: Apache-2.0
#include "core/guest/guest_agent.h"

#include "core/channel/line_buffer.h"
#include "core/guest/guest_agent_reply.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QLocalSocket>
#include <QPointer>
#include <QRandomGenerator>
#include <QTimer>

#include <deque>
#include <optional>
#include <utility>

namespace vitrine {

namespace {

constexpr qsizetype maximumLine = 64 << 20; // bytes, contract 5
constexpr size_t maximumQueue = 256;
constexpr int connectRetry = 100; // ms
// A very busy guest, or an emulated one that writes 16 MiB of output, may take minutes. One long
// wait and not several short ones: the agent tells the end of a process only once.
constexpr int usualSilence = 5 * 60 * 1000; // ms
constexpr char syncMark = '\xff'; // the agent puts it before its answer to guest-sync-delimited

Error noAnswer() {
    return {Error::Kind::Timeout,
            GuestAgent::tr("The guest agent does not answer. Either the guest is still starting or "
                           "very busy: wait and try again. Or it has no agent: install and start "
                           "qemu-guest-agent in it."),
            {}};
}

Error silent(int milliseconds) {
    const QString time = milliseconds < 60000
                             ? GuestAgent::tr("%1 s").arg(milliseconds / 1000.0)
                             : GuestAgent::tr("%1 minutes").arg(milliseconds / 60000);
    return {Error::Kind::Timeout,
            GuestAgent::tr("The guest agent has said nothing for %1 while a command ran. The guest "
                           "or its agent has crashed or hangs: look at the guest's screen, and "
                           "restart it if it does not react.")
                .arg(time),
            {}};
}

QByteArray commandLine(const QString& command, const QJsonObject& arguments) {
    QJsonObject message{{QStringLiteral("execute"), command}};
    if (!arguments.isEmpty()) {
        message.insert(QStringLiteral("arguments"), arguments);
    }
    return QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n';
}

} // namespace

class GuestAgent::Private {
public:
    struct Command {
        QString name;
        QJsonObject arguments;
        QDeadlineTimer deadline;
        Reply reply;
        int silence = 0;     // ms in which something has to come from the guest; 0: any time
        QElapsedTimer quiet; // since it was asked, the guest said something or was resumed
    };
    enum class Phase { Disconnected, Connecting, Syncing, Ready, Waiting };

    Private(GuestAgent* agent, QString path)
        : q(agent)
        , socketPath(std::move(path)) {
        limit.setSingleShot(true);
        QObject::connect(&limit, &QTimer::timeout, q, [this] { expire(); });
        retry.setSingleShot(true);
        QObject::connect(&retry, &QTimer::timeout, q, [this] { advance(); });
    }

    void advance();
    void armLimit();
    void expire();
    void enqueue(Command command);
    [[nodiscard]] bool isSilent(const Command& command) const;
    [[nodiscard]] qint64 remaining(const Command& command) const; // ms
    void restartQuiet();
    void connectNow();
    void sync();
    void readAll();
    void handleLine(const QByteArray& line);
    void disconnectNow();
    void failFirst(const Error& error);
    void pollProcess(qint64 pid,
                     QDeadlineTimer deadline,
                     int pause,
                     std::function<void(Result<ExecResult>)> reply);

    GuestAgent* q;
    QString socketPath;
    std::deque<Command> queue; // the first one is under way in Waiting
    Phase phase = Phase::Disconnected;
    std::unique_ptr<QLocalSocket> socket;
    LineBuffer lines{maximumLine};
    qint64 syncId = 0;
    QTimer limit;
    QTimer retry;
    std::optional<bool> opened;
    bool paused = false;
    int silenceLimit = usualSilence;
};

bool GuestAgent::Private::isSilent(const Command& command) const {
    return !paused && command.silence > 0 && command.quiet.hasExpired(command.silence);
}

qint64 GuestAgent::Private::remaining(const Command& command) const {
    const qint64 left = command.deadline.remainingTime();
    if (paused || command.silence == 0) {
        return left;
    }
    // One more: "expired" is later than the limit, not at it.
    return qMin(left, command.silence - command.quiet.elapsed() + 1);
}

void GuestAgent::Private::restartQuiet() {
    for (Command& command : queue) {
        command.quiet.start();
    }
}

// Takes the next step towards sending the first command of the queue.
void GuestAgent::Private::advance() {
    armLimit();
    if (queue.empty()) {
        return;
    }
    switch (phase) {
    case Phase::Disconnected:
        connectNow();
        break;
    case Phase::Ready:
        phase = Phase::Waiting;
        socket->write(commandLine(queue.front().name, queue.front().arguments));
        socket->flush();
        break;
    case Phase::Connecting:
    case Phase::Syncing:
    case Phase::Waiting:
        break;
    }
}

void GuestAgent::Private::armLimit() {
    if (queue.empty()) {
        limit.stop();
        return;
    }
    qint64 nearest = remaining(queue.front());
    for (const Command& command : queue) {
        nearest = qMin(nearest, remaining(command));
    }
    limit.start(static_cast<int>(qMax<qint64>(0, nearest)));
}

void GuestAgent::Private::expire() {
    std::deque<Command> expired;
    std::deque<Command> kept;
    bool firstExpired = false;
    for (size_t i = 0; i < queue.size(); ++i) {
        if (queue.at(i).deadline.hasExpired() || isSilent(queue.at(i))) {
            firstExpired = firstExpired || i == 0;
            expired.push_back(std::move(queue.at(i)));
        } else {
            kept.push_back(std::move(queue.at(i)));
        }
    }
    queue = std::move(kept);
    if (firstExpired) {
        disconnectNow(); // its late answer must not be taken for another command's
    }
    const QPointer<GuestAgent> alive(q);
    for (const Command& command : expired) {
        command.reply(fail(command.deadline.hasExpired() ? noAnswer() : silent(command.silence)));
        if (!alive) {
            return;
        }
    }
    advance();
}

void GuestAgent::Private::connectNow() {
    phase = Phase::Connecting;
    lines = LineBuffer(maximumLine);
    socket = std::make_unique<QLocalSocket>();
    socket->setReadBufferSize(1 << 20);
    QObject::connect(
        socket.get(), &QLocalSocket::connected, q, [this] { sync(); }, Qt::QueuedConnection);
    QObject::connect(socket.get(), &QLocalSocket::readyRead, q, [this] { readAll(); });
    // Also when QEMU is gone: the owner of this object knows that better. Until the limit of the
    // command is over it may come back.
    QObject::connect(
        socket.get(),
        &QLocalSocket::errorOccurred,
        q,
        [this] {
            const bool underWay = phase == Phase::Waiting;
            disconnectNow();
            if (underWay) {
                failFirst({Error::Kind::NotRunning,
                           tr("The connection to the guest agent was closed before it answered."),
                           {}});
            }
            retry.start(connectRetry);
        },
        Qt::QueuedConnection);
    socket->connectToServer(socketPath);
}

void GuestAgent::Private::sync() {
    if (phase != Phase::Connecting || !socket || socket->state() != QLocalSocket::ConnectedState) {
        return;
    }
    phase = Phase::Syncing;
    syncId = QRandomGenerator::global()->bounded(1, 0x7fffffff);
    // The mark makes the agent forget half a command that an earlier connection left behind.
    socket->write(QByteArray(1, syncMark) + commandLine(QStringLiteral("guest-sync-delimited"),
                                                        {{QStringLiteral("id"), syncId}}));
    socket->flush();
}

void GuestAgent::Private::readAll() {
    const QPointer<GuestAgent> alive(q);
    while (socket && socket->bytesAvailable() > 0) {
        restartQuiet();
        const bool fits = lines.append(socket->read(1 << 20));
        while (socket) {
            const std::optional<QByteArray> line = lines.takeLine();
            if (!line) {
                break;
            }
            handleLine(*line);
            if (!alive) {
                return;
            }
        }
        if (!fits && socket) {
            disconnectNow();
            failFirst({Error::Kind::Integrity,
                       tr("The guest agent sent an answer of more than %1 MiB. It was not used.")
                           .arg(maximumLine >> 20),
                       {}});
            if (alive) {
                advance();
            }
            return;
        }
    }
}

void GuestAgent::Private::handleLine(const QByteArray& line) {
    const qsizetype mark = line.lastIndexOf(syncMark);
    const QJsonDocument document = QJsonDocument::fromJson(mark < 0 ? line : line.mid(mark + 1));
    if (phase == Phase::Syncing) {
        if (mark >= 0 && document.object().value(QLatin1String("return")).toInteger(-1) == syncId) {
            phase = Phase::Ready;
            advance();
        }
        return; // anything else was meant for an earlier connection
    }
    if (phase != Phase::Waiting || queue.empty()) {
        return;
    }
    const Command command = std::move(queue.front());
    queue.pop_front();
    phase = Phase::Ready;
    const QPointer<GuestAgent> alive(q);
    command.reply(agentResult(document, command.name));
    if (alive) {
        advance();
    }
}

void GuestAgent::Private::disconnectNow() {
    if (socket) {
        socket->disconnect(q);
        socket->abort();
        socket.release()->deleteLater();
    }
    phase = Phase::Disconnected;
}

void GuestAgent::Private::failFirst(const Error& error) {
    if (queue.empty()) {
        return;
    }
    const Command command = std::move(queue.front());
    queue.pop_front();
    command.reply(fail(error));
}

void GuestAgent::Private::pollProcess(qint64 pid,
                                      QDeadlineTimer deadline,
                                      int pause,
                                      std::function<void(Result<ExecResult>)> reply) {
    const int left = static_cast<int>(qMin<qint64>(deadline.remainingTime(), 0x7fffffff));
    if (left <= 0) {
        reply(
            fail(Error::Kind::Timeout,
                 tr("The command in the guest has not ended in time. It goes on running there.")));
        return;
    }
    enqueue({QStringLiteral("guest-exec-status"),
             {{QStringLiteral("pid"), pid}},
             QDeadlineTimer(left),
             [this, pid, deadline, pause, reply = std::move(reply)](
                 const Result<QJsonValue>& answer) mutable {
                 if (!answer) {
                     reply(fail(answer.error()));
                     return;
                 }
                 Result<std::optional<ExecResult>> result = agentExecResult(*answer);
                 if (!result) {
                     reply(fail(result.error()));
                     return;
                 }
                 if (result->has_value()) {
                     reply(std::move(**result));
                     return;
                 }
                 QTimer::singleShot(qMin<qint64>(pause, qMax<qint64>(1, deadline.remainingTime())),
                                    q,
                                    [this, pid, deadline, pause, reply = std::move(reply)] {
                                        pollProcess(pid, deadline, qMin(500, pause * 2), reply);
                                    });
             },
             silenceLimit,
             {}});
}

GuestAgent::GuestAgent(QString socketPath, QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(this, std::move(socketPath))) {}

GuestAgent::~GuestAgent() {
    if (m_d->socket) {
        m_d->socket->disconnect(this);
    }
}

void GuestAgent::execute(const QString& command,
                         const QJsonObject& arguments,
                         int timeoutMilliseconds,
                         Reply reply) {
    m_d->enqueue(
        {command, arguments, QDeadlineTimer(timeoutMilliseconds), std::move(reply), 0, {}});
}

void GuestAgent::Private::enqueue(Command command) {
    std::optional<Error> refused;
    if (opened == false) {
        refused = noAnswer();
    } else if (queue.size() >= maximumQueue) {
        refused = Error{Error::Kind::Busy,
                        tr("Too many commands wait for the guest agent. Try again in a moment."),
                        {}};
    }
    if (refused) {
        QMetaObject::invokeMethod(
            q,
            [reply = std::move(command.reply), error = *refused] { reply(fail(error)); },
            Qt::QueuedConnection);
        return;
    }
    command.quiet.start();
    queue.push_back(std::move(command));
    advance();
}

void GuestAgent::run(const QString& path,
                     const QStringList& arguments,
                     const QByteArray& input,
                     int timeoutMilliseconds,
                     std::function<void(Result<ExecResult>)> reply) {
    const QDeadlineTimer deadline(timeoutMilliseconds);
    m_d->enqueue(
        {QStringLiteral("guest-exec"),
         agentExecArguments(path, arguments, input),
         deadline,
         [this, deadline, reply = std::move(reply)](const Result<QJsonValue>& answer) {
             if (!answer) {
                 reply(fail(answer.error()));
                 return;
             }
             const qint64 pid = answer->toObject().value(QLatin1String("pid")).toInteger(-1);
             if (pid < 0) {
                 reply(fail(Error::Kind::Integrity,
                            tr("The guest agent gave no process number for the command.")));
                 return;
             }
             m_d->pollProcess(pid, deadline, 20, reply);
         },
         m_d->silenceLimit,
         {}});
}

void GuestAgent::interfaces(int timeoutMilliseconds,
                            std::function<void(Result<QList<Interface>>)> reply) {
    execute(QStringLiteral("guest-network-get-interfaces"),
            {},
            timeoutMilliseconds,
            [reply = std::move(reply)](const Result<QJsonValue>& answer) {
                if (!answer) {
                    reply(fail(answer.error()));
                    return;
                }
                reply(agentInterfaces(*answer));
            });
}

void GuestAgent::setGuestOpened(bool open) {
    if (m_d->opened == open) {
        return;
    }
    m_d->opened = open;
    if (!open) {
        m_d->disconnectNow();
        std::deque<Private::Command> unanswered = std::exchange(m_d->queue, {});
        m_d->armLimit();
        const QPointer<GuestAgent> alive(this);
        for (const Private::Command& command : unanswered) {
            command.reply(fail(noAnswer()));
            if (!alive) {
                return;
            }
        }
    }
    Q_EMIT guestOpenedChanged();
}

void GuestAgent::setPaused(bool paused) {
    if (m_d->paused == paused) {
        return;
    }
    m_d->paused = paused;
    m_d->restartQuiet();
    m_d->armLimit();
}

void GuestAgent::setSilenceLimit(int milliseconds) {
    m_d->silenceLimit = milliseconds;
}

bool GuestAgent::guestOpened() const {
    return m_d->opened.value_or(false);
}

} // namespace vitrine
