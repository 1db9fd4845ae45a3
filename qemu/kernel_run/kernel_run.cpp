// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_run.h"

#include "core/value/plain_text.h"

#include <QRandomGenerator>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr qsizetype keptConsole = 64 * 1024; // bytes
constexpr qsizetype longestControl = 4096;   // bytes of one line
constexpr qsizetype shownLines = 12;         // of the console in an error
constexpr std::size_t pieceSize = 64 * 1024; // bytes read at once

// Not to be guessed by what runs in the guest.
QByteArray makeMark() {
    std::array<quint32, 8> numbers{};
    QRandomGenerator::system()->fillRange(numbers.data(), static_cast<qsizetype>(numbers.size()));
    return QByteArray(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)).toHex();
}

Result<FileDescriptor> fileInMemory(const QByteArray& bytes) {
    FileDescriptor file(::memfd_create("initramfs", MFD_CLOEXEC));
    qsizetype done = 0;
    while (file.isValid() && done < bytes.size()) {
        const ssize_t written =
            ::write(file.get(), bytes.constData() + done, static_cast<size_t>(bytes.size() - done));
        if (written < 0 && errno != EINTR) {
            break;
        }
        done += std::max<ssize_t>(written, 0);
    }
    if (done < bytes.size() || !file.isValid()) {
        return fail(Error::fromErrno(Tr::tr("The kernel's first files cannot be made."), errno));
    }
    return file;
}

} // namespace

KernelRun::KernelRun(KernelRunPlan plan, QObject* parent)
    : QObject(parent)
    , m_plan(std::move(plan))
    , m_mark(makeMark())
    , m_output(m_mark)
    , m_errors(m_mark) {
    m_timeout.setSingleShot(true);
    connect(&m_timeout, &QTimer::timeout, this, &KernelRun::timeIsUp);
}

KernelRun::~KernelRun() {
    m_over = true; // children that end now are nobody's business
}

void KernelRun::start() {
    if (m_plan.timeoutSeconds > 0) {
        m_timeout.start(m_plan.timeoutSeconds * 1000);
    }
    if (!m_plan.methods.contains(QStringLiteral("virtiofs"))) {
        QMetaObject::invokeMethod(this, &KernelRun::begin, Qt::QueuedConnection);
        return;
    }
    m_servers = std::make_unique<KernelShareServers>();
    connect(m_servers.get(), &KernelShareServers::ended, this, [this] {
        finish(fail(Error::Kind::Internal,
                    tr("The program that shares folders with the guest, virtiofsd, ended.")));
    });
    m_servers->start(m_plan, [this](const Result<>& running) {
        if (!running) {
            m_virtiofsFailed = running.error().kind == Error::Kind::Unsupported;
            finish(fail(running.error()));
            return;
        }
        begin();
    });
}

void KernelRun::cancel() {
    finish(fail(Error::cancelled()));
}

void KernelRun::begin() {
    if (m_over) {
        return;
    }
    const Result<QByteArray> archive = makeInitramfs(m_plan, m_mark);
    if (!archive) {
        finish(fail(archive.error()));
        return;
    }
    Result<FileDescriptor> file = fileInMemory(*archive);
    if (!file) {
        finish(fail(file.error()));
        return;
    }
    m_initramfs = std::move(*file);
    if (const Result<> started = openLines().and_then([this] { return startEmulator(); });
        !started) {
        finish(fail(started.error()));
    }
}

Result<> KernelRun::openLines() {
    const auto passOutput = [this](const QByteArray& bytes) {
        const QByteArray text = m_output.take(bytes);
        if (!text.isEmpty()) {
            Q_EMIT output(text);
        }
        finishIfComplete();
    };
    const auto passErrors = [this](const QByteArray& bytes) {
        const QByteArray text = m_errors.take(bytes);
        if (!text.isEmpty()) {
            Q_EMIT errors(text);
        }
        finishIfComplete();
    };
    const auto passConsole = [this](const QByteArray& bytes) { receiveConsole(bytes); };
    const auto passControl = [this](const QByteArray& bytes) { receiveControl(bytes); };
    auto result = openLine(m_consoleLine, passConsole)
                      .and_then([&] { return openLine(m_controlLine, passControl); })
                      .and_then([&] { return openLine(m_errorsLine, passErrors); });
    if (result && m_plan.interactive) {
        // The port is there too, for the guest waits for it; nothing comes through it.
        result = openLine(m_terminalLine, passOutput).and_then([&] {
            return openLine(m_outputLine, [](const QByteArray&) {});
        });
    } else if (result) {
        result = openLine(m_outputLine, passOutput);
    }
    return result;
}

Result<> KernelRun::openLine(Line& line, std::function<void(const QByteArray&)> received) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return fail(Error::fromErrno(tr("The kernel cannot be started."), errno));
    }
    line.ours = FileDescriptor(ends[0]);
    line.theirs = FileDescriptor(ends[1]);
    line.received = std::move(received);
    line.notifier = std::make_unique<QSocketNotifier>(line.ours.get(), QSocketNotifier::Read);
    connect(line.notifier.get(), &QSocketNotifier::activated, this, [this, &line] { read(line); });
    return {};
}

Result<> KernelRun::startEmulator() {
    KernelRunDescriptors descriptors;
    descriptors.initramfs = m_initramfs.get();
    descriptors.console = m_consoleLine.theirs.get();
    descriptors.control = m_controlLine.theirs.get();
    descriptors.output = m_outputLine.theirs.get();
    descriptors.errors = m_errorsLine.theirs.get();
    descriptors.terminal = m_terminalLine.theirs.get();
    if (m_servers != nullptr) {
        descriptors.shares = m_servers->descriptors();
    }
    ChildProcess::Request request;
    request.program = m_plan.emulator;
    request.arguments = commandLine(m_plan, descriptors);
    request.workingDirectory = QStringLiteral("/");
    request.logFile = QStringLiteral("/dev/null");
    request.inherited = {descriptors.initramfs,
                         descriptors.console,
                         descriptors.control,
                         descriptors.output,
                         descriptors.errors};
    if (m_plan.interactive) {
        request.inherited.append(descriptors.terminal);
    }
    request.inherited += descriptors.shares;
    m_emulator = std::make_unique<ChildProcess>();
    connect(m_emulator.get(), &ChildProcess::finished, this, &KernelRun::emulatorEnded);
    const Result<> started = m_emulator->start(request);
    for (Line* line : {&m_consoleLine, &m_controlLine, &m_outputLine, &m_errorsLine}) {
        line->theirs.reset();
    }
    m_terminalLine.theirs.reset();
    m_initramfs.reset();
    return started;
}

void KernelRun::read(Line& line) {
    std::array<char, pieceSize> piece{};
    const ssize_t size = ::recv(line.ours.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (size > 0) {
        line.received(QByteArray(piece.data(), size));
    } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
        line.notifier->setEnabled(false);
    }
}

void KernelRun::receiveControl(const QByteArray& bytes) {
    m_controlText += bytes;
    for (qsizetype end = m_controlText.indexOf('\n'); end >= 0 && !m_over;
         end = m_controlText.indexOf('\n')) {
        const QByteArray line = m_controlText.left(end);
        m_controlText.remove(0, end + 1);
        obey(line);
    }
    m_controlText.truncate(longestControl);
}

void KernelRun::receiveConsole(const QByteArray& bytes) {
    m_consoleText = (m_consoleText + bytes).right(keptConsole);
    Q_EMIT console(bytes);
    // Where the kernel has no port that it could be told on.
    constexpr const char* missing = "vitrine: missing CONFIG_";
    const qsizetype at = m_consoleText.lastIndexOf(missing);
    const qsizetype end = at < 0 ? -1 : m_consoleText.indexOf('\n', at);
    if (end >= 0) {
        obey(m_consoleText.mid(at, end - at).mid(qsizetype(sizeof("vitrine: ")) - 1).trimmed());
    }
}

void KernelRun::obey(const QByteArray& line) {
    const QList<QByteArray> words = line.split(' ');
    const QByteArray& word = words.first();
    if (word == "ready" && words.size() == 2) {
        m_mounted = true;
        Q_EMIT mounted(QString::fromLatin1(words.at(1)));
    } else if (word == "exit" && words.size() == 2) {
        m_exitCode = words.at(1).toInt();
        finishIfComplete();
    } else if (word == "missing" && !m_mounted) {
        QStringList options;
        for (const QByteArray& option : words.mid(1)) {
            options.append(plainText(QString::fromLatin1(option)));
        }
        finish(fail(Error::Kind::Unsupported,
                    tr("The kernel \"%1\" needs %2, built in or as modules, and has neither. Build "
                       "it with that, or name the folder of its modules with --modules.")
                        .arg(m_plan.kernel.path, options.join(QStringLiteral(", ")))));
    } else if (word == "failed" && !m_mounted) {
        finish(fail(Error::Kind::Internal,
                    tr("The root file system or a folder could not be mounted in the guest (%1).%2")
                        .arg(plainText(QString::fromUtf8(line.mid(7))), lastConsoleLines())));
    }
}

void KernelRun::finishIfComplete() {
    const bool complete = m_output.isComplete() && (m_plan.interactive || m_errors.isComplete());
    if (m_exitCode >= 0 && complete) {
        finish(m_exitCode);
    }
}

void KernelRun::emulatorEnded() {
    if (m_over) {
        return;
    }
    // What it wrote before is still on its way.
    for (Line* line :
         {&m_consoleLine, &m_controlLine, &m_outputLine, &m_errorsLine, &m_terminalLine}) {
        while (!m_over && line->notifier != nullptr && line->notifier->isEnabled()) {
            read(*line);
        }
    }
    if (m_over) {
        return;
    }
    if (const QByteArray rest = m_output.takeRest(); !rest.isEmpty()) {
        Q_EMIT output(rest);
    }
    if (const QByteArray rest = m_errors.takeRest(); !rest.isEmpty()) {
        Q_EMIT errors(rest);
    }
    finish(fail(guestEnded()));
}

Error KernelRun::guestEnded() const {
    const QByteArray panic = "Kernel panic - not syncing";
    if (const qsizetype at = m_consoleText.indexOf(panic); at >= 0) {
        const QByteArray line = m_consoleText.mid(at, m_consoleText.indexOf('\n', at) - at);
        return {Error::Kind::Internal,
                tr("The kernel gave up: %1%2")
                    .arg(plainText(QString::fromUtf8(line.trimmed())), lastConsoleLines()),
                {}};
    }
    const QStringList said = m_emulator->lastLines();
    const bool killed = m_emulator->endedBySignal() != 0;
    if (killed || m_emulator->exitCode() != 0) {
        return {Error::Kind::Internal,
                tr("QEMU ended unexpectedly%1 %2%3")
                    .arg(killed ? tr(" (signal %1).").arg(m_emulator->endedBySignal())
                                : QStringLiteral("."),
                         said.isEmpty() ? QString() : tr("It says: %1").arg(plainText(said.last())),
                         lastConsoleLines()),
                {}};
    }
    return {Error::Kind::Internal,
            m_mounted
                ? tr("The guest ended before the command did, so there is no exit code.%1")
                      .arg(lastConsoleLines())
                : tr("The guest ended before it could run the command.%1").arg(lastConsoleLines()),
            {}};
}

QString KernelRun::lastConsoleLines() const {
    QStringList lines;
    for (const QByteArray& line : m_consoleText.split('\n')) {
        const QString text = plainText(QString::fromUtf8(line.trimmed()));
        if (!text.isEmpty()) {
            lines.append(text);
        }
    }
    if (lines.isEmpty()) {
        return tr("\nThe kernel wrote nothing on its serial line.");
    }
    const qsizetype first = std::max<qsizetype>(lines.size() - shownLines, 0);
    return tr("\nThe kernel's last lines:\n%1").arg(lines.mid(first).join(QLatin1Char('\n')));
}

void KernelRun::timeIsUp() {
    finish(fail(
        Error::Kind::Timeout,
        tr("The time limit of %n s is over; the guest was ended.%1", nullptr, m_plan.timeoutSeconds)
            .arg(m_mounted ? QString() : lastConsoleLines())));
}

void KernelRun::type(const QByteArray& bytes) {
    qsizetype done = 0;
    while (m_terminalLine.ours.isValid() && done < bytes.size()) {
        const ssize_t sent = ::send(m_terminalLine.ours.get(),
                                    bytes.constData() + done,
                                    static_cast<size_t>(bytes.size() - done),
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent <= 0) {
            return; // the guest does not read what is typed
        }
        done += sent;
    }
}

void KernelRun::finish(const Result<int>& outcome) {
    if (std::exchange(m_over, true)) {
        return;
    }
    m_outcome = outcome;
    m_timeout.stop();
    if (m_emulator != nullptr) {
        m_emulator->kill();
    }
    // Not from within a call of what is ended here.
    QMetaObject::invokeMethod(
        this, [this] { Q_EMIT finished(); }, Qt::QueuedConnection);
}

} // namespace vitrine::qemu
