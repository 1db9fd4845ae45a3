// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/apple_lz4_decoder.h"
#include "core/registry/layer_plan.h"
#include "core/registry/partial_store.h"
#include "core/registry/pull_progress.h"
#include "core/registry/registry_client.h"
#include "core/registry/sparse_writer.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace vitrine {

// What all workers of a pull share. The store's records are written by the worker of that layer
// only.
struct PullWork {
    const ImageManifest& manifest;
    QString repository;
    PartialStore& store;
    PullProgress& progress;
    std::stop_token stop;
    RetryPolicy retry;
    int workers = 1;
};

// Brings layers into disk.img and proves them. One object per worker thread.
class LayerJob final {
public:
    LayerJob(PullWork& work, RegistrySession& session);

    // Afterwards the layer is Done in the store, or the error says why not. Errors of the network
    // that may pass are over their retries.
    Result<> run(int layer, const LayerPlan& plan);

private:
    Result<> fetch(int layer);
    // One answer of the server, from where `state` stands. True: the frame is complete.
    struct State;
    Attempt<bool> fetchOnce(State& state);
    Attempt<> take(State& state, QByteArrayView compressed);
    Result<> begin(State& state);
    // Writes what has been unpacked since the last time.
    Result<> flush(State& state);
    // The same, and records how far the layer has come.
    Result<> save(State& state);
    Attempt<> prove(State& state);
    Result<> startOver(State& state);

    // False: the bytes there are not the right ones any more.
    Result<bool> copy(int layer, const QString& path, quint64 offset);
    Result<bool> check(int layer);
    Result<> finish(int layer, ProgressItem::State state, const QString& note);
    Result<> checkSpace() const;

    PullWork& m_work;
    RegistryClient m_client;
    SparseWriter m_writer;
    const size_t m_gatherSize; // bytes of unpacked data written at once, at most
    std::unique_ptr<char, FreeMemory> m_buffer;
};

} // namespace vitrine
