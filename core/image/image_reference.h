// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/sha256.h"

#include <QString>

#include <compare>
#include <optional>
#include <variant>

namespace vitrine {

// "host[:port]/namespace[:tag|@sha256:hex]", the grammar of specification 3.1. A value that exists
// is valid. Stricter than Tart: a digest has 64 lower-case hex digits, a port is at most 65535, and
// a part that becomes a file name has at most 255 characters.
class ImageReference final {
public:
    // The error says which part is wrong.
    [[nodiscard]] static Result<ImageReference> fromText(QStringView text);
    [[nodiscard]] static bool
    isReference(QStringView text); // Tart's rule: remote exactly if it parses
    // `tag` must follow the grammar; with any other text the base comes back unchanged.
    [[nodiscard]] static ImageReference withTag(const ImageReference& base, const QString& tag);
    [[nodiscard]] static ImageReference withDigest(const ImageReference& base,
                                                   const Sha256& digest);

    [[nodiscard]] const QString& host() const { return m_host; } // "ghcr.io", "127.0.0.1:5000"
    [[nodiscard]] const QString& repository() const { return m_repository; } // "cirruslabs/ubuntu"
    [[nodiscard]] bool isByDigest() const { return m_digest.has_value(); }
    [[nodiscard]] const QString& tag() const { return m_tag; } // empty when by digest
    [[nodiscard]] const std::optional<Sha256>& digest() const { return m_digest; }
    [[nodiscard]] QString toText() const;         // "host/ns:tag" or "host/ns@sha256:…"
    [[nodiscard]] QString repositoryText() const; // "host/ns"
    [[nodiscard]] QString reference() const; // "latest" or "sha256:…", as in the manifest URL

    friend bool operator==(const ImageReference&, const ImageReference&) = default;

private:
    ImageReference() = default;
    QString m_host;
    QString m_repository;
    QString m_tag;
    std::optional<Sha256> m_digest;
};

} // namespace vitrine
