// SPDX-License-Identifier: Apache-2.0
// A manifest that is accepted keeps every promise of its header; a reference that is accepted reads
// back as itself.
#include "core/image/image_manifest.h"
#include "core/image/image_reference.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const QByteArray input(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    if (const auto manifest = vitrine::ImageManifest::fromBytes(input)) {
        quint64 offset = 0;
        for (const vitrine::DiskLayer& layer : manifest->disk()) {
            if (layer.plainOffset != offset)
                std::abort();
            offset += layer.plainSize;
        }
        if (manifest->bytes() != input || manifest->diskSize() != offset ||
            offset > quint64{64} << 40)
            std::abort();
        (void)manifest->fetchSize();
    }
    const QString text = QString::fromUtf8(input);
    if (const auto reference = vitrine::ImageReference::fromText(text)) {
        const auto again = vitrine::ImageReference::fromText(reference->toText());
        if (!again || *again != *reference || text.contains(QLatin1String("..")))
            std::abort();
    }
    return 0;
}
