// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QStandardPaths>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("vitrine-test"));
    QStandardPaths::setTestModeEnabled(true);
    return RUN_ALL_TESTS();
}
