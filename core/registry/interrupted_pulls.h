// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/image_reference.h"
#include "core/library/library.h"
#include "core/registry/partial_store.h"

#include <QList>

namespace vitrine {

// A pull that ended before its image was whole: it was stopped, failed, or its program is gone.
struct InterruptedPull {
    ImageReference reference;
    bool insecure = false;  // plain http, as it was asked for
    quint64 bytesHere = 0;  // compressed
    quint64 bytesTotal = 0; // compressed, of the whole image
};

// Keeps beside the partial data what was asked for, in <store>/request.json:
// {"reference": "ghcr.io/a/b:latest", "insecure": false}. By the holder of the store.
Result<> notePull(const PartialStore& store, const ImageReference& reference, bool insecure);

// The partial pulls that nobody works on and that say what they were, newest first. Reads small
// files; any thread.
[[nodiscard]] QList<InterruptedPull> interruptedPulls(const Library& library);

} // namespace vitrine
