// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <array>
#include <compare>
#include <memory>
#include <optional>

namespace vitrine {

// A SHA-256 digest. Text form as in OCI: "sha256:" and 64 lower-case hex digits. A value that
// exists is valid.
class Sha256 final {
public:
    static constexpr int byteLength = 32;

    // Accepts exactly "sha256:" + 64 lower-case hex digits.
    [[nodiscard]] static std::optional<Sha256> fromText(QStringView text);
    // Accepts exactly 64 lower-case hex digits.
    [[nodiscard]] static std::optional<Sha256> fromHex(QStringView hex);
    [[nodiscard]] static Sha256 ofBytes(QByteArrayView bytes);

    [[nodiscard]] QString toHex() const;
    [[nodiscard]] QString toText() const;    // "sha256:<hex>"
    [[nodiscard]] QString shortText() const; // "sha256:41ab0e", for people
    [[nodiscard]] const std::array<unsigned char, byteLength>& raw() const { return m_bytes; }

    friend auto operator<=>(const Sha256&, const Sha256&) = default;

private:
    friend class Sha256Hasher;
    std::array<unsigned char, byteLength> m_bytes{};
};

size_t qHash(const Sha256& digest, size_t seed = 0) noexcept;

// Incremental SHA-256 (OpenSSL). One thread at a time; may be moved between threads.
class Sha256Hasher final {
public:
    Sha256Hasher();
    ~Sha256Hasher();
    Sha256Hasher(Sha256Hasher&&) noexcept;
    Sha256Hasher& operator=(Sha256Hasher&&) noexcept;

    void add(const void* data, size_t size);
    void addZeros(quint64 count);
    // Ends the computation; the hasher starts over as new.
    [[nodiscard]] Sha256 finish();
    [[nodiscard]] Sha256Hasher clone() const;

private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

} // namespace vitrine
