// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/guest_program.h"

#include "core/disk/file_descriptor.h"

#include <QByteArray>
#include <QFile>
#include <QtEndian>

#include <cerrno>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vitrine::qemu {

namespace {

constexpr qsizetype headSize = 4096; // bytes that are looked at

Error cannotRead(const QString& root, const QString& path, int errorNumber) {
    const QString whole =
        QString(root + QLatin1Char('/') + path).replace(QLatin1String("//"), QLatin1String("/"));
    return Error::fromErrno(Tr::tr("\"%1\" cannot be read.").arg(whole), errorNumber);
}

std::optional<Architecture> architectureOf(quint16 machine) {
    constexpr quint16 amd64 = 62;
    constexpr quint16 arm64 = 183;
    if (machine == amd64) {
        return Architecture::Amd64;
    }
    return machine == arm64 ? std::optional(Architecture::Arm64) : std::nullopt;
}

// Whether no program header names a loader (PT_INTERP).
bool needsNoLoader(const QByteArray& head) {
    constexpr quint32 loader = 3;
    const auto headers = qFromLittleEndian<quint64>(head.constData() + 32);
    const auto size = qFromLittleEndian<quint16>(head.constData() + 54);
    const auto count = qFromLittleEndian<quint16>(head.constData() + 56);
    const auto length = static_cast<quint64>(head.size());
    if (size < 56 || headers > length || quint64{size} * count > length - headers) {
        return false;
    }
    for (quint64 i = 0; i < count; ++i) {
        if (qFromLittleEndian<quint32>(head.constData() + headers + i * size) == loader) {
            return false;
        }
    }
    return true;
}

} // namespace

Result<GuestProgram> GuestProgram::read(const QString& root, const QString& path) {
    const FileDescriptor folder(
        ::open(QFile::encodeName(root).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.isValid()) {
        return fail(cannotRead(root, {}, errno));
    }
    open_how how{};
    how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
    how.resolve = RESOLVE_IN_ROOT;
    const FileDescriptor file(static_cast<int>(::syscall(
        SYS_openat2, folder.get(), QFile::encodeName(path).constData(), &how, sizeof(how))));
    if (!file.isValid()) {
        return fail(cannotRead(root, path, errno));
    }
    QByteArray head(headSize, '\0');
    const ssize_t size = ::pread(file.get(), head.data(), static_cast<size_t>(headSize), 0);
    if (size < 0) {
        return fail(cannotRead(root, path, errno));
    }
    head.truncate(size);
    GuestProgram program;
    constexpr qsizetype headerSize = 64;
    constexpr char class64 = 2;
    program.isElf = head.startsWith("\177ELF");
    if (program.isElf && head.size() >= headerSize && head.at(4) == class64) {
        program.architecture = architectureOf(qFromLittleEndian<quint16>(head.constData() + 18));
        program.isStatic = needsNoLoader(head);
    }
    return program;
}

} // namespace vitrine::qemu
