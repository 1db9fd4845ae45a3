// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/image_reference.h"
#include "core/library/library.h"
#include "core/registry/partial_store.h"

#include <QString>

#include <functional>
#include <stop_token>

namespace vitrine {

// The three files of the image are in its digest's directory.
[[nodiscard]] bool
isImageStored(const Library& library, const ImageReference& reference, const Sha256& digest);

// Stored, and the reference leads to it: by its tag, or for a digest by the mark that keeps the
// image from being collected.
[[nodiscard]] bool
isImageHere(const Library& library, const ImageReference& reference, const Sha256& digest);

// W10: nothing but folders on the way to the image, nothing but a link where the tag goes. Tags
// and namespaces share one tree, so a tag can be in the way of a namespace and the other way round.
// Unsupported when the partial data could not be renamed there.
Result<> checkImagePath(const Library& library, const ImageReference& reference);

struct Publication {
    const Library& library;
    const ImageReference& reference;
    const Sha256& digest;
    std::stop_token stop;
    std::function<void()> onWait; // another program holds the registry host's lock
};
// Moves the finished image to its digest's directory without ever replacing one, links the tag by
// rename and collects what no tag leads to any more (specification 1.7, 3.10). Host lock only here.
// An image that is there already wins. `store` null: the image is there, only the tag is linked.
// Returns the directory.
[[nodiscard]] Result<QString> publishImage(const Publication& publication, PartialStore* store);

// Brings the whole file to the disk; a stop is seen within about a fifth of a second. `report` gets
// the bytes that are safe.
Result<> flushFile(int descriptor,
                   const QString& path,
                   quint64 size,
                   const std::stop_token& stop,
                   const std::function<void(quint64)>& report);

} // namespace vitrine
