// SPDX-License-Identifier: Apache-2.0
#include "core/registry/layer_plan.h"

#include "core/disk/small_file.h"

#include <QDir>
#include <QFileInfo>
#include <QHash>

#include <map>

namespace vitrine {
namespace {

constexpr qint64 longestManifest = 16 * 1024 * 1024;
constexpr quint64 usualLayer = 512ULL * 1024 * 1024;

// Knows the digests of runs of zeros. Only layers that are as small as packed zeros are asked for,
// and only a few sizes are computed: sizes come from the manifest and are untrusted.
class ZeroDigests final {
public:
    bool matches(const DiskLayer& layer) {
        if (layer.plainSize == 0 || layer.blob.size > layer.plainSize / 100 + 1024)
            return false;
        if (layer.plainSize == usualLayer)
            return layer.plainDigest == usual();
        auto known = m_known.find(layer.plainSize);
        if (known == m_known.end()) {
            if (m_known.size() >= 4 || layer.plainSize > usualLayer)
                return false;
            Sha256Hasher hasher;
            hasher.addZeros(layer.plainSize);
            known = m_known.emplace(layer.plainSize, hasher.finish()).first;
        }
        return layer.plainDigest == known->second;
    }

private:
    // 512 MiB of zeros, specification 3.5.
    static const Sha256& usual() {
        static const Sha256 digest =
            *Sha256::fromHex(u"9acca8e8c22201155389f65abbf6bc9723edc7384ead80503839f49dcc56d767");
        return digest;
    }
    std::map<quint64, Sha256> m_known;
};

struct Place {
    QString path;
    quint64 offset = 0;
};

// Plain bytes on this computer by digest and size: layers of cached images and finished layers of
// other partial pulls.
class LocalLayers final {
public:
    explicit LocalLayers(const Library& library) {
        if (const auto images = library.images()) {
            for (const MachineInfo& image : *images) {
                if (image.byDigest)
                    addImage(image.directory);
            }
        }
        const QStringList partials = partialPullDirectories(library);
        for (const QString& path : partials)
            addPartial(library, path + QLatin1String("/image"));
    }

    [[nodiscard]] const Place* find(const DiskLayer& layer) const {
        const auto found = m_places.constFind(layer.plainDigest);
        if (found == m_places.constEnd() || found->first != layer.plainSize)
            return nullptr;
        return &found->second;
    }

private:
    static std::optional<ImageManifest> manifestIn(const QString& directory) {
        const auto bytes =
            readSmallFile(directory + QLatin1String("/manifest.json"), longestManifest);
        if (!bytes)
            return std::nullopt;
        auto manifest = ImageManifest::fromBytes(*bytes);
        if (!manifest)
            return std::nullopt;
        return *std::move(manifest);
    }
    void add(const DiskLayer& layer, const QString& disk) {
        if (!m_places.contains(layer.plainDigest))
            m_places.insert(layer.plainDigest, {layer.plainSize, {disk, layer.plainOffset}});
    }
    void addImage(const QString& directory) {
        const QString disk = directory + QLatin1String("/disk.img");
        const auto manifest = manifestIn(directory);
        if (!manifest || static_cast<quint64>(QFileInfo(disk).size()) != manifest->diskSize())
            return;
        for (const DiskLayer& layer : manifest->disk())
            add(layer, disk);
    }
    void addPartial(const Library& library, const QString& directory) {
        const auto manifest = manifestIn(directory);
        if (!manifest)
            return;
        const auto records = PartialStore::peek(library, *manifest);
        for (size_t i = 0; i < records.size(); ++i) {
            if (records[i].state == LayerRecord::State::Done)
                add(manifest->disk().at(static_cast<qsizetype>(i)),
                    directory + QLatin1String("/disk.img"));
        }
    }

    QHash<Sha256, std::pair<quint64, Place>> m_places;
};

} // namespace

std::vector<LayerPlan> planLayers(const Library& library,
                                  const ImageManifest& manifest,
                                  const std::vector<LayerRecord>& records) {
    const auto& layers = manifest.disk();
    std::vector<LayerPlan> plan(static_cast<size_t>(layers.size()));
    ZeroDigests zeros;
    QHash<Sha256, int> firsts;
    std::optional<LocalLayers> local; // looked for only when something has to be fetched
    for (int i = 0; i < layers.size(); ++i) {
        const DiskLayer& layer = layers.at(i);
        LayerPlan& entry = plan[static_cast<size_t>(i)];
        const LayerRecord& record = records[static_cast<size_t>(i)];
        if (record.state == LayerRecord::State::Done) {
            entry.source = record.sameBoot ? LayerPlan::Source::Here : LayerPlan::Source::Check;
            firsts.insert(layer.plainDigest, i);
            continue;
        }
        if (zeros.matches(layer)) {
            entry.source = LayerPlan::Source::Zeros;
            continue;
        }
        const auto first = firsts.constFind(layer.plainDigest);
        if (first != firsts.constEnd() && layers.at(*first).plainSize == layer.plainSize) {
            entry.source = LayerPlan::Source::Repeat;
            entry.original = *first;
            continue;
        }
        firsts.insert(layer.plainDigest, i);
        if (!local)
            local.emplace(library);
        if (const Place* const place = local->find(layer)) {
            entry.source = LayerPlan::Source::Copy;
            entry.copyPath = place->path;
            entry.copyOffset = place->offset;
        }
    }
    return plan;
}

PlanSums sumUp(const ImageManifest& manifest,
               const std::vector<LayerPlan>& plan,
               const std::vector<LayerRecord>& records) {
    PlanSums sums;
    sums.bytesToFetch = manifest.config().size + manifest.nvram().size;
    if (manifest.ociConfig())
        sums.bytesToFetch += manifest.ociConfig()->size;
    for (size_t i = 0; i < plan.size(); ++i) {
        const DiskLayer& layer = manifest.disk().at(static_cast<qsizetype>(i));
        const LayerRecord& record = records[i];
        switch (plan[i].source) {
        case LayerPlan::Source::Here:
        case LayerPlan::Source::Check:
        case LayerPlan::Source::Zeros:
            sums.bytesHere += layer.blob.size;
            ++sums.layersHere;
            break;
        case LayerPlan::Source::Copy:
        case LayerPlan::Source::Repeat:
            sums.bytesHere += layer.blob.size;
            sums.spaceNeeded += layer.plainSize;
            ++sums.layersHere;
            break;
        case LayerPlan::Source::Fetch: {
            const bool begun = record.state == LayerRecord::State::Begun;
            const quint64 compressed = begun ? record.compressed : 0;
            sums.bytesHere += compressed;
            sums.bytesToFetch += layer.blob.size - compressed;
            sums.spaceNeeded += layer.plainSize - (begun ? record.plain : 0);
            break;
        }
        }
    }
    return sums;
}

} // namespace vitrine
