// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_run_request.h"

#include <QDir>
#include <QStringList>

namespace vitrine::qemu {

Result<KernelMount> KernelMount::fromText(const QString& text, const QString& base) {
    QStringList parts = text.split(QLatin1Char(':'));
    KernelMount mount;
    if (parts.size() == 3 &&
        (parts.last() == QLatin1String("ro") || parts.last() == QLatin1String("rw"))) {
        mount.readOnly = parts.takeLast() == QLatin1String("ro");
    }
    if (parts.size() != 2 || parts.first().isEmpty() ||
        !parts.last().startsWith(QLatin1Char('/')) ||
        parts.last().split(QLatin1Char('/')).contains(QStringLiteral("..")) ||
        QDir::cleanPath(parts.last()) == QLatin1String("/") || text.contains(QLatin1Char('\n'))) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is no mount. Write HOST:GUEST or HOST:GUEST:ro, where GUEST is "
                           "an absolute path in the guest, such as .:/mnt:ro.")
                        .arg(text));
    }
    QString host = parts.first();
    if (host == QLatin1String("~") || host.startsWith(QLatin1String("~/"))) {
        host = QDir::homePath() + host.mid(1);
    }
    mount.hostPath = QDir::cleanPath(QDir(base).absoluteFilePath(host));
    mount.guestPath = QDir::cleanPath(parts.last());
    return mount;
}

std::optional<KernelRunRequest::Share> kernelShareFromText(const QString& text) {
    if (text == QLatin1String("auto")) {
        return KernelRunRequest::Share::Automatic;
    }
    if (text == QLatin1String("virtiofs")) {
        return KernelRunRequest::Share::Virtiofs;
    }
    return text == QLatin1String("9p") ? std::optional(KernelRunRequest::Share::Plan9)
                                       : std::nullopt;
}

} // namespace vitrine::qemu
