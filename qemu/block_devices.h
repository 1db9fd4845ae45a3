// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/byte_count.h"

#include <QJsonObject>
#include <QList>
#include <QString>

#include <functional>

namespace vitrine::qemu {

class QmpClient;

// A disk as QEMU has it now.
struct LiveDisk {
    QString node; // "disk0" is the root disk
    QString file;
    ByteCount size;
    bool readOnly = false;
    bool direct = false;  // past the page cache
    bool noFlush = false; // the guest's flushes are ignored
    [[nodiscard]] QJsonObject toJson() const;
    friend bool operator==(const LiveDisk&, const LiveDisk&) = default;
};
// From the answer to query-named-block-nodes: the nodes of disks, sorted.
[[nodiscard]] QList<LiveDisk> liveDisks(const QJsonValue& nodes);

// Asks QEMU for its disks. The replies come on the thread of the client.
void queryDisks(QmpClient& qmp, std::function<void(Result<QList<LiveDisk>>)> reply);
// block_resize, which would also shrink: refused here, with the size it has. The guest sees the new
// size at once.
void growDisk(QmpClient& qmp,
              const QString& node,
              ByteCount size,
              std::function<void(Result<>)> reply);

} // namespace vitrine::qemu
