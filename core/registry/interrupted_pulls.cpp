// SPDX-License-Identifier: Apache-2.0
#include "core/registry/interrupted_pulls.h"

#include "core/disk/small_file.h"
#include "core/registry/image_publisher.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <optional>

namespace vitrine {

namespace {

constexpr auto fileName = QLatin1String("/request.json");
constexpr auto referenceKey = QLatin1String("reference");
constexpr auto insecureKey = QLatin1String("insecure");
constexpr qint64 longestNote = 64 * 1024;
constexpr qint64 longestManifest = 16 * 1024 * 1024;

std::optional<InterruptedPull> read(const Library& library, const QString& path) {
    const auto note = readSmallFile(path + fileName, longestNote);
    const auto bytes = readSmallFile(path + QLatin1String("/image/manifest.json"), longestManifest);
    if (!note || !bytes)
        return std::nullopt;
    const QJsonObject asked = QJsonDocument::fromJson(*note).object();
    const auto reference = ImageReference::fromText(asked.value(referenceKey).toString());
    const auto manifest = ImageManifest::fromBytes(*bytes);
    if (!reference || !manifest || manifest->digest().toHex() != QFileInfo(path).fileName() ||
        isImageHere(library, *reference, manifest->digest()))
        return std::nullopt;
    InterruptedPull pull{*reference, asked.value(insecureKey).toBool(), 0, 0};
    pull.bytesTotal = manifest->fetchSize();
    const auto records = PartialStore::peek(library, *manifest);
    for (size_t i = 0; i < records.size(); ++i) {
        const DiskLayer& layer = manifest->disk().at(static_cast<qsizetype>(i));
        if (records[i].state == LayerRecord::State::Done)
            pull.bytesHere += layer.blob.size;
        else if (records[i].state == LayerRecord::State::Begun)
            pull.bytesHere += records[i].compressed;
    }
    return pull;
}

} // namespace

Result<> notePull(const PartialStore& store, const ImageReference& reference, bool insecure) {
    const QJsonObject note{{referenceKey, reference.toText()}, {insecureKey, insecure}};
    return replaceFile(store.path() + fileName, QJsonDocument(note).toJson());
}

QList<InterruptedPull> interruptedPulls(const Library& library) {
    QList<InterruptedPull> pulls;
    const QStringList paths = partialPullDirectories(library);
    for (const QString& path : paths) {
        const auto lock = DirectoryLock::tryLock(path); // somebody is at work where it is held
        if (!lock)
            continue;
        if (auto pull = read(library, path))
            pulls.append(*std::move(pull));
    }
    return pulls;
}

} // namespace vitrine
