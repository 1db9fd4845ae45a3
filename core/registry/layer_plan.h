// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/image_manifest.h"
#include "core/library/library.h"
#include "core/registry/partial_store.h"

#include <QList>
#include <QString>

#include <vector>

namespace vitrine {

// Where the bytes of one layer come from.
struct LayerPlan {
    enum class Source {
        Here,   // finished by an earlier attempt since this computer started
        Check,  // finished before the computer started again: hash it
        Zeros,  // the plain digest is that of zeros: nothing to do
        Copy,   // another image on this computer has these bytes
        Fetch,  // from the registry, from the beginning or from where an attempt stopped
        Repeat, // the same plain bytes as layer `original` of this image
    };
    Source source = Source::Fetch;
    QString copyPath; // Copy: a disk.img
    quint64 copyOffset = 0;
    int original = -1; // Repeat
};

// Decides without reading any disk: a copy is only a promise until its bytes have been hashed.
[[nodiscard]] std::vector<LayerPlan> planLayers(const Library& library,
                                                const ImageManifest& manifest,
                                                const std::vector<LayerRecord>& records);

struct PlanSums {
    quint64 bytesToFetch = 0; // compressed
    quint64 bytesHere = 0;    // compressed
    quint64 spaceNeeded = 0;  // plain bytes that may still be written
    int layersHere = 0;
};
[[nodiscard]] PlanSums sumUp(const ImageManifest& manifest,
                             const std::vector<LayerPlan>& plan,
                             const std::vector<LayerRecord>& records);

} // namespace vitrine
