// SPDX-License-Identifier: Apache-2.0
#include "running_guest.h"

#include "core/disk/file_copy.h"
#include "core/hypervisor/machine_exec.h"
#include "core/library/runtime_directory.h"
#include "core/machine/sidecar.h"
#include "support/event_wait.h"

#include <QDir>
#include <QFile>
#include <QProcessEnvironment>

#include <gtest/gtest.h>

namespace vitrine::test {
namespace {

QString sampleGuests() {
    return qEnvironmentVariable("VITRINE_SAMPLE_GUEST",
                                QStringLiteral(VITRINE_TEST_DATA "/../../build/sample-guest"));
}

QString vitrinectlProgram() {
    return QStringLiteral(VITRINE_BIN_DIR "/vitrinectl");
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

RunningGuest::RunningGuest(const Setup& setup) {
    const QString sample = sampleGuests() + QLatin1Char('/') + toText(setup.architecture);
    const QString machine = sample + QStringLiteral("/machine");
    const auto library = Library::open(m_folder.filePath(QStringLiteral("library")));
    EXPECT_TRUE(library) << (library ? "" : qPrintable(library.error().message));
    m_library = *library;
    m_directory = m_library->machinesPath() + QStringLiteral("/guest");
    if (setup.created) {
        const Ran made = vitrinectl({QStringLiteral("create"),
                                     QStringLiteral("guest"),
                                     QStringLiteral("--linux"),
                                     QStringLiteral("--from-image"),
                                     machine + QStringLiteral("/disk.img"),
                                     QStringLiteral("--arch"),
                                     toText(setup.architecture),
                                     QStringLiteral("--cpu=2"),
                                     QStringLiteral("--memory=1024")});
        EXPECT_EQ(made.exitCode, 0) << qPrintable(made.errors);
    } else {
        copySample(machine);
    }
    const auto stored = Sidecar::update(m_directory, [&](Sidecar& sidecar) {
        if (setup.byKernel)
            sidecar.run.kernel = KernelBoot{
                sample + QStringLiteral("/boot/vmlinux"),
                sample + QStringLiteral("/boot/initrd"),
                QString::fromUtf8(contentOf(sample + QStringLiteral("/boot/cmdline"))).trimmed()};
        if (setup.change)
            setup.change(sidecar.run, m_folder.path());
    });
    EXPECT_TRUE(stored) << (stored ? "" : qPrintable(stored.error().message));
    m_client = std::make_unique<MachineClient>(m_library->home(), m_directory);
    m_client->attach();
}

void RunningGuest::copySample(const QString& machine) {
    QDir().mkpath(m_directory);
    for (const char* name : {"config.json", "nvram.bin"})
        QFile::copy(machine + QLatin1Char('/') + QLatin1String(name),
                    m_directory + QLatin1Char('/') + QLatin1String(name));
    QFile::setPermissions(m_directory + QStringLiteral("/config.json"),
                          QFile::ReadOwner | QFile::WriteOwner);
    QFile::setPermissions(m_directory + QStringLiteral("/nvram.bin"),
                          QFile::ReadOwner | QFile::WriteOwner);
    const auto copied = copyDisk(machine + QStringLiteral("/disk.img"),
                                 m_directory + QStringLiteral("/disk.img"),
                                 JobContext{});
    EXPECT_TRUE(copied) << (copied ? "" : qPrintable(copied.error().message))
                        << "\nThe sample guest is made by packaging/sample-guest/build.sh.";
}

RunningGuest::~RunningGuest() {
    if (m_process && m_process->state() != QProcess::NotRunning) {
        if (!m_client->isConnected() || !call("forceOff"))
            m_process->kill();
        if (!m_process->waitForFinished(20000)) {
            m_process->kill();
            m_process->waitForFinished(5000);
        }
    }
    if (testing::Test::HasFailure())
        fprintf(stderr,
                "--- vitrinectl said:\n%s\n--- the end of its log:\n%s\n--- the end of the serial "
                "line:\n%s\n",
                qPrintable(m_said),
                contentOf(runtimeFile("log")).right(2000).constData(),
                serialLog().right(2000).constData());
}

QProcessEnvironment RunningGuest::environment() const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("VITRINE_HOME"), m_library->home());
    environment.insert(QStringLiteral("HOME"), m_folder.path());
    return environment;
}

void RunningGuest::start() {
    m_process = std::make_unique<QProcess>();
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    m_process->setProcessEnvironment(environment());
    QObject::connect(m_process.get(), &QProcess::readyRead, m_process.get(), [this] {
        m_said += QString::fromUtf8(m_process->readAll());
    });
    m_clock.start();
    m_process->start(
        vitrinectlProgram(),
        {QStringLiteral("run"), QStringLiteral("guest"), QStringLiteral("--no-graphics")});
    EXPECT_TRUE(m_process->waitForStarted()) << qPrintable(m_process->errorString());
}

bool RunningGuest::waitUntilReady() {
    const bool ready = waitUntil(
        [this] {
            return serialLog().contains("VITRINE-GUEST-READY") ||
                   m_process->state() == QProcess::NotRunning;
        },
        longWait);
    m_secondsToReady = static_cast<double>(m_clock.elapsed()) / 1000.0;
    return ready && m_process->state() != QProcess::NotRunning &&
           waitUntil([this] { return m_client->isConnected() && status().agentAnswers; }, longWait);
}

bool RunningGuest::waitUntilState(MachineState state) {
    return waitUntil([&] { return m_client->isConnected() && status().state == state; }, longWait);
}

int RunningGuest::waitUntilEnded() {
    if (!waitUntil([this] { return m_process->state() == QProcess::NotRunning; }, longWait))
        return -1;
    return m_process->exitStatus() == QProcess::CrashExit ? -2 : m_process->exitCode();
}

Result<QJsonValue>
RunningGuest::call(const char* method, const QJsonObject& parameters, int timeoutMilliseconds) {
    // The answer may come after this function gave up.
    const auto answer = std::make_shared<std::optional<Result<QJsonValue>>>();
    m_client->call(
        QLatin1String(method),
        parameters,
        [answer](const Result<QJsonValue>& result) { *answer = result; },
        timeoutMilliseconds);
    if (!waitUntil([&] { return answer->has_value(); }, timeoutMilliseconds + 5000))
        return fail(Error::Kind::Timeout,
                    QStringLiteral("no answer to %1").arg(QLatin1String(method)));
    return **answer;
}

QString RunningGuest::shell(const QString& line) {
    const auto answer =
        call("agent.exec",
             execParameters(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), line}, {}, 30000));
    if (!answer)
        return QStringLiteral("(") + answer.error().message + QLatin1Char(')');
    const auto result = execFromJson(*answer);
    if (!result)
        return QStringLiteral("(") + result.error().message + QLatin1Char(')');
    return QString::fromUtf8(result->standardOutput).trimmed();
}

bool RunningGuest::waitUntilShellPrints(const QString& line, const QString& expected) {
    const QDeadlineTimer deadline(longWait);
    while (!deadline.hasExpired())
        if (shell(line) == expected)
            return true;
    return false;
}

RunningGuest::Ran RunningGuest::vitrinectl(const QStringList& arguments, int timeoutMilliseconds) {
    QProcess process;
    process.setProcessEnvironment(environment());
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(vitrinectlProgram(), arguments);
    Ran ran;
    if (waitUntil([&] { return process.state() == QProcess::NotRunning; }, timeoutMilliseconds) &&
        process.exitStatus() == QProcess::NormalExit)
        ran.exitCode = process.exitCode();
    process.kill();
    process.waitForFinished();
    ran.output = QString::fromUtf8(process.readAllStandardOutput()).trimmed();
    ran.errors = QString::fromUtf8(process.readAllStandardError()).trimmed();
    return ran;
}

qint64 RunningGuest::qemuProcessId() const {
    const QByteArray parent = QByteArray::number(m_process->processId());
    const QStringList processes = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    for (const QString& name : processes) {
        bool isNumber = false;
        const qint64 pid = name.toLongLong(&isNumber);
        if (!isNumber)
            continue;
        // "PID (name) state PPID …"
        const QByteArray text = contentOf(QStringLiteral("/proc/%1/stat").arg(pid));
        const int close = text.lastIndexOf(')');
        const QList<QByteArray> fields = text.mid(close + 2).split(' ');
        if (fields.value(1) == parent && text.contains("(qemu-system"))
            return pid;
    }
    return 0;
}

QString RunningGuest::runtimeFile(const char* name) const {
    const auto runtime = RuntimeDirectory::locate(m_library->home(), m_directory);
    return runtime ? runtime->path() + QLatin1Char('/') + QLatin1String(name) : QString();
}

QByteArray RunningGuest::serialLog() const {
    return contentOf(runtimeFile("serial.log"));
}

} // namespace vitrine::test
