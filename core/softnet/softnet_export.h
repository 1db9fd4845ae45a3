// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_values.h"

#include <QByteArray>
#include <QDateTime>

namespace vitrine {

// What was seen, for a file: every field of every destination, in the order given. `clockBegan` is
// when the helper's clock was 0, by this computer's; invalid when that is not known.

// {"machine", "time", "destinations": [SoftnetDestination::toJson() and "lastSeen"]}
[[nodiscard]] QByteArray softnetJson(const QString& machine,
                                     const QList<SoftnetDestination>& seen,
                                     const QDateTime& clockBegan,
                                     const QDateTime& time);
// RFC 4180, with a line of headings. A name, which a guest can choose, that a spreadsheet would
// take for a formula gets an apostrophe before it.
[[nodiscard]] QByteArray softnetCsv(const QList<SoftnetDestination>& seen,
                                    const QDateTime& clockBegan);

} // namespace vitrine
