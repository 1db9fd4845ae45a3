// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <optional>

namespace vitrine {

// Size of a machine's display, specification 2.2 and 5.5. Text: "1024x768", "1920x1080px",
// "1440x900pt".
struct DisplaySize {
    enum class Unit { Unset, Points, Pixels };
    int width = 1024;
    int height = 768;
    Unit unit = Unit::Unset;

    // Strict: N x N [pt|px] with 1 <= N <= 16384. Everything else is refused (5.5 SHOULD).
    [[nodiscard]] static std::optional<DisplaySize> fromText(QStringView text);
    [[nodiscard]] QString toText() const;

    friend bool operator==(const DisplaySize&, const DisplaySize&) = default;
};

} // namespace vitrine
