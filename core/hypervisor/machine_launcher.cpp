// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_launcher.h"

#include "core/credentials/credential_store.h"
#include "core/posix/descriptors.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace vitrine {

namespace {

constexpr int keptLogHours = 24;

// What the child needs, prepared before the fork: after it only async-signal-safe calls are
// allowed.
struct Prepared {
    QByteArray program;
    std::vector<QByteArray> words;
    std::vector<QByteArray> variables;
    std::vector<char*> argv;
    std::vector<char*> envp;
    QByteArray logPrefix; // "…/start-"; the child adds its own pid
};

struct Report {
    pid_t pid = 0;
    int error = 0; // errno of the step that failed
};

void appendNumber(char* text, size_t capacity, long number) {
    std::array<char, 24> digits{};
    size_t count = 0;
    do {
        digits.at(count++) = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number > 0);
    size_t length = 0;
    while (text[length] != '\0') {
        ++length;
    }
    while (count > 0 && length + 1 < capacity) {
        text[length++] = digits.at(--count);
    }
    text[length] = '\0';
}

// The grandchild: never returns.
[[noreturn]] void becomeMachine(const Prepared& prepared, int reportPipe) {
    Report report;
    report.pid = ::getpid();
    std::array<char, 4200> log{};
    const auto prefix = static_cast<size_t>(prepared.logPrefix.size());
    for (size_t i = 0; i < prefix && i + 32 < log.size(); ++i) {
        log.at(i) = prepared.logPrefix.constData()[i];
    }
    appendNumber(log.data(), log.size() - 8, report.pid);
    size_t length = 0;
    while (log.at(length) != '\0') {
        ++length;
    }
    for (const char c : {'.', 'l', 'o', 'g', '\0'}) {
        log.at(length++) = c;
    }
    ::umask(077);
    const int input = ::open("/dev/null", O_RDONLY);
    const int output =
        ::open(log.data(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0600);
    if (input < 0 || output < 0) {
        report.error = errno;
    } else {
        ::dup2(input, STDIN_FILENO);
        ::dup2(output, STDOUT_FILENO);
        ::dup2(output, STDERR_FILENO);
        posix::closeDescriptors(3, reportPipe);
        for (int number = 1; number < 32; ++number) {
            ::signal(number, SIG_DFL);
        }
        sigset_t none;
        sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        // The pid first: after a successful exec the pipe is closed and tells no more.
        if (::write(reportPipe, &report, sizeof(report)) == sizeof(report)) {
            ::execve(prepared.program.constData(), prepared.argv.data(), prepared.envp.data());
        }
        report.error = errno;
    }
    const ssize_t written = ::write(reportPipe, &report, sizeof(report));
    ::_exit(written == sizeof(report) ? 127 : 126);
}

Prepared prepare(const QString& program, const QStringList& words, const QString& libraryHome) {
    Prepared prepared;
    prepared.program = QFile::encodeName(program);
    prepared.words.push_back(prepared.program);
    for (const QString& word : words) {
        prepared.words.push_back(QFile::encodeName(word));
    }
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), libraryHome);
    const QStringList variables = environment.toStringList();
    for (const QString& variable : variables) {
        prepared.variables.push_back(QFile::encodeName(variable));
    }
    for (QByteArray& word : prepared.words) {
        prepared.argv.push_back(word.data());
    }
    prepared.argv.push_back(nullptr);
    for (QByteArray& variable : prepared.variables) {
        prepared.envp.push_back(variable.data());
    }
    prepared.envp.push_back(nullptr);
    prepared.logPrefix = QFile::encodeName(libraryHome + QLatin1String("/run/start-"));
    return prepared;
}

// Output files of earlier starts: removed when old and their process is gone.
void collectOldLogs(const QString& runPath) {
    const QFileInfoList files =
        QDir(runPath).entryInfoList({QStringLiteral("start-*.log")}, QDir::Files | QDir::System);
    const QDateTime limit = QDateTime::currentDateTime().addSecs(-3600 * keptLogHours);
    for (const QFileInfo& file : files) {
        const qint64 pid = file.completeBaseName().mid(6).toLongLong();
        if (file.lastModified() < limit && pid > 0 && ::kill(static_cast<pid_t>(pid), 0) != 0 &&
            errno == ESRCH) {
            QFile::remove(file.filePath());
        }
    }
}

Result<> makeRunFolder(const QString& runPath) {
    if (::mkdir(QFile::encodeName(runPath).constData(), 0700) != 0 && errno != EEXIST) {
        return fail(Error::fromErrno(Tr::tr("Cannot make the folder \"%1\".").arg(runPath), errno));
    }
    return {};
}

} // namespace

QString vitrinectlPath() {
    const QString name = QStringLiteral("vitrinectl");
    const QString beside = QCoreApplication::applicationDirPath() + QLatin1Char('/') + name;
    if (QFileInfo(beside).isExecutable()) {
        return beside;
    }
    return QStandardPaths::findExecutable(name);
}

Result<LaunchedMachine>
launchMachine(const Library& library, const QString& name, const QStringList& extraArguments) {
    const QString program = vitrinectlPath();
    if (program.isEmpty()) {
        return fail(Error::Kind::NotFound,
                    Tr::tr("The program vitrinectl is missing, so no machine can be started. "
                           "Install it beside this program or into a folder of PATH."));
    }
    const QString runPath = library.home() + QLatin1String("/run");
    if (Result<> made = makeRunFolder(runPath); !made) {
        return fail(made.error());
    }
    collectOldLogs(runPath);
    const Prepared prepared = prepare(
        program,
        QStringList{QStringLiteral("run"), name, QStringLiteral("--no-graphics")} + extraArguments,
        library.home());
    if (prepared.logPrefix.size() > 4096) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The path of the library is too long: \"%1\".").arg(library.home()));
    }

    std::array<int, 2> pipe{};
    if (!posix::makePipe(pipe)) {
        return fail(Error::fromErrno(Tr::tr("Cannot start \"%1\".").arg(program), errno));
    }
    const pid_t child = ::fork();
    if (child < 0) {
        const int error = errno;
        ::close(pipe[0]);
        ::close(pipe[1]);
        return fail(Error::fromErrno(Tr::tr("Cannot start \"%1\".").arg(program), error));
    }
    if (child == 0) {
        // A session of its own, then a second fork so that init inherits the machine.
        ::setsid();
        const pid_t grandchild = ::fork();
        if (grandchild == 0) {
            becomeMachine(prepared, pipe[1]);
        }
        ::_exit(grandchild < 0 ? 1 : 0);
    }
    ::close(pipe[1]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    // One report before exec; a second one only when exec failed.
    Report report;
    Report failure;
    const ssize_t first = ::read(pipe[0], &report, sizeof(report));
    const bool failed = first == sizeof(report) && report.error == 0 &&
                        ::read(pipe[0], &failure, sizeof(failure)) == sizeof(failure);
    ::close(pipe[0]);
    if (first != sizeof(report) || report.error != 0 || failed) {
        const int error = failed ? failure.error : report.error;
        return fail(
            Error::fromErrno(Tr::tr("Cannot start \"%1\".").arg(program), error ? error : EAGAIN));
    }
    return LaunchedMachine{report.pid,
                           QStringLiteral("%1/start-%2.log").arg(runPath).arg(report.pid)};
}

} // namespace vitrine
