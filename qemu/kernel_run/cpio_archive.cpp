// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/cpio_archive.h"

#include <array>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr quint32 pipeType = 0010000;
constexpr quint32 folderType = 0040000;
constexpr quint32 fileType = 0100000;
constexpr quint32 linkType = 0120000;
constexpr qsizetype boundary = 4; // of names' ends and contents

} // namespace

void CpioArchive::addFolder(const QByteArray& name, quint32 permissions) {
    addEntry(name, folderType | permissions, {});
}

void CpioArchive::addFile(const QByteArray& name, const QByteArray& bytes, quint32 permissions) {
    addEntry(name, fileType | permissions, bytes);
}

void CpioArchive::addLink(const QByteArray& name, const QByteArray& target) {
    addEntry(name, linkType | 0777, target);
}

void CpioArchive::addPipe(const QByteArray& name, quint32 permissions) {
    addEntry(name, pipeType | permissions, {});
}

QByteArray CpioArchive::finish() {
    addEntry("TRAILER!!!", 0, {});
    return std::exchange(m_bytes, {});
}

void CpioArchive::addEntry(const QByteArray& name, quint32 mode, const QByteArray& bytes) {
    const bool folder = (mode & folderType) != 0 && (mode & fileType) == 0;
    const std::array<quint32, 13> fields{++m_number,
                                         mode,
                                         0, // owner
                                         0, // group
                                         folder ? 2U : 1U,
                                         0, // time
                                         static_cast<quint32>(bytes.size()),
                                         0, // the device it is on, two numbers
                                         0,
                                         0, // the device it is, two numbers
                                         0,
                                         static_cast<quint32>(name.size() + 1),
                                         0}; // check sum, of another format
    m_bytes += "070701";
    for (const quint32 field : fields) {
        m_bytes += QByteArray::number(field, 16).rightJustified(8, '0');
    }
    m_bytes += name;
    m_bytes += '\0';
    pad();
    m_bytes += bytes;
    pad();
}

void CpioArchive::pad() {
    while (m_bytes.size() % boundary != 0) {
        m_bytes += '\0';
    }
}

} // namespace vitrine::qemu
