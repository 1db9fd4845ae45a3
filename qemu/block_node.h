// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/launch_plan.h"

#include <QJsonObject>
#include <QMap>

#include <optional>

namespace vitrine::qemu {

// -blockdev of a disk. docs/disks.md says what the options mean; formats are never probed
// (contract 5).
[[nodiscard]] QJsonObject blockNode(const QString& node, const PlannedDisk& disk);
// -object that an encrypted network disk refers to; nullopt for any other disk.
[[nodiscard]] std::optional<QJsonObject> tlsCredentials(const QString& node,
                                                        const PlannedDisk& disk);
// What people know the network disks by, for each node; other disks are left out.
[[nodiscard]] QMap<QString, QString> networkDisks(const LaunchPlan& plan);

} // namespace vitrine::qemu
