// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QVariant>

namespace vitrine::ui {

// Keeps a value of the user's settings; the file is written on another thread.
void remember(const QString& key, const QVariant& value);

} // namespace vitrine::ui
