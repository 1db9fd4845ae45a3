// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QStringList>

namespace vitrine::bench {

// Files below resources/bench that are part of the program.
[[nodiscard]] QStringList shippedFiles(const QString& folder); // "suites", "published"; sorted
[[nodiscard]] QByteArray shippedFile(const QString& path);     // one of those, or "references.json"

} // namespace vitrine::bench
