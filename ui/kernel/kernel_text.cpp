// SPDX-License-Identifier: Apache-2.0
#include "ui/kernel/kernel_text.h"

#include "core/machine/run_command.h"

#include <QDateTime>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>

namespace vitrine::ui {

namespace {

Error notUnderstood() {
    return {Error::Kind::Integrity,
            Tr::tr("What vitrinectl told is not understood: it is of another version. Install "
                   "Vitrine again."),
            {}};
}

Result<QJsonArray> arrayFrom(const QByteArray& json) {
    const QJsonDocument document = QJsonDocument::fromJson(json);
    if (!document.isArray())
        return fail(notUnderstood());
    return document.array();
}

} // namespace

QString secondsText(double seconds) {
    return Tr::tr("%1\u00A0s").arg(QLocale().toString(seconds, 'f', seconds < 10 ? 2 : 1));
}

QString resultText(const KernelResult& result) {
    const QString time = secondsText(result.seconds);
    switch (result.state) {
    case KernelResult::State::Passed:
    case KernelResult::State::Failed:
        break;
    case KernelResult::State::Stopped:
        return Tr::tr("Stopped after %1.").arg(time);
    case KernelResult::State::NotRun:
        return Tr::tr("No exit code: the command did not run to its end (%1).").arg(time);
    }
    const QString code = QString::number(result.exitCode);
    if (result.share.isEmpty())
        return Tr::tr("Exit code %1 after %2.").arg(code, time);
    return Tr::tr("Exit code %1 after %2, files over %3.")
        .arg(code, time, result.share == QLatin1String("9p") ? QStringLiteral("9P") : result.share);
}

QString kernelCommandLine(const QStringList& words) {
    return QStringLiteral("vitrinectl ") + quotedForShell(words);
}

QString newestKernel(const QString& folder) {
    const QFileInfoList found =
        QDir(folder).entryInfoList({QStringLiteral("vmlinuz*")}, QDir::Files, QDir::Time);
    for (const QFileInfo& file : found) {
        if (file.isReadable())
            return file.absoluteFilePath();
    }
    return {};
}

Result<QList<KernelTarget>> targetsFromJson(const QByteArray& json) {
    const auto array = arrayFrom(json);
    if (!array)
        return fail(array.error());
    QList<KernelTarget> targets;
    for (const QJsonValue& value : *array) {
        const QJsonObject object = value.toObject();
        KernelTarget target{object.value(QLatin1String("Name")).toString(),
                            object.value(QLatin1String("Kernel")).toString(),
                            object.value(QLatin1String("Command")).toString(),
                            object.value(QLatin1String("Writable")).toBool()};
        if (target.name.isEmpty())
            return fail(notUnderstood());
        targets.append(std::move(target));
    }
    return targets;
}

Result<KernelTargetOutcome> outcomeFromJson(const QByteArray& json) {
    const auto array = arrayFrom(json);
    if (!array)
        return fail(array.error());
    if (array->size() != 1)
        return fail(notUnderstood());
    const QJsonObject object = array->first().toObject();
    KernelTargetOutcome outcome;
    const QString state = object.value(QLatin1String("State")).toString();
    outcome.result.state = state == QLatin1String("passed")   ? KernelResult::State::Passed
                           : state == QLatin1String("failed") ? KernelResult::State::Failed
                                                              : KernelResult::State::NotRun;
    outcome.result.exitCode = object.value(QLatin1String("ExitCode")).toInt(-1);
    outcome.result.seconds = object.value(QLatin1String("Seconds")).toDouble();
    outcome.result.share = object.value(QLatin1String("Share")).toString();
    outcome.result.reason = object.value(QLatin1String("Reason")).toString();
    outcome.output = object.value(QLatin1String("Output")).toString().toUtf8();
    outcome.errors = object.value(QLatin1String("Errors")).toString().toUtf8();
    return outcome;
}

} // namespace vitrine::ui
