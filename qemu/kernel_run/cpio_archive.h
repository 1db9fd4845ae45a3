// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

namespace vitrine::qemu {

// Writes a cpio archive in the format "newc", which kernels take as their first file system
// (linux/Documentation/driver-api/early-userspace/buffer-format.rst). Everything belongs to root.
// Names are relative, without "." and "..", at most 4095 bytes; a folder is added before what is in
// it. A plain value; any thread.
class CpioArchive final {
public:
    void addFolder(const QByteArray& name, quint32 permissions = 0755);
    void addFile(const QByteArray& name, const QByteArray& bytes, quint32 permissions = 0644);
    void addLink(const QByteArray& name, const QByteArray& target);
    void addPipe(const QByteArray& name, quint32 permissions); // a named one
    // The whole archive with its end; nothing may be added afterwards.
    [[nodiscard]] QByteArray finish();

private:
    void addEntry(const QByteArray& name, quint32 mode, const QByteArray& bytes);
    void pad();

    QByteArray m_bytes;
    quint32 m_number = 0; // of the last entry
};

} // namespace vitrine::qemu
