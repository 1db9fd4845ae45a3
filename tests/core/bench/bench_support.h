// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QFile>
#include <QString>

#include <gtest/gtest.h>

namespace vitrine::bench {

inline QString s(const char* text) {
    return QString::fromUtf8(text);
}

inline QByteArray contentOf(const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
    return file.readAll();
}

inline QByteArray fixture(const char* name) {
    return contentOf(s(VITRINE_TEST_DATA "/bench/") + s(name));
}

} // namespace vitrine::bench
