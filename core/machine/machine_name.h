// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

#include <compare>

namespace vitrine {

// Name of a local machine: non-empty, at most 255 bytes of UTF-8, no '/', no control characters,
// not "." or "..", no leading '-' and nothing that parses as an image reference (specification 5.7,
// W13).
class MachineName final {
public:
    [[nodiscard]] static Result<MachineName> fromText(const QString& text);
    [[nodiscard]] const QString& text() const { return m_text; }
    friend auto operator<=>(const MachineName& a, const MachineName& b) {
        return a.m_text.compare(b.m_text) <=> 0;
    }
    friend bool operator==(const MachineName&, const MachineName&) = default;

private:
    explicit MachineName(QString text)
        : m_text(std::move(text)) {}
    QString m_text;
};

} // namespace vitrine
