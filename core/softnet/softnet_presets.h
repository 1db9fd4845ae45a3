// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_values.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace vitrine {

// Ready lists for a machine behind Softnet.
struct SoftnetPreset {
    QString name;   // translated
    QString what;   // what it does, a sentence, translated
    QString whyNot; // why it cannot be chosen here; empty when it can
    SoftnetPolicy policy;
};

// "Internet only", "This LAN", "Host services", "Nothing". `networks`: of this computer.
[[nodiscard]] QList<SoftnetPreset> softnetPresets(const QStringList& networks);

// The private networks that this computer is in, as "192.168.1.0/24", without loopback and those
// that only it is in (/31, /32); sorted. Asks the system: not on the window's thread.
[[nodiscard]] QStringList hostNetworks();

} // namespace vitrine
