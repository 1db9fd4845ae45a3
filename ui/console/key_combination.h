// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

namespace vitrine::ui {

// One key as it goes to the guest.
struct GuestKey {
    quint32 keysym = 0; // X11
    quint32 qnum = 0;
    friend bool operator==(const GuestKey&, const GuestKey&) = default;
};

// Keys that the window or the desktop would keep for itself, to be sent from the menu: pressed in
// order, released in reverse.
struct KeyCombination {
    QString text; // translated: "Ctrl+Alt+Del"
    QList<GuestKey> keys;
};

// In the order of the menu; groups are divided by a line.
[[nodiscard]] QList<QList<KeyCombination>> sendableCombinations();

} // namespace vitrine::ui
