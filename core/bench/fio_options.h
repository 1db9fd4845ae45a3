// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>

#include <optional>

namespace vitrine::bench {

// What of fio's options says how to judge its figures.
struct FioOptions {
    std::optional<quint64> blockSize; // bytes
    std::optional<quint64> size;      // bytes that one job works on
    quint64 jobs = 1;
    quint64 depth = 1;
    bool direct = false;      // past the page cache
    bool syncsWrites = false; // every write or so is followed by fsync or fdatasync
    QString pattern;          // "randrw"; empty when not given

    [[nodiscard]] std::optional<quint64> workingSet() const; // bytes of all jobs

    // From a command line; without a word "fio" in it: nullopt.
    [[nodiscard]] static std::optional<FioOptions> fromCommand(const QString& command);
    // From "job options" of fio's JSON.
    [[nodiscard]] static FioOptions fromJson(const QJsonObject& options);
};

// "4k", "2GB", "2300": bytes, by fio's rule that k is 1024 (and Ki 1000); nullopt for another text.
[[nodiscard]] std::optional<quint64> fioSize(const QString& text);

} // namespace vitrine::bench
