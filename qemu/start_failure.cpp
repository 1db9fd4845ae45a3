// SPDX-License-Identifier: Apache-2.0
#include "qemu/start_failure.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

namespace vitrine::qemu {

namespace {

// QEMU puts its own path before each message.
QString withoutProgram(const QString& line) {
    static const QRegularExpression prefix(QStringLiteral("^(?:\\S*/)?qemu-system-[\\w]+: "));
    QString text = line;
    return text.remove(prefix).left(1000);
}

QString lastMessage(const QStringList& lines) {
    for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
        const QString text = withoutProgram(*line);
        // A warning does not end a program.
        if (!text.isEmpty() && !text.startsWith(QLatin1String("warning:"))) {
            return text;
        }
    }
    return {};
}

QString quoted(const QString& text, const QString& pattern) {
    return QRegularExpression(pattern).match(text).captured(1);
}

// "-blockdev {…}: REASON": which node it is about, and the reason alone.
struct DiskReason {
    QString node;
    QString reason;
};
DiskReason diskReason(const QString& message) {
    static const QRegularExpression pattern(QStringLiteral("^-blockdev (\\{.*\\}): (.+)$"));
    const QRegularExpressionMatch match = pattern.match(message);
    const auto options = QJsonDocument::fromJson(match.captured(1).toUtf8()).object();
    return {options.value(QLatin1String("node-name")).toString(), match.captured(2)};
}

} // namespace

Error startFailure(const QStringList& lastLines,
                   int endedBySignal,
                   const QMap<QString, QString>& networkDisks) {
    const QString all = lastLines.join(QLatin1Char('\n'));
    const auto [node, reason] = diskReason(lastMessage(lastLines));
    const QString last = reason.isEmpty() ? lastMessage(lastLines) : reason;
    const QString networkDisk = networkDisks.value(node);
    if (!networkDisk.isEmpty()) {
        return {Error::Kind::Network,
                Tr::tr("The machine did not start: the network disk \"%1\" cannot be used (%2). "
                       "Check its address and its server, or take the disk out.")
                    .arg(networkDisk, reason),
                all};
    }
    const auto says = [&all](const char* text) { return all.contains(QLatin1String(text)); };

    if (says("Failed to get \"write\" lock") || says("Failed to get shared \"write\" lock")) {
        const QString image =
            quoted(all, QStringLiteral("Is another process using the image \\[([^\\]]*)\\]"));
        return {Error::Kind::Busy,
                image.isEmpty()
                    ? Tr::tr("The machine did not start: another program uses one of its disk "
                             "images. Close that program or detach the disk.")
                    : Tr::tr("The machine did not start: another program uses its disk image "
                             "\"%1\". Close that program or detach the disk.")
                          .arg(image),
                last};
    }
    if (says("cannot set up guest memory") || says("Cannot allocate memory")) {
        return {Error::Kind::InvalidInput,
                Tr::tr("The machine did not start: this computer cannot give it that much memory. "
                       "Lower the memory in Settings or close other programs."),
                last};
    }
    if (says("Invalid SMP CPUs") || says("Number of SMP CPUs requested")) {
        return {Error::Kind::InvalidInput,
                Tr::tr("The machine did not start: it cannot have that many processors here. Lower "
                       "the number in Settings. QEMU says: %1")
                    .arg(last),
                last};
    }
    if (says("Could not access KVM kernel module: Permission denied")) {
        return {
            Error::Kind::Permission,
            Tr::tr("The machine did not start: you may not use /dev/kvm. Join the group kvm and "
                   "log in again, or set the accelerator to Automatic."),
            last};
    }
    if (says("Could not access KVM kernel module")) {
        return {
            Error::Kind::Unsupported,
            Tr::tr("The machine did not start: this computer offers no KVM. Set the accelerator "
                   "to Automatic."),
            last};
    }
    const QString file = quoted(all, QStringLiteral("Could not open '([^']*)'"));
    if (!file.isEmpty() && says("No such file or directory")) {
        return {Error::Kind::NotFound,
                Tr::tr("The machine did not start: \"%1\" does not exist.").arg(file),
                last};
    }
    if (!file.isEmpty() && says("Permission denied")) {
        return {
            Error::Kind::Permission,
            Tr::tr("The machine did not start: \"%1\" cannot be opened. Check the owner and mode "
                   "of the file and its folders.")
                .arg(file),
            last};
    }
    if (!last.isEmpty()) {
        return {Error::Kind::Internal,
                Tr::tr("The machine did not start. QEMU says: %1").arg(last),
                all};
    }
    return {Error::Kind::Internal,
            endedBySignal != 0
                ? Tr::tr("The machine did not start: QEMU crashed (signal %1) without saying why.")
                      .arg(endedBySignal)
                : Tr::tr("The machine did not start: QEMU ended at once without saying why."),
            {}};
}

} // namespace vitrine::qemu
