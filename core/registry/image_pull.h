// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/image_manifest.h"
#include "core/image/image_reference.h"
#include "core/job/job.h"
#include "core/library/library.h"
#include "core/registry/registry_options.h"

#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine {

struct PullRequest {
    ImageReference reference;
    RegistryOptions registry;
    int concurrency = 4; // 1 … 64
};

// What a pull will do, before a byte of a layer moves.
struct PullPlan {
    ImageReference reference;
    std::shared_ptr<const ImageManifest> manifest;
    bool alreadyHere = false; // image and tag are in the cache
    quint64 bytesToFetch = 0; // compressed
    quint64 bytesHere = 0;    // compressed: kept from an earlier attempt or in cached images
    quint64 spaceNeeded = 0;  // on disk, upper bound: plain bytes that may be written
    quint64 spaceAvailable = 0;
    quint64 spaceReserve = 0; // on disk: must stay free, or the pull refuses to begin
    int layersHere = 0;
    int layers = 0;
    QString credentialsSource; // empty: anonymous
};
// One manifest request, tried twice and never waited for longer than some seconds: somebody looks
// on. The errors are those of `pullImage`.
[[nodiscard]] Result<PullPlan>
planPull(const Library& library, const PullRequest& request, const JobContext& context);

struct PulledImage {
    ImageReference reference;
    Sha256 digest;
    QString directory;
    quint64 bytesFetched = 0; // compressed, over the network in this attempt
    bool wasAlreadyHere = false;
};

// Fetches an image into the library: every check D1 to D18, resume by Range and across runs in
// cache/vitrine-partial/<digest>/, retries, atomic publish, tag link (contract 2 "Pulls"). Straight
// through on the calling thread with `concurrency` workers; memory stays below 200 MiB whatever the
// image.
[[nodiscard]] Result<PulledImage>
pullImage(const Library& library, const PullRequest& request, const JobContext& context);

// GET /v2/ with exactly these credentials; for `login`.
Result<> validateLogin(const QString& host, const RegistryOptions& options);

} // namespace vitrine
