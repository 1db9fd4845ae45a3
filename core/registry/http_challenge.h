// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArrayView>
#include <QList>
#include <QMap>
#include <QString>

#include <optional>

namespace vitrine {

// One challenge of a WWW-Authenticate field, RFC 9110 section 11.6.1.
struct HttpChallenge {
    QString scheme;  // as sent; compare without case
    QString token68; // empty when the challenge has parameters
    // Keys in lower case; the first of two equal keys counts. Quoted strings are unescaped.
    QMap<QString, QString> parameters;

    [[nodiscard]] bool isScheme(QLatin1String name) const {
        return scheme.compare(name, Qt::CaseInsensitive) == 0;
    }
    friend bool operator==(const HttpChallenge&, const HttpChallenge&) = default;
};

// Every challenge of a field value, in order. Several fields are joined with ", " before. Blanks
// around '=' and ',' and empty list elements are accepted. nullopt when the text does not follow
// the grammar. Input is untrusted; at most 64 KiB of it are looked at.
[[nodiscard]] std::optional<QList<HttpChallenge>> parseChallenges(QByteArrayView text);

} // namespace vitrine
