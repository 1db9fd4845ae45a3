// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/result/result.h"
#include "core/value/byte_count.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine::ui {

// What was chosen for a new machine.
struct CreationChoice {
    enum class Kind { Disc, DiskImage, MacOs };
    // By its name, without looking at the disk; none when nothing can be made of it.
    [[nodiscard]] static std::optional<Kind> kindOfFile(const QString& path);
    Kind kind = Kind::Disc;
    QString name;
    QString file; // absolute; empty for macOS: the latest restore image
    Architecture architecture = hostArchitecture(); // not of macOS
    int cpuCount = 4;                               // as is the memory: macOS says what it needs
    ByteCount memory = ByteCount::fromMiB(4096);
    std::optional<unsigned> diskSize = {}; // GB; not given: the size of the disk image

    // The words of `vitrinectl create`, beginning with "create"; `more` is put before the name.
    [[nodiscard]] QStringList words(const QStringList& more = {}) const;
};

// What the disk says to it.
struct CreationOutlook {
    std::optional<Error> problem; // with the file
    std::optional<ByteCount> fileSize;
    ByteCount atFirst; // bytes that the machine takes when it is made
    ByteCount volume;  // size of the library's volume
    ByteCount available;
};
// Reads the disk: call it off the window's thread.
[[nodiscard]] CreationOutlook lookAhead(const CreationChoice& choice, const QString& libraryHome);

} // namespace vitrine::ui
