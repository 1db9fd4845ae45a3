// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <array>
#include <compare>
#include <optional>

namespace vitrine {

// An Ethernet address. Text: six two-digit hex groups with ':', lower case (specification 2.1).
class MacAddress final {
public:
    [[nodiscard]] static std::optional<MacAddress>
    fromText(QStringView text);               // any case, exactly two digits a group
    [[nodiscard]] static MacAddress random(); // locally administered, unicast
    [[nodiscard]] QString toText() const;

    friend auto operator<=>(const MacAddress&, const MacAddress&) = default;

private:
    std::array<unsigned char, 6> m_bytes{};
};

} // namespace vitrine
