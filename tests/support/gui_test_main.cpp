// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QStandardPaths>
#include <QStyleFactory>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    QCoreApplication::setApplicationName(QStringLiteral("vitrine-test"));
    QStandardPaths::setTestModeEnabled(true);
    return RUN_ALL_TESTS();
}
