// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/machine_naming.h"

#include "core/machine/machine_name.h"

#include <QRegularExpression>

namespace vitrine::ui {

QString freeName(const QString& base, const std::function<bool(const QString&)>& isTaken) {
    if (!isTaken(base))
        return base;
    static const QRegularExpression numbered(QStringLiteral("^(.*)-([0-9]{1,6})$"));
    QString stem = base;
    int number = 2;
    if (const QRegularExpressionMatch match = numbered.match(base); match.hasMatch()) {
        stem = match.captured(1);
        number = match.captured(2).toInt() + 1;
    }
    QString name;
    do {
        name = QStringLiteral("%1-%2").arg(stem).arg(number++);
    } while (isTaken(name));
    return name;
}

QString machineNameProblem(const QString& name,
                           const std::function<bool(const QString&)>& isTaken) {
    if (name.isEmpty())
        return Tr::tr("Type a name.");
    if (const auto valid = MachineName::forNewMachine(name); !valid)
        return valid.error().message;
    if (isTaken(name))
        return Tr::tr("There is a machine named \"%1\" already. Nothing is ever overwritten; "
                      "choose another name.")
            .arg(name);
    return {};
}

bool isMachineNameTaken(const LibraryModel& library,
                        const JobListModel& jobs,
                        const QString& name) {
    const int row = library.rowOf(name);
    const MachineInfo* info = row >= 0 ? library.infoAt(row) : nullptr;
    if (info != nullptr && !info->isImage)
        return true;
    for (int job = 0; job < jobs.rowCount(); ++job) {
        const Job* record = jobs.jobAt(job);
        if (record->isFinished())
            continue;
        if ((record->kind() == QLatin1String("clone") && record->title() == name) ||
            record->property("machine").toString() == name)
            return true;
    }
    return false;
}

} // namespace vitrine::ui
