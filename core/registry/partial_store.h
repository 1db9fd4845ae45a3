// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/disk/file_lock.h"
#include "core/image/image_manifest.h"
#include "core/library/library.h"

#include <QString>

#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

namespace vitrine {

// How far one layer of a partial pull has come. Offsets are counted from the layer's beginning.
struct LayerRecord {
    enum class State : quint32 { Missing = 0, Begun = 1, Done = 2 };
    State state = State::Missing;
    quint64 compressed = 0; // bytes of the frame that are decoded; a block begins here
    quint64 plain = 0;      // bytes that lie in disk.img
    // Written since this computer started: what the page cache took is there. After a crash of the
    // system the disk may hold less than this record says.
    bool sameBoot = true;
};

// The partial data of one image, Library::partialPath()/<hex of the manifest digest>/:
//   image/   what will be published: manifest.json, disk.img, config.json, nvram.bin
//   layers   the records: a header of 64 bytes and 32 bytes a layer, little-endian
// The directory is flocked for the life of this value (contract 2, "Pulls"). record() may be
// called from several threads, everything else from one.
class PartialStore final {
public:
    // Waits for another pull of the same image; `onWait` is called when there is one. Data that
    // does not fit is thrown away.
    [[nodiscard]] static Result<PartialStore> open(const Library& library,
                                                   const ImageManifest& manifest,
                                                   const std::stop_token& stop,
                                                   const std::function<void()>& onWait);
    // What an earlier attempt left, without the lock; all Missing when there is nothing.
    [[nodiscard]] static std::vector<LayerRecord> peek(const Library& library,
                                                       const ImageManifest& manifest);

    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] QString imagePath() const;
    [[nodiscard]] QString diskPath() const;
    [[nodiscard]] int disk() const { return m_disk.get(); }
    [[nodiscard]] const LayerRecord& at(int layer) const {
        return m_records[static_cast<size_t>(layer)];
    }
    // Part of the region may hold bytes that no record speaks of.
    [[nodiscard]] bool isUsed() const { return m_used; }

    Result<> record(int layer, const LayerRecord& record);
    // Everything goes; the image directory may have been moved away before.
    Result<> discard();

private:
    PartialStore(QString path, DirectoryLock lock)
        : m_path(std::move(path))
        , m_lock(std::move(lock)) {}
    Result<> prepare(const ImageManifest& manifest);
    Result<> startOver(const ImageManifest& manifest);

    QString m_path;
    DirectoryLock m_lock;
    FileDescriptor m_table;
    FileDescriptor m_disk;
    std::vector<LayerRecord> m_records;
    bool m_used = false;
};

// Directories of partial pulls, newest use first, for reuse of their finished layers.
[[nodiscard]] QStringList partialPullDirectories(const Library& library);
// Removes partial pulls that nobody works on and that were not touched for `days`.
void collectPartialPulls(const Library& library, int days);

} // namespace vitrine
