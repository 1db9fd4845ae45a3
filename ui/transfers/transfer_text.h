// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"

#include <QList>
#include <QString>

namespace vitrine::ui {

// "4.2 of 7.8 GB", both in the unit of the total.
[[nodiscard]] QString amountText(quint64 done, std::optional<quint64> total);
[[nodiscard]] QString speedText(double bytesPerSecond); // "212 MB/s"; empty below 1 B/s
[[nodiscard]] QString secondsLeftText(qint64 seconds);  // "17 s left", "3 min left"
// One line for a job in its state: progress, result or error.
[[nodiscard]] QString statusText(const Job& job);

// Parts of a job as they are shown: those at work one by one, the others summed up in one row each.
// In a job that is `over` no part is at work any more.
struct LayerRow {
    QString label;
    quint64 size = 0; // bytes
    double fraction = 0;
    double bytesPerSecond = 0;
    ProgressItem::State state = ProgressItem::State::Waiting;
    QString note;
    friend bool operator==(const LayerRow&, const LayerRow&) = default;
};
[[nodiscard]] QList<LayerRow> layerRows(const QList<ProgressItem>& items, bool over = false);

} // namespace vitrine::ui
