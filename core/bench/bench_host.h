// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>

namespace vitrine::bench {

// What this computer is: "hardware", "os", "kernel", "memory_bytes"; what is not known is absent.
// `root` is put before /proc, /sys and /etc.
[[nodiscard]] QJsonObject hostInfo(const QString& root = {});

// What disturbs a measurement now: "load" (runnable programs, last minute), "mhz", "celsius" (the
// hottest sensor), "memory_pressure" (percent of the last 10 s that something waited for memory),
// "on_battery".
[[nodiscard]] QJsonObject hostNoise(const QString& root = {});

} // namespace vitrine::bench
