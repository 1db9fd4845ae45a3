// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/result/result.h"

#include <QByteArray>
#include <QString>

namespace vitrine::qemu {

// A kernel that QEMU can start, as its file tells: a bzImage (Documentation/arch/x86/boot.rst), an
// ELF file for amd64 (vmlinux with a PVH entry) or an Image for arm64
// (Documentation/arch/arm64/booting.rst). A plain value.
struct KernelImage {
    enum class Format { BzImage, Elf, Arm64Image };
    QString path; // absolute
    Format format = Format::BzImage;
    Architecture architecture = Architecture::Amd64;
    QString version; // "6.1.0-57-amd64"; empty when the file does not tell

    // Reads the file. NotFound; Permission for one that this user may not read; Integrity for one
    // that is cut off; Unsupported for what is no kernel or one of another kind. Any thread.
    [[nodiscard]] static Result<KernelImage> read(const QString& path);

    friend bool operator==(const KernelImage&, const KernelImage&) = default;
};

} // namespace vitrine::qemu
