// SPDX-License-Identifier: Apache-2.0
#include "core/registry/pull_progress.h"

#include <cmath>

namespace vitrine {

PullProgress::PullProgress(const ImageManifest& manifest, JobContext context)
    : m_context(std::move(context))
    , m_layers(static_cast<size_t>(manifest.disk().size())) {
    m_total = manifest.config().size + manifest.nvram().size;
    if (manifest.ociConfig())
        m_total += manifest.ociConfig()->size;
    for (size_t i = 0; i < m_layers.size(); ++i) {
        const BlobDescriptor& blob = manifest.disk().at(static_cast<qsizetype>(i)).blob;
        m_layers[i].item.label = blob.digest.shortText();
        m_layers[i].item.total = blob.size;
        m_total += blob.size;
    }
}

void PullProgress::setStep(const QString& step) {
    const std::scoped_lock lock(m_mutex);
    m_step = step;
}

void PullProgress::setLayer(int layer, quint64 done) {
    m_layers[static_cast<size_t>(layer)].done.store(done, std::memory_order_relaxed);
}

void PullProgress::setLayer(int layer, ProgressItem::State state, const QString& note) {
    Layer& entry = m_layers[static_cast<size_t>(layer)];
    const std::scoped_lock lock(m_mutex);
    entry.item.state = state;
    entry.item.note = note;
    if (state == ProgressItem::State::Done || state == ProgressItem::State::AlreadyHere)
        entry.done = entry.item.total;
}

void PullProgress::addSmall(quint64 bytes) {
    m_small += bytes;
}

void PullProgress::addFetched(quint64 bytes) {
    m_fetched.fetch_add(bytes, std::memory_order_relaxed);
}

void PullProgress::report() {
    const bool first = !m_sinceReport.isValid();
    const double seconds = first ? 0 : static_cast<double>(m_sinceReport.nsecsElapsed()) / 1e9;
    m_sinceReport.start();
    const double weight = first ? 0 : 1 - std::exp(-seconds / 3.0);

    Progress progress;
    progress.total = m_total;
    {
        const std::scoped_lock lock(m_mutex);
        progress.step = m_step;
        progress.items.reserve(static_cast<qsizetype>(m_layers.size()));
        progress.done = std::min<quint64>(m_small, m_total);
        for (Layer& layer : m_layers) {
            const quint64 done = layer.done.load(std::memory_order_relaxed);
            const bool running = layer.item.state == ProgressItem::State::Running;
            if (running && !first && seconds > 0 && done >= layer.lastDone) {
                const double speed = static_cast<double>(done - layer.lastDone) / seconds;
                layer.speed += (speed - layer.speed) * weight;
            }
            layer.lastDone = done;
            ProgressItem item = layer.item;
            item.done = done;
            item.bytesPerSecond = running ? layer.speed : 0;
            progress.done += done;
            progress.items.append(std::move(item));
        }
    }
    m_context.report(std::move(progress));
}

} // namespace vitrine
