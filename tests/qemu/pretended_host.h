// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/host_info.h"

#include <QFile>
#include <QTemporaryDir>

namespace vitrine::qemu {

// A folder with pretended programs and firmware, so that tests do not depend on what is installed.
class PretendedHost final {
public:
    PretendedHost() {
        m_paths.folders = {m_folder.path()};
        m_paths.cacheFile = m_folder.filePath(QStringLiteral("cache/host.json"));
        m_paths.kvmDevice = m_folder.filePath(QStringLiteral("kvm"));
        m_paths.ovmfFolder = m_folder.path();
        m_paths.aavmfFolder = m_folder.path();
        m_paths.soundServer = m_folder.filePath(QStringLiteral("pulse"));
        m_paths.softnet = m_folder.filePath(QStringLiteral("vitrine-softnet"));
        write("vitrine-softnet", "#!/bin/sh\n");
        QFile::setPermissions(m_paths.softnet, QFile::ReadOwner | QFile::ExeOwner);
        m_paths.virtiofsd = {m_folder.filePath(QStringLiteral("virtiofsd"))};
    }

    [[nodiscard]] const ProgramPaths& paths() const { return m_paths; }
    [[nodiscard]] QString path(const char* name) const {
        return m_folder.filePath(QLatin1String(name));
    }

    void write(const char* name, const QByteArray& content) const {
        QFile file(path(name));
        if (file.open(QIODevice::WriteOnly))
            file.write(content);
    }
    // A shell script. `body` runs when it is not asked for --version.
    void addProgram(const char* name, const char* version, const QByteArray& body) const {
        write(
            name,
            QByteArray("#!/bin/sh\nif [ \"$1\" = --version ]; then echo \"QEMU emulator version ") +
                version + "\"; exit 0; fi\n" + body + '\n');
        QFile::setPermissions(path(name), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    // What the test guest does where KVM works.
    [[nodiscard]] static QByteArray goodEnd() {
        return hostArchitecture() == Architecture::Arm64 ? "printf VMFCU; exit 0"
                                                         : "printf RPLFCU; exit 33";
    }
    void addEmulators() const {
        addProgram("qemu-system-x86_64", "7.2.22", goodEnd());
        addProgram("qemu-system-aarch64", "7.2.22", goodEnd());
    }
    void addFirmware() const {
        write("OVMF_CODE_4M.fd", QByteArray(4096, 'c'));
        write("AAVMF_CODE.fd", QByteArray(4096, 'c'));
        write("OVMF_VARS_4M.fd", variableStore(8192));
        write("AAVMF_VARS.fd", QByteArray(65536, '\0'));
    }
    void addKvm() const { write("kvm", "x"); }

    [[nodiscard]] static QByteArray variableStore(int size) {
        QByteArray store(size, '\0');
        store.replace(40, 4, "_FVH");
        return store;
    }

private:
    QTemporaryDir m_folder;
    ProgramPaths m_paths;
};

} // namespace vitrine::qemu
