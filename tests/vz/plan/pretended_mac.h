// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "vz/plan/host_caps.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

namespace vitrine::vz::test {

// A Mac that can do everything.
inline HostCaps pretendedMac() {
    HostCaps host;
    host.system = {15, 5, 0};
    host.architecture = Architecture::Arm64;
    host.processor = QStringLiteral("Apple M3");
    host.processors = 8;
    host.memory = ByteCount::fromMiB(24576);
    host.virtualization = true;
    host.nested = true;
    host.maximumProcessors = 8;
    host.minimumMemory = ByteCount::fromMiB(4);
    host.maximumMemory = ByteCount::fromMiB(24576);
    host.interfaces = {{QStringLiteral("en0"), QStringLiteral("Wi-Fi")},
                       {QStringLiteral("en7"), QString()}};
    host.rosetta = RosettaState::Installed;
    host.virtualizationEntitled = true;
    host.networkingEntitled = true;
    host.microphone = true;
    host.screens = {{1512, 982, 2}};
    return host;
}

// The directory of a machine, with files as Tart makes them.
class PretendedMachine {
public:
    explicit PretendedMachine(GuestSystem system) {
        info.name = QStringLiteral("web");
        info.directory = m_folder.path() + QStringLiteral("/library/vms/web");
        QDir().mkpath(info.directory);
        MachineConfig config;
        config.system = system;
        config.macAddress = *MacAddress::fromText(u"7e:11:22:33:44:55");
        if (system == GuestSystem::Darwin) {
            config.ecid = "identifier";
            config.hardwareModel = "model";
        }
        info.config = config;
        put("disk.img", QByteArray(4096, 'd'));
        put("nvram.bin", "variables");
    }
    [[nodiscard]] QString path(const char* name) const {
        return info.directory + QLatin1Char('/') + QLatin1String(name);
    }
    [[nodiscard]] QString outside(const char* name) const {
        return m_folder.filePath(QLatin1String(name));
    }
    static void write(const QString& path, const QByteArray& content) {
        QDir().mkpath(path.section(QLatin1Char('/'), 0, -2));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write a file of the test");
    }
    void put(const char* name, const QByteArray& content) const { write(path(name), content); }

    MachineInfo info;

private:
    QTemporaryDir m_folder;
};

} // namespace vitrine::vz::test
