// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/image_manifest.h"
#include "core/job/job.h"

#include <QElapsedTimer>
#include <QString>

#include <atomic>
#include <mutex>
#include <vector>

namespace vitrine {

// Counts what the workers of a pull do and turns it into Progress. report() belongs to one thread,
// everything else may be called from any.
class PullProgress final {
public:
    PullProgress(const ImageManifest& manifest, JobContext context);

    void setStep(const QString& step);
    // Compressed bytes of one layer, counted from its beginning.
    void setLayer(int layer, quint64 done);
    void setLayer(int layer, ProgressItem::State state, const QString& note);
    void addSmall(quint64 bytes);   // config, firmware variables, labels
    void addFetched(quint64 bytes); // over the network, repeats included
    [[nodiscard]] quint64 fetched() const { return m_fetched; }
    void log(const QString& line) const { m_context.log(line); }

    void report();

private:
    struct Layer {
        std::atomic<quint64> done{0};
        ProgressItem item; // under the mutex
        double speed = 0;  // of report()
        quint64 lastDone = 0;
    };

    const JobContext m_context;
    std::vector<Layer> m_layers;
    quint64 m_total = 0;
    std::atomic<quint64> m_small{0};
    std::atomic<quint64> m_fetched{0};
    std::mutex m_mutex;
    QString m_step;
    QElapsedTimer m_sinceReport;
};

} // namespace vitrine
