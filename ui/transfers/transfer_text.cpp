// SPDX-License-Identifier: Apache-2.0
#include "ui/transfers/transfer_text.h"

#include "core/value/byte_count.h"
#include "ui/pull/pull_job.h"

#include <QLocale>

namespace vitrine::ui {

namespace {

QString parts(int count) {
    return count == 1 ? Tr::tr("1 part") : Tr::tr("%1 parts").arg(count);
}

} // namespace

QString amountText(quint64 done, std::optional<quint64> total) {
    const QString doneText = ByteCount::fromBytes(done).toText();
    if (!total)
        return doneText;
    const QString totalText = ByteCount::fromBytes(*total).toText();
    const auto unit = [](const QString& text) { return text.section(QChar(0x00A0), 1); };
    if (unit(doneText) == unit(totalText))
        //: %1 a number, %2 a number with its unit
        return Tr::tr("%1 of %2").arg(doneText.section(QChar(0x00A0), 0, 0), totalText);
    return Tr::tr("%1 of %2").arg(doneText, totalText);
}

QString speedText(double bytesPerSecond) {
    if (bytesPerSecond < 1)
        return {};
    //: %1 a size with its unit
    return Tr::tr("%1/s").arg(ByteCount::fromBytes(static_cast<quint64>(bytesPerSecond)).toText());
}

QString secondsLeftText(qint64 seconds) {
    if (seconds < 100)
        return Tr::tr("%1 s left").arg(seconds);
    if (seconds < 100 * 60)
        return Tr::tr("%1 min left").arg((seconds + 59) / 60);
    return Tr::tr("%1 h left").arg((seconds + 3599) / 3600);
}

namespace {

// What the job counts: measurements of a benchmark, else bytes.
QString countText(const Job& job) {
    const Progress& progress = job.progress();
    if (job.kind() == QLatin1String("benchmark") && progress.total)
        return Tr::tr("%1 of %2 measurements")
            .arg(QString::number(progress.done), QString::number(*progress.total));
    return amountText(progress.done, progress.total);
}

} // namespace

QString statusText(const Job& job) {
    const Progress& progress = job.progress();
    const QString separator = QStringLiteral(" · ");
    switch (job.state()) {
    case Job::State::Queued:
        return Tr::tr("Waiting for its turn");
    case Job::State::Running: {
        QStringList parts;
        if (progress.done > 0 || progress.total)
            parts << countText(job);
        const bool isBytes = job.kind() != QLatin1String("benchmark"); // its step has the time left
        if (const QString speed = speedText(job.bytesPerSecond()); isBytes && !speed.isEmpty())
            parts << speed;
        if (const auto left = job.secondsLeft(); isBytes && left)
            parts << secondsLeftText(*left);
        if (!progress.step.isEmpty() && (parts.size() < 2 || !progress.total))
            parts << progress.step;
        return parts.isEmpty() ? Tr::tr("Starting") : parts.join(separator);
    }
    case Job::State::Succeeded: {
        const qint64 milliseconds = job.startedAt().msecsTo(job.finishedAt());
        const QString time = QLocale().toString(job.finishedAt().time(), QLocale::ShortFormat);
        const QString duration = Tr::tr("%1 s").arg(
            QLocale().toString(static_cast<double>(milliseconds) / 1000.0, 'f', 1));
        QStringList parts;
        if (const auto outcome = pullOutcome(job)) {
            if (outcome->wasAlreadyHere)
                parts << Tr::tr("Was here already");
            else
                //: %1 a size, %2 a duration
                parts << Tr::tr("%1 fetched in %2")
                             .arg(ByteCount::fromBytes(outcome->bytesFetched).toText(), duration);
            if (!outcome->machine.isEmpty())
                parts << Tr::tr("machine \"%1\" made").arg(outcome->machine);
            if (!outcome->wasAlreadyHere)
                parts << Tr::tr("every byte verified");
            parts << time;
            return parts.join(separator);
        }
        if (job.kind() == QLatin1String("benchmark") && progress.total)
            parts
                << Tr::tr("%1 measurements in %2").arg(QString::number(*progress.total), duration);
        else if (progress.total && *progress.total > 0)
            //: %1 a size, %2 a duration
            parts
                << Tr::tr("%1 in %2").arg(ByteCount::fromBytes(*progress.total).toText(), duration);
        else
            parts << Tr::tr("Done in %1").arg(duration);
        parts << time;
        return parts.join(separator);
    }
    case Job::State::Cancelled:
        if (progress.done > 0)
            return Tr::tr("Stopped at %1. Retry goes on from there.").arg(countText(job));
        if (const QVariant here = job.property("interrupted"); here.isValid())
            return here.toULongLong() == 0
                       ? Tr::tr("Interrupted before a part of the disk was here. Retry starts "
                                "again.")
                       : Tr::tr("Interrupted at %1. Retry goes on from there.")
                             .arg(amountText(here.toULongLong(), job.property("of").toULongLong()));
        return Tr::tr("Stopped.");
    case Job::State::Failed:
        if (progress.done > 0)
            return Tr::tr("Failed at %1.").arg(countText(job));
        return Tr::tr("Failed.");
    }
    return {};
}

QList<LayerRow> layerRows(const QList<ProgressItem>& items, bool over) {
    QList<LayerRow> working;
    LayerRow here;
    LayerRow done;
    LayerRow waiting;
    int hereCount = 0;
    int doneCount = 0;
    int waitingCount = 0;
    for (const ProgressItem& item : items) {
        switch (item.state) {
        case ProgressItem::State::AlreadyHere:
            ++hereCount;
            here.size += item.total;
            break;
        case ProgressItem::State::Done:
            ++doneCount;
            done.size += item.total;
            break;
        case ProgressItem::State::Waiting:
            ++waitingCount;
            waiting.size += item.total;
            break;
        case ProgressItem::State::Running:
        case ProgressItem::State::Failed:
            working.append(LayerRow{
                item.label,
                item.total,
                item.total > 0 ? static_cast<double>(item.done) / static_cast<double>(item.total)
                               : 0.0,
                over ? 0.0 : item.bytesPerSecond,
                over && item.state == ProgressItem::State::Running ? ProgressItem::State::Waiting
                                                                   : item.state,
                over && item.state == ProgressItem::State::Running ? Tr::tr("Stopped")
                                                                   : item.note});
            break;
        }
    }
    QList<LayerRow> rows;
    if (hereCount > 0) {
        here.label = parts(hereCount);
        here.fraction = 1;
        here.state = ProgressItem::State::AlreadyHere;
        here.note = Tr::tr("Here already or only zeros");
        rows.append(here);
    }
    if (doneCount > 0) {
        done.label = parts(doneCount);
        done.fraction = 1;
        done.state = ProgressItem::State::Done;
        done.note = Tr::tr("Checked and written");
        rows.append(done);
    }
    rows += working;
    if (waitingCount > 0) {
        waiting.label =
            waitingCount == 1 ? Tr::tr("1 more part") : Tr::tr("%1 more parts").arg(waitingCount);
        waiting.note = Tr::tr("Waiting for a connection");
        rows.append(waiting);
    }
    return rows;
}

} // namespace vitrine::ui
