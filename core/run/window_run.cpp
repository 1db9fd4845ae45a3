// SPDX-License-Identifier: Apache-2.0
#include "core/run/window_run.h"

#include "core/channel/local_socket.h"
#include "core/hypervisor/control_message.h"
#include "core/posix/descriptors.h"
#include "core/posix/processes.h"

#include <QLocalSocket>
#include <QSocketNotifier>

#include <cerrno>
#include <utility>

namespace vitrine {

namespace {

constexpr qsizetype mostCallers = 8;

QString wordOf(MachineHost::Wish wish) {
    switch (wish) {
    case MachineHost::Wish::Interrupt:
        return QStringLiteral("interrupt");
    case MachineHost::Wish::Suspend:
        return QStringLiteral("suspend");
    case MachineHost::Wish::ShutDown:
        return QStringLiteral("shut-down");
    }
    return {};
}

Error errorOf(const QJsonObject& line) {
    return {control::kindOf(line.value(QLatin1String("kind")).toString()),
            line.value(QLatin1String("message")).toString(),
            line.value(QLatin1String("detail")).toString()};
}

} // namespace

Result<std::unique_ptr<WindowRun>> WindowRun::make(const Hypervisor::RunRequest& request,
                                                   Patience patience) {
    auto file = RunRequestFile::write(request);
    if (!file)
        return fail(file.error());
    std::unique_ptr<WindowRun> run(new WindowRun(request.name, *std::move(file), patience));
    if (auto listening = run->listen(); !listening)
        return fail(listening.error());
    return run;
}

WindowRun::WindowRun(QString name, RunRequestFile file, Patience patience)
    : m_name(std::move(name))
    , m_patience(patience)
    , m_file(std::move(file)) {
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, &WindowRun::giveUp);
    m_hearing.setSingleShot(true);
    connect(&m_hearing, &QTimer::timeout, this, [this] {
        m_deaf = true;
        Q_EMIT deaf();
    });
}

WindowRun::~WindowRun() = default;

Result<> WindowRun::listen() {
    auto address = SocketAddress::of(m_file.socketPath());
    if (!address)
        return fail(address.error());
    m_address = std::move(*address);
    const auto server = listenOnLocalSocket(m_address->text());
    if (!server)
        return fail(server.error());
    m_server = FileDescriptor(*server);
    m_accepts = std::make_unique<QSocketNotifier>(*server, QSocketNotifier::Read);
    connect(m_accepts.get(), &QSocketNotifier::activated, this, &WindowRun::accept);
    waitAtMost(m_patience.untilTaken, tr("The window did not answer."));
    return {};
}

void WindowRun::watch(pid_t window) {
    const auto gone = [this] {
        m_windowEnds.reset();
        // It may have handed the request to a window that is open and takes it any moment.
        if (m_channel == nullptr && !m_over)
            waitAtMost(m_patience.afterHandOver, tr("The window's program has ended."));
    };
    m_window = FileDescriptor(posix::watchProcess(window));
    if (!m_window.isValid()) {
        QTimer::singleShot(0, this, gone);
        return;
    }
    m_windowEnds = std::make_unique<QSocketNotifier>(m_window.get(), QSocketNotifier::Read);
    connect(m_windowEnds.get(), &QSocketNotifier::activated, this, [this, gone] {
        m_windowEnds->setEnabled(false);
        QTimer::singleShot(0, this, gone);
    });
}

// The earlier end of two limits counts.
void WindowRun::waitAtMost(int milliseconds, const QString& otherwise) {
    if (m_limit.isActive() && m_limit.remainingTime() <= milliseconds)
        return;
    m_otherwise = otherwise;
    m_limit.start(milliseconds);
}

void WindowRun::giveUp() {
    (void)m_file.takeBack();
    finish(Outcome::NotTaken,
           Error{Error::Kind::Timeout,
                 tr("\"%1\" was not started, because no window took it. %2 Run it with "
                    "--no-graphics, or open Vitrine and start it there.")
                     .arg(m_name, m_otherwise),
                 {}});
}

void WindowRun::accept() {
    FileDescriptor peer(posix::acceptLocal(m_server.get()));
    if (!peer.isValid() || !checkPeerIsThisUser(peer.get()) || m_callers.size() >= mostCallers)
        return;
    auto socket = std::make_unique<QLocalSocket>();
    if (!socket->setSocketDescriptor(peer.get()))
        return;
    (void)peer.release();
    auto* const channel = new JsonChannel(std::move(socket), {}, this);
    m_callers.append(channel);
    connect(channel, &JsonChannel::received, this, [this, channel](const QJsonObject& line) {
        heard(channel, line);
    });
    connect(channel, &JsonChannel::closed, this, [this, channel] { drop(channel); });
}

void WindowRun::drop(JsonChannel* channel) {
    channel->deleteLater();
    m_callers.removeOne(channel);
    if (channel != m_channel)
        return;
    finish(Outcome::Lost,
           Error{Error::Kind::NotRunning,
                 tr("The window that ran \"%1\" has ended.").arg(m_name),
                 {}});
}

void WindowRun::heard(JsonChannel* channel, const QJsonObject& line) {
    if (m_over)
        return;
    if (channel == m_channel) {
        follow(line);
        return;
    }
    const QString event = line.value(QLatin1String("event")).toString();
    if (m_channel != nullptr)
        return; // it came too late
    if (event == QLatin1String("missing")) {
        waitAtMost(m_patience.afterMissing, tr("What was handed over has vanished."));
    } else if (event == QLatin1String("refused")) {
        finish(Outcome::Refused, errorOf(line));
    } else if (event == QLatin1String("taken") && m_cancelled) {
        finish(Outcome::NotTaken, Error::cancelled());
    } else if (event == QLatin1String("taken")) {
        m_channel = channel;
        m_limit.stop();
        m_accepts.reset();
        m_windowEnds.reset();
        m_file.remove();
        channel->send({{QStringLiteral("do"), QStringLiteral("start")}});
    }
}

void WindowRun::follow(const QJsonObject& line) {
    const auto text = [&line](const char* key) {
        return line.value(QLatin1String(key)).toString();
    };
    const QString event = text("event");
    if (event == QLatin1String("started")) {
        Q_EMIT started();
    } else if (event == QLatin1String("told")) {
        Q_EMIT told(text("kind"), text("text"));
    } else if (event == QLatin1String("viewer")) {
        Q_EMIT viewerOpened(text("path"));
    } else if (event == QLatin1String("declined")) {
        Q_EMIT declined(errorOf(line));
    } else if (event == QLatin1String("heard")) {
        m_hearing.stop();
        m_deaf = false;
    } else if (event == QLatin1String("refused")) {
        finish(Outcome::Refused, errorOf(line));
    } else if (event == QLatin1String("ended")) {
        finish(Outcome::Ended,
               line.contains(QLatin1String("message")) ? std::optional(errorOf(line))
                                                       : std::nullopt);
    }
}

void WindowRun::wish(MachineHost::Wish wish) {
    if (m_over)
        return;
    if (m_channel != nullptr) {
        m_channel->send({{QStringLiteral("do"), wordOf(wish)}});
        if (!m_hearing.isActive() && !m_deaf)
            m_hearing.start(m_patience.untilHeard);
    } else if (wish != MachineHost::Wish::Suspend) {
        if (m_file.takeBack()) {
            finish(Outcome::NotTaken, Error::cancelled());
            return;
        }
        m_cancelled = true;
        waitAtMost(m_patience.afterMissing, tr("What was handed over has vanished."));
    }
}

void WindowRun::finish(Outcome outcome, std::optional<Error> error) {
    if (std::exchange(m_over, true))
        return;
    m_limit.stop();
    m_hearing.stop();
    m_accepts.reset();
    m_windowEnds.reset();
    m_file.remove();
    for (JsonChannel* const caller : std::exchange(m_callers, {}))
        caller->close();
    Q_EMIT finished(outcome, error);
}

} // namespace vitrine
