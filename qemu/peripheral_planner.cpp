// SPDX-License-Identifier: Apache-2.0
#include "qemu/peripheral_planner.h"

#include "core/disk/file_descriptor.h"

#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

constexpr int askTime = 2000; // ms

// PulseAudio's, which PipeWire offers as well.
QString soundServer(const ProgramPaths& paths) {
    if (!paths.soundServer.isEmpty())
        return paths.soundServer;
    const QString named = qEnvironmentVariable("PULSE_SERVER");
    if (named.startsWith(QLatin1String("unix:")))
        return named.mid(5);
    return qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/pulse/native");
}

Result<> checkSerialDevice(const QString& path) {
    const auto refuse = [&path](const QString& reason) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The serial line cannot lead to \"%1\". %2").arg(path, reason));
    };
    if (!path.startsWith(QLatin1Char('/')))
        return refuse(Tr::tr("Write the whole path of the device."));
    if (!QFileInfo::exists(path))
        return refuse(Tr::tr("It does not exist."));
    const FileDescriptor device(
        ::open(QFile::encodeName(path).constData(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (!device.isValid())
        return errno == EACCES
                   ? refuse(Tr::tr("You may not use it. Serial devices belong to the group "
                                   "\"dialout\": have yourself added to it and log in again."))
                   : refuse(Error::fromErrno(Tr::tr("It cannot be opened."), errno).message);
    if (::isatty(device.get()) == 0)
        return refuse(Tr::tr("It is no terminal device, such as /dev/ttyS0 or a pseudo-terminal. "
                             "What the guest prints is in the machine's log anyway."));
    return {};
}

} // namespace

AudioChoice chooseAudio(const ProgramPaths& paths, const QString& emulator) {
    if (!QFileInfo::exists(soundServer(paths)))
        return {QStringLiteral("none"),
                Tr::tr("The guest has a sound card that nobody hears: no sound server (PulseAudio "
                       "or PipeWire) runs in this session.")};
    const BriefRun run =
        runBriefly(emulator, {QStringLiteral("-audiodev"), QStringLiteral("help")}, askTime);
    if (!run.output.split('\n').contains("pa"))
        return {QStringLiteral("none"),
                Tr::tr("The guest has a sound card that nobody hears: this QEMU cannot talk to "
                       "the sound server. Install the package \"%1\".")
                    .arg(QStringLiteral("qemu-system-gui"))};
    return {QStringLiteral("pa"), {}};
}

Result<> planPeripherals(const RunOptions& options, const ProgramPaths& paths, LaunchPlan& plan) {
    if (options.audio)
        plan.audioBackend = chooseAudio(paths, plan.emulator).backend;
    plan.vncServer = options.vncServer;
    plan.serial = options.serial;
    if (options.serial.kind == SerialLine::Kind::Device)
        return checkSerialDevice(options.serial.path);
    return {};
}

} // namespace vitrine::qemu
