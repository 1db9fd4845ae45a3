// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/library/library.h"
#include "core/library/runtime_directory.h"
#include "core/machine/machine_config.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <optional>

namespace vitrine::test {

// A library in a temporary folder with machines that are as small as machines can be.
class SmallLibrary final {
public:
    SmallLibrary()
        : library(*Library::open(m_folder.path() + QLatin1String("/library"))) {}

    // Makes a stopped machine and returns its directory.
    QString add(const QString& name, const MachineConfig& config = smallConfig()) {
        const QString directory = library.machinesPath() + QLatin1Char('/') + name;
        QDir().mkpath(directory);
        write(directory + QLatin1String("/config.json"), config.toJson());
        write(directory + QLatin1String("/disk.img"), QByteArray(1 << 20, '\0'));
        write(directory + QLatin1String("/nvram.bin"), {});
        return directory;
    }

    [[nodiscard]] static MachineConfig smallConfig() {
        MachineConfig config;
        config.architecture = hostArchitecture();
        config.cpuCountMinimum = config.cpuCount = 1;
        config.memoryMinimum = config.memory = ByteCount::fromMiB(128);
        config.macAddress = MacAddress::random();
        return config;
    }

    static void write(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        file.open(QIODevice::WriteOnly);
        file.write(bytes);
    }

private:
    QTemporaryDir m_folder;

public:
    Library library;
};

// The locks of a running machine, held by this process.
struct HeldMachine {
    ConfigFile config;
    RuntimeDirectory runtime;
    DirectoryLock alive;

    [[nodiscard]] static std::optional<HeldMachine> take(const Library& library,
                                                         const QString& directory) {
        auto config = ConfigFile::tryLock(directory + QLatin1String("/config.json"));
        auto runtime = RuntimeDirectory::locate(library.home(), directory);
        if (!config || !runtime) {
            return std::nullopt;
        }
        auto alive = runtime->claim();
        if (!alive) {
            return std::nullopt;
        }
        return HeldMachine{std::move(*config), std::move(*runtime), std::move(*alive)};
    }
};

} // namespace vitrine::test
