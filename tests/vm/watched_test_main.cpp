// SPDX-License-Identifier: Apache-2.0
// As the window's own program: its watchdog is around every event.
#include "app/application.h"

#include <QStandardPaths>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    vitrine::app::Application application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("vitrine-test"));
    QStandardPaths::setTestModeEnabled(true);
    application.watch();
    return RUN_ALL_TESTS();
}
