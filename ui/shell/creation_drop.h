// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/sharing/path_drop.h"

#include <QStringList>

namespace vitrine::ui {

// What the window says of files that are dragged over it, away from machines: one that a machine
// can be made of opens the dialogue for new machines with it.
[[nodiscard]] PathDrop::Offer creationOffer(const QStringList& paths);

} // namespace vitrine::ui
