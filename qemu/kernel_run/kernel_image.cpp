// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_image.h"

#include "core/disk/file_descriptor.h"

#include <QDir>
#include <QFile>
#include <QtEndian>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <string_view>
#include <sys/stat.h>

namespace vitrine::qemu {

namespace {

constexpr qint64 largestKernel = 1LL << 30; // bytes
constexpr qint64 smallestKernel = 0x300;    // shorter than any of the headers
constexpr qsizetype longestVersion = 128;

using Bytes = std::string_view;

template <class Number>
Number littleEndian(Bytes bytes, std::size_t offset) {
    return qFromLittleEndian<Number>(bytes.data() + offset);
}

Error cutOff(const QString& path) {
    return {Error::Kind::Integrity,
            Tr::tr("The kernel \"%1\" is cut off: its file is shorter than its header says. Copy "
                   "or build it again.")
                .arg(path),
            {}};
}

Error unsupported(const QString& message) {
    return {Error::Kind::Unsupported, message, {}};
}

// The first word of a text that came from the file: letters that a release has, nothing else.
QString releaseAt(Bytes bytes, std::size_t offset) {
    QString release;
    while (offset < bytes.size() && release.size() < longestVersion) {
        const char c = bytes[offset++];
        const bool fits = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_' || c == '+' ||
                          c == '~';
        if (!fits) {
            break;
        }
        release += QLatin1Char(c);
    }
    // It becomes a part of a path.
    return release.startsWith(QLatin1Char('.')) ? QString() : release;
}

// What /proc/version begins with, somewhere in an image that is not packed.
QString releaseInside(Bytes bytes) {
    constexpr Bytes banner = "Linux version ";
    const std::boyer_moore_horspool_searcher searcher(banner.begin(), banner.end());
    auto from = bytes.begin();
    for (;;) {
        const auto found = std::search(from, bytes.end(), searcher);
        if (found == bytes.end()) {
            return {};
        }
        from = found + static_cast<std::ptrdiff_t>(banner.size());
        const QString release = releaseAt(bytes, static_cast<std::size_t>(from - bytes.begin()));
        // "Linux version %s" stands there too.
        if (!release.isEmpty() && release.at(0).isDigit()) {
            return release;
        }
    }
}

bool isBzImage(Bytes bytes) {
    return littleEndian<quint16>(bytes, 0x1fe) == 0xaa55 && bytes.substr(0x202, 4) == "HdrS";
}

Result<> readBzImage(Bytes bytes, KernelImage& image) {
    image.format = KernelImage::Format::BzImage;
    image.architecture = Architecture::Amd64;
    constexpr quint64 sector = 512;
    constexpr quint64 paragraph = 16;
    const quint64 setupSectors = std::max<quint64>(static_cast<unsigned char>(bytes[0x1f1]), 1);
    const quint64 setup = (setupSectors == 1 && bytes[0x1f1] == 0 ? 5 : setupSectors + 1) * sector;
    const quint64 expected = setup + littleEndian<quint32>(bytes, 0x1f4) * paragraph;
    // The size is rounded up, and a signature may follow.
    if (bytes.size() + paragraph <= expected) {
        return fail(cutOff(image.path));
    }
    if (littleEndian<quint16>(bytes, 0x206) < 0x20c ||
        (littleEndian<quint16>(bytes, 0x236) & 1U) == 0) {
        return fail(unsupported(Tr::tr("The kernel \"%1\" is for 32-bit processors, which is not "
                                       "possible here. Take one for amd64.")
                                    .arg(image.path)));
    }
    if (const quint16 place = littleEndian<quint16>(bytes, 0x20e); place != 0) {
        image.version = releaseAt(bytes, place + sector);
    }
    return {};
}

Result<> readElf(Bytes bytes, KernelImage& image) {
    image.format = KernelImage::Format::Elf;
    image.architecture = Architecture::Amd64;
    constexpr quint16 amd64 = 62;
    constexpr char class64 = 2;
    constexpr char littleEndianData = 1;
    if (bytes[4] != class64 || bytes[5] != littleEndianData ||
        littleEndian<quint16>(bytes, 18) != amd64) {
        return fail(unsupported(Tr::tr("\"%1\" is an ELF file, but no kernel for amd64. For arm64 "
                                       "give the file Image (arch/arm64/boot/Image).")
                                    .arg(image.path)));
    }
    // Where the last part that is loaded ends; a file that was stripped has nothing behind it.
    const quint64 headers = littleEndian<quint64>(bytes, 32);
    const quint16 size = littleEndian<quint16>(bytes, 54);
    const quint16 count = littleEndian<quint16>(bytes, 56);
    constexpr quint16 headerSize = 56;
    if (size != headerSize || headers > bytes.size() ||
        headers + quint64{size} * count > bytes.size()) {
        return fail(cutOff(image.path));
    }
    for (quint16 i = 0; i < count; ++i) {
        const std::size_t at = headers + std::size_t{size} * i;
        const quint64 offset = littleEndian<quint64>(bytes, at + 8);
        const quint64 length = littleEndian<quint64>(bytes, at + 32);
        if (offset > bytes.size() || length > bytes.size() - offset) {
            return fail(cutOff(image.path));
        }
    }
    image.version = releaseInside(bytes);
    return {};
}

Result<> readArm64(Bytes bytes, KernelImage& image) {
    image.format = KernelImage::Format::Arm64Image;
    image.architecture = Architecture::Arm64;
    image.version = releaseInside(bytes);
    // The header counts what is only made in memory too, so the length says nothing; but an image
    // without its own version is not whole.
    if (image.version.isEmpty()) {
        return fail(cutOff(image.path));
    }
    return {};
}

Result<> readFormat(Bytes bytes, KernelImage& image) {
    if (isBzImage(bytes)) {
        return readBzImage(bytes, image);
    }
    if (bytes.substr(0, 4) == "\177ELF") {
        return readElf(bytes, image);
    }
    if (bytes.substr(0x38, 4) == "ARM\x64") {
        return readArm64(bytes, image);
    }
    const bool gzip = bytes.substr(0, 2) == "\x1f\x8b";
    if (gzip || (bytes.substr(0, 2) == "MZ" && bytes.substr(4, 4) == "zimg")) {
        return fail(unsupported(
            Tr::tr("The kernel \"%1\" is packed (%2). Give the file it is "
                   "made of, Image.")
                .arg(image.path, gzip ? QStringLiteral("gzip") : QStringLiteral("zboot"))));
    }
    return fail(unsupported(Tr::tr("\"%1\" is no kernel that can be started: neither a bzImage or "
                                   "vmlinux for amd64 nor an Image for arm64.")
                                .arg(image.path)));
}

} // namespace

Result<KernelImage> KernelImage::read(const QString& path) {
    KernelImage image;
    image.path = QDir::cleanPath(QDir::current().absoluteFilePath(path));
    QFile file(image.path);
    struct stat status {};
    // Not a pipe: opening it would wait.
    const FileDescriptor descriptor(
        ::open(QFile::encodeName(image.path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!descriptor.isValid() || ::fstat(descriptor.get(), &status) != 0) {
        if (errno == EACCES || errno == EPERM) {
            return fail(Error::Kind::Permission,
                        Tr::tr("The kernel \"%1\" cannot be read: its permissions do not let you. "
                               "Let an administrator copy it for you (sudo install -m 0644 -o "
                               "\"$USER\" %1 .), or build one.")
                            .arg(image.path));
        }
        if (errno == ENOENT || errno == ENOTDIR) {
            return fail(Error::Kind::NotFound,
                        Tr::tr("There is no kernel \"%1\". Give the path of a bzImage, a vmlinux "
                               "or an Image.")
                            .arg(image.path));
        }
        return fail(
            Error::fromErrno(Tr::tr("The kernel \"%1\" cannot be read.").arg(image.path), errno));
    }
    if (!S_ISREG(status.st_mode) || status.st_size > largestKernel) {
        return fail(unsupported(
            Tr::tr("\"%1\" is no kernel: it is not a file of a kernel's size.").arg(image.path)));
    }
    if (status.st_size < smallestKernel) {
        return fail(cutOff(image.path));
    }
    if (!file.open(descriptor.get(), QIODevice::ReadOnly)) {
        return fail(Error::Kind::Internal,
                    Tr::tr("The kernel \"%1\" cannot be read. The system says: %2.")
                        .arg(image.path, file.errorString()));
    }
    const uchar* const mapped = file.map(0, status.st_size);
    if (mapped == nullptr) {
        return fail(Error::Kind::Internal,
                    Tr::tr("The kernel \"%1\" cannot be read. The system says: %2.")
                        .arg(image.path, file.errorString()));
    }
    const Bytes bytes(reinterpret_cast<const char*>(mapped),
                      static_cast<std::size_t>(status.st_size));
    if (const Result<> known = readFormat(bytes, image); !known) {
        return fail(known.error());
    }
    return image;
}

} // namespace vitrine::qemu
