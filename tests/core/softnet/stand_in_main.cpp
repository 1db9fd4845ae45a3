// SPDX-License-Identifier: Apache-2.0
// Stands in for Softnet: sends every frame back, keeps rules, and does on the control channel what
// a test asks for. "parent PROGRAM" instead supervises PROGRAM, prints its process id and stays.
#include "core/softnet/softnet_supervisor.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

#include <array>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

int control = -1;
vitrine::SoftnetPolicy policy;
QStringList words;
QStringList exposed;
bool learning = false;

void send(const QJsonObject& message) {
    const QByteArray line = QJsonDocument(message).toJson(QJsonDocument::Compact) + '\n';
    ::send(control, line.constData(), static_cast<size_t>(line.size()), MSG_NOSIGNAL);
}

void handle(const QJsonObject& request) {
    const QString method = request.value(QLatin1String("method")).toString();
    const QJsonObject given = request.value(QLatin1String("params")).toObject();
    QJsonObject answer{{QStringLiteral("jsonrpc"), QStringLiteral("2.0")},
                       {QStringLiteral("id"), request.value(QLatin1String("id"))}};
    QJsonObject result = policy.toJson();
    if (method == QLatin1String("softnet.policy.set")) {
        const auto wanted = vitrine::SoftnetPolicy::fromJson(given);
        if (wanted.allow.contains(QStringLiteral("bad"))) {
            answer.insert(QStringLiteral("error"),
                          QJsonObject{{QStringLiteral("code"), -32602},
                                      {QStringLiteral("message"), QStringLiteral("bad target")}});
            send(answer);
            return;
        }
        policy = wanted;
        result = policy.toJson();
    } else if (method == QLatin1String("test.arguments")) {
        result = {{QStringLiteral("words"), QJsonArray::fromStringList(words)}};
    } else if (method == QLatin1String("test.environment")) {
        result = {{QStringLiteral("token"), qEnvironmentVariable("TART_REGISTRY_PASSWORD")}};
    } else if (method == QLatin1String("test.exit")) {
        std::fprintf(stderr, "first line\n%s\n", "no more addresses");
        std::_Exit(given.value(QLatin1String("code")).toInt());
    } else if (method == QLatin1String("test.silent")) {
        return;
    } else if (method == QLatin1String("test.hang")) {
        for (;;) {
            ::pause();
        }
    } else if (method == QLatin1String("test.notify")) {
        send({{QStringLiteral("jsonrpc"), QStringLiteral("2.0")},
              {QStringLiteral("method"), QStringLiteral("vitrine.event")},
              {QStringLiteral("params"), QJsonObject{{QStringLiteral("kind"), 1}}}});
    } else if (method == QLatin1String("test.flood")) {
        const QByteArray much(2 << 20, 'x');
        ::send(control, much.constData(), static_cast<size_t>(much.size()), MSG_NOSIGNAL);
    } else if (method == QLatin1String("vitrine.expose.add")) {
        const QString spec = given.value(QLatin1String("spec")).toString();
        // A file named after the port in the folder of the test: another program uses it.
        const QString taken = qEnvironmentVariable("VITRINE_STAND_IN_TAKEN") + QLatin1Char('/') +
                              spec.section(QLatin1Char(':'), -2, -2);
        const int code = spec.contains(QLatin1String("8080")) || QFile::exists(taken) ? -32003
                         : spec.startsWith(QLatin1String("80:"))                      ? -32005
                                                                                      : 0;
        if (code != 0) {
            answer.insert(QStringLiteral("error"),
                          QJsonObject{{QStringLiteral("code"), code},
                                      {QStringLiteral("message"), QStringLiteral("in use")}});
            send(answer);
            return;
        }
        exposed.append(spec);
        result = {};
    } else if (method == QLatin1String("vitrine.expose.remove")) {
        if (exposed.removeAll(given.value(QLatin1String("spec")).toString()) == 0) {
            answer.insert(QStringLiteral("error"),
                          QJsonObject{{QStringLiteral("code"), -32004},
                                      {QStringLiteral("message"), QStringLiteral("not there")}});
            send(answer);
            return;
        }
        result = {};
    } else if (method == QLatin1String("vitrine.expose.get")) {
        result = {{QStringLiteral("exposures"), QJsonArray::fromStringList(exposed)}};
    } else if (method == QLatin1String("vitrine.learn.set")) {
        learning = given.value(QLatin1String("enabled")).toBool();
        result = {{QStringLiteral("learning"), learning}};
    } else if (method == QLatin1String("test.learning")) {
        result = {{QStringLiteral("learning"), learning}};
    } else if (method == QLatin1String("vitrine.destinations.get")) {
        result = {{QStringLiteral("sequence"), 41},
                  {QStringLiteral("newest"), 57},
                  {QStringLiteral("more"), true}};
    } else if (method != QLatin1String("softnet.policy.get")) {
        answer.insert(QStringLiteral("error"), QJsonObject{{QStringLiteral("code"), -32601}});
        send(answer);
        return;
    }
    answer.insert(QStringLiteral("result"), result);
    send(answer);
}

int serve() {
    std::array<char, 65536> bytes{};
    QByteArray pending;
    for (;;) {
        std::array<pollfd, 2> waits{pollfd{0, POLLIN, 0}, pollfd{control, POLLIN, 0}};
        ::poll(waits.data(), waits.size(), -1);
        if (waits[0].revents != 0) {
            const ssize_t size = ::recv(0, bytes.data(), bytes.size(), MSG_DONTWAIT);
            if (size == 0) {
                return 0;
            }
            if (size > 0) {
                ::send(0, bytes.data(), static_cast<size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
            }
        }
        if (control >= 0 && waits[1].revents != 0) {
            const ssize_t size = ::recv(control, bytes.data(), bytes.size(), MSG_DONTWAIT);
            if (size == 0) {
                control = -1; // the rules in force stay
            }
            pending.append(bytes.data(), qMax<qsizetype>(size, 0));
            for (qsizetype end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
                handle(QJsonDocument::fromJson(pending.left(end)).object());
                pending.remove(0, end + 1);
            }
        }
    }
}

int superviseAsParent(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    std::array<int, 2> ends{};
    ::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data());
    vitrine::SoftnetSupervisor::Setup setup;
    setup.program = QString::fromLocal8Bit(argv[2]);
    setup.socket = vitrine::FileDescriptor(ends[0]);
    vitrine::SoftnetSupervisor supervisor(std::move(setup));
    QObject::connect(&supervisor, &vitrine::SoftnetSupervisor::ready, &app, [&supervisor] {
        std::printf("%lld\n", static_cast<long long>(supervisor.processId()));
        std::fflush(stdout);
    });
    return supervisor.start() ? QCoreApplication::exec() : 1;
}

} // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        words.append(QString::fromLocal8Bit(argv[i]));
    }
    if (words.value(0) == QLatin1String("parent")) {
        return superviseAsParent(argc, argv);
    }
    const bool isOld = qEnvironmentVariableIsSet("VITRINE_STAND_IN_IS_OLD"); // as 0.19.0
    if (words.contains(QStringLiteral("--help"))) {
        std::puts("      --allow <ALLOW>    networks that pass");
        if (!isOld) {
            std::puts("      --control-fd FD    rules change while it runs");
        }
        return 0;
    }
    if (isOld && words.contains(QStringLiteral("--control-fd=1"))) {
        std::fputs("error: unexpected argument '--control-fd' found\n", stderr);
        return 2;
    }
    if (words.contains(QStringLiteral("--wrong"))) {
        std::fputs("unexpected argument \"--wrong\"\n", stderr);
        return 2;
    }
    // Rules that only the program itself finds wrong.
    if (words.contains(QStringLiteral("--allow=10.66.0.0/16"))) {
        std::fputs("too many addresses\n", stderr);
        return 1;
    }
    if (words.contains(QStringLiteral("--dies"))) {
        std::fputs("no network today\n", stderr);
        return 1;
    }
    if (words.contains(QStringLiteral("--stubborn"))) {
        std::signal(SIGINT, SIG_IGN);
    }
    if (words.contains(QStringLiteral("--mute"))) {
        for (;;) {
            ::pause();
        }
    }
    control = words.contains(QStringLiteral("--control-fd=1")) ? 1 : -1;
    for (const QString& word : std::as_const(words)) {
        const QStringList list = word.section(QLatin1Char('='), 1).split(QLatin1Char(','));
        if (word.startsWith(QLatin1String("--allow="))) {
            policy.allow = list;
        } else if (word.startsWith(QLatin1String("--block="))) {
            policy.block = list;
        }
    }
    return serve();
}
