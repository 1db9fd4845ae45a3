// SPDX-License-Identifier: Apache-2.0
#include "ui/library/machine_text.h"

#include "core/value/plain_text.h"

#include <QDir>
#include <QLocale>

#include <algorithm>

namespace vitrine::ui {

QString systemText(const MachineInfo& info) {
    if (!info.config)
        return {};
    const QString system =
        info.config->system == GuestSystem::Darwin ? Tr::tr("macOS") : Tr::tr("Linux");
    //: Guest system and processor architecture.
    return Tr::tr("%1 · %2").arg(system, toText(info.config->architecture));
}

QString stateText(const MachineInfo& info) {
    return info.responding ? toText(info.state) : Tr::tr("Not responding");
}

Glyph stateShape(const MachineInfo& info) {
    return info.responding ? glyphOf(info.state) : Glyph::Warning;
}

QString detailText(const MachineInfo& info) {
    if (info.state == MachineState::Broken)
        return info.brokenReason;
    if (info.state == MachineState::RunningElsewhere && info.holderPid > 0)
        return Tr::tr("process %1").arg(info.holderPid);
    return systemText(info);
}

QString spokenText(const MachineInfo& info) {
    if (info.isImage)
        return Tr::tr("Image %1, %2").arg(plainText(info.name), info.allocated.toText());
    //: Name of a machine, its state, more about it.
    return Tr::tr("%1, %2, %3").arg(plainText(info.name), stateText(info), detailText(info));
}

ImageLabel imageLabel(const QString& reference) {
    const qsizetype slash = reference.lastIndexOf(QLatin1Char('/'));
    const QString last = reference.mid(slash + 1);
    if (const qsizetype at = last.indexOf(QLatin1Char('@')); at >= 0)
        return {last.left(at), last.mid(at, 20) + QStringLiteral("…")};
    const qsizetype colon = last.indexOf(QLatin1Char(':'));
    return colon < 0 ? ImageLabel{last, {}} : ImageLabel{last.left(colon), last.mid(colon)};
}

QHash<QString, ImageLabel> imageLabels(const QStringList& references) {
    QHash<QString, ImageLabel> labels;
    QStringList open = references;
    // One more part of the path with each round, for those that still read alike.
    for (int parts = 1; !open.isEmpty(); ++parts) {
        QHash<QString, QStringList> alike;
        for (const QString& reference : std::as_const(open)) {
            ImageLabel label = imageLabel(reference);
            const QStringList path =
                reference.split(QLatin1Char('/')).mid(0, reference.count(u'/'));
            const QStringList shown = path.mid(std::max<qsizetype>(0, path.size() - parts + 1));
            if (!shown.isEmpty())
                label.name.prepend(shown.join(QLatin1Char('/')) + QLatin1Char('/'));
            labels.insert(reference, label);
            alike[label.name + label.tag].append(reference);
        }
        QStringList next;
        for (const QStringList& group : std::as_const(alike)) {
            const bool more = std::any_of(group.begin(), group.end(), [parts](const QString& r) {
                return r.count(u'/') >= parts;
            });
            if (group.size() > 1 && more)
                next += group;
        }
        open = next;
    }
    return labels;
}

QString durationText(qint64 seconds) {
    const QLocale locale;
    if (seconds < 60)
        return Tr::tr("%1 s").arg(locale.toString(qMax<qint64>(0, seconds)));
    const qint64 minutes = seconds / 60;
    if (minutes < 60)
        return Tr::tr("%1 min").arg(locale.toString(minutes));
    if (minutes < 24 * 60)
        return Tr::tr("%1 h %2 min").arg(locale.toString(minutes / 60)).arg(minutes % 60);
    return Tr::tr("%1 d %2 h").arg(locale.toString(minutes / 1440)).arg(minutes / 60 % 24);
}

QString coresText(int count) {
    return count == 1 ? Tr::tr("1 core") : Tr::tr("%1 cores").arg(count);
}

QString homeShortened(const QString& path) {
    const QString home = QDir::homePath();
    if (home.size() > 1 && path == home)
        return QStringLiteral("~");
    if (home.size() > 1 && path.startsWith(home + QLatin1Char('/')))
        return QLatin1Char('~') + path.mid(home.size());
    return path;
}

} // namespace vitrine::ui
