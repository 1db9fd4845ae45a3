// SPDX-License-Identifier: Apache-2.0
#include "core/value/sha256.h"

#include <QHash>

#include <algorithm>
#include <openssl/evp.h>

namespace vitrine {

std::optional<Sha256> Sha256::fromHex(QStringView hex) {
    if (hex.size() != byteLength * 2)
        return std::nullopt;
    const auto nibble = [](QChar c) -> int {
        const ushort u = c.unicode();
        if (u >= '0' && u <= '9')
            return u - '0';
        if (u >= 'a' && u <= 'f')
            return u - 'a' + 10;
        return -1;
    };
    Sha256 digest;
    for (int i = 0; i < byteLength; ++i) {
        const int high = nibble(hex[2 * i]);
        const int low = nibble(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return std::nullopt;
        digest.m_bytes[static_cast<size_t>(i)] = static_cast<unsigned char>(high * 16 + low);
    }
    return digest;
}

std::optional<Sha256> Sha256::fromText(QStringView text) {
    if (!text.startsWith(QLatin1String("sha256:")))
        return std::nullopt;
    return fromHex(text.sliced(7));
}

Sha256 Sha256::ofBytes(QByteArrayView bytes) {
    Sha256Hasher hasher;
    hasher.add(bytes.data(), static_cast<size_t>(bytes.size()));
    return hasher.finish();
}

QString Sha256::toHex() const {
    return QString::fromLatin1(
        QByteArray::fromRawData(reinterpret_cast<const char*>(m_bytes.data()), byteLength).toHex());
}

QString Sha256::toText() const {
    return QStringLiteral("sha256:") + toHex();
}

QString Sha256::shortText() const {
    return toText().left(13);
}

size_t qHash(const Sha256& digest, size_t seed) noexcept {
    return qHashBits(digest.raw().data(), digest.raw().size(), seed);
}

struct Sha256Hasher::Context {
    EVP_MD_CTX* md = EVP_MD_CTX_new();
    Context() { EVP_DigestInit_ex(md, EVP_sha256(), nullptr); }
    ~Context() { EVP_MD_CTX_free(md); }
    Context(const Context& other)
        : md(EVP_MD_CTX_new()) {
        EVP_MD_CTX_copy_ex(md, other.md);
    }
    Context& operator=(const Context&) = delete;
};

Sha256Hasher::Sha256Hasher()
    : m_context(std::make_unique<Context>()) {}
Sha256Hasher::~Sha256Hasher() = default;
Sha256Hasher::Sha256Hasher(Sha256Hasher&&) noexcept = default;
Sha256Hasher& Sha256Hasher::operator=(Sha256Hasher&&) noexcept = default;

void Sha256Hasher::add(const void* data, size_t size) {
    EVP_DigestUpdate(m_context->md, data, size);
}

void Sha256Hasher::addZeros(quint64 count) {
    static constexpr std::array<unsigned char, 65536> zeros{};
    while (count > 0) {
        const quint64 n = std::min<quint64>(count, zeros.size());
        add(zeros.data(), n);
        count -= n;
    }
}

Sha256 Sha256Hasher::finish() {
    Sha256 digest;
    unsigned int length = 0;
    EVP_DigestFinal_ex(m_context->md, digest.m_bytes.data(), &length);
    EVP_DigestInit_ex(m_context->md, EVP_sha256(), nullptr);
    return digest;
}

Sha256Hasher Sha256Hasher::clone() const {
    Sha256Hasher copy;
    copy.m_context = std::make_unique<Context>(*m_context);
    return copy;
}

} // namespace vitrine
