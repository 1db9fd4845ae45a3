// SPDX-License-Identifier: Apache-2.0
// As the window's own program: its watchdog is around every event.
#include "app/application.h"

#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    vitrine::app::Application application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("vitrine-test"));
    QStandardPaths::setTestModeEnabled(true);
    // Other tests run at the same time.
    const QTemporaryDir settings;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, settings.path());
    application.watch();
    return RUN_ALL_TESTS();
}
