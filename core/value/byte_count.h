// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QtGlobal>

#include <compare>

namespace vitrine {

// A number of bytes; never a bare integer in a signature where two units could be meant.
class ByteCount final {
public:
    constexpr ByteCount() = default;
    static constexpr ByteCount fromBytes(quint64 n) { return ByteCount(n); }
    static constexpr ByteCount fromMiB(quint64 n) { return ByteCount(n * 1024 * 1024); }
    // Disk sizes are decimal in Tart: 1 GB = 10^9 bytes.
    static constexpr ByteCount fromGB(quint64 n) { return ByteCount(n * 1000 * 1000 * 1000); }

    [[nodiscard]] constexpr quint64 bytes() const { return m_bytes; }
    [[nodiscard]] constexpr quint64 wholeMiB() const { return m_bytes / (1024 * 1024); }
    [[nodiscard]] constexpr quint64 wholeGB() const { return m_bytes / 1000 / 1000 / 1000; }

    // In the user's locale, decimal units, one decimal from 1 GB up: "412 MB", "12.1 GB".
    [[nodiscard]] QString toText() const;
    // Guest memory as the guest counts it (binary): "512 MB", "8.0 GB".
    [[nodiscard]] QString toMemoryText() const;

    friend constexpr auto operator<=>(ByteCount, ByteCount) = default;
    friend constexpr ByteCount operator+(ByteCount a, ByteCount b) {
        return ByteCount(a.m_bytes + b.m_bytes);
    }

private:
    constexpr explicit ByteCount(quint64 n)
        : m_bytes(n) {}
    quint64 m_bytes = 0;
};

} // namespace vitrine
