// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/machine/machine_config.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine::test {

inline void put(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate)) << path.toStdString();
    file.write(bytes);
}

inline QByteArray get(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("missing");
}

inline QByteArray configText(int cpuCount = 2) {
    MachineConfig config;
    config.architecture = Architecture::Amd64;
    config.cpuCount = cpuCount;
    config.macAddress = *MacAddress::fromText(u"02:00:00:00:00:01");
    return config.toJson();
}

// Files of a machine or image; the disk has `diskSize` bytes and a little data.
inline void fillMachine(const QString& directory,
                        const QByteArray& config = configText(),
                        qint64 diskSize = 1000000) {
    ASSERT_TRUE(QDir().mkpath(directory));
    put(directory + QStringLiteral("/config.json"), config);
    put(directory + QStringLiteral("/nvram.bin"), "variables");
    QFile disk(directory + QStringLiteral("/disk.img"));
    ASSERT_TRUE(disk.open(QIODevice::WriteOnly | QIODevice::Truncate));
    disk.write(QByteArray("boot").leftJustified(8192, '.'));
    ASSERT_TRUE(disk.resize(diskSize));
}

// A library in a temporary folder.
class LibraryTest : public testing::Test {
protected:
    LibraryTest()
        : m_library(*Library::open(m_folder.filePath(QStringLiteral("home")))) {}

    QString addMachine(const QString& name, const QByteArray& config = configText()) {
        const QString directory = m_library.machinesPath() + QLatin1Char('/') + name;
        fillMachine(directory, config);
        return directory;
    }
    // Returns the digest directory; `tag` may be empty.
    QString addImage(const QString& repository, QChar digit, const QString& tag) {
        const QString folder = m_library.imagesPath() + QLatin1Char('/') + repository;
        const QString directory = folder + QStringLiteral("/sha256:") + QString(64, digit);
        fillMachine(directory);
        const bool linked =
            tag.isEmpty() || QFile::link(directory, folder + QLatin1Char('/') + tag);
        EXPECT_TRUE(linked);
        return directory;
    }
    static MachineName name(const char* text) {
        return *MachineName::fromText(QLatin1String(text));
    }
    QStringList names(const QList<MachineInfo>& list) const {
        QStringList result;
        for (const MachineInfo& info : list)
            result.append(info.name);
        return result;
    }
    [[nodiscard]] QStringList temporaryEntries() const {
        return QDir(m_library.temporaryPath())
            .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }

    QTemporaryDir m_folder;
    Library m_library;
};

} // namespace vitrine::test
