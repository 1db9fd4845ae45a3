// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/window_memory.h"

#include "ui/machines/background.h"

#include <QSettings>

namespace vitrine::ui {

void remember(const QString& key, const QVariant& value) {
    runInBackground([key, value] {
        QSettings settings;
        settings.setValue(key, value);
        settings.sync();
    });
}

} // namespace vitrine::ui
