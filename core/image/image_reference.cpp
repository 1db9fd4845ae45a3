// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_reference.h"

#include <QList>

#include <algorithm>

namespace vitrine {

namespace {

// A part becomes one directory or file name of the cache.
constexpr qsizetype maximumPartLength = 255;

bool isAlphanumeric(QChar c) {
    const ushort u = c.unicode();
    return (u >= '0' && u <= '9') || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z');
}

bool isDigit(QChar c) {
    return c >= u'0' && c <= u'9';
}

enum class Ending { None, OneSeparator };

// A ( separator A )* [separator]?, A being one or more letters or digits.
bool isWords(QStringView text, QStringView separators, Ending ending) {
    if (text.isEmpty() || !isAlphanumeric(text.front()))
        return false;
    bool afterSeparator = false;
    for (const QChar c : text) {
        if (isAlphanumeric(c)) {
            afterSeparator = false;
        } else {
            if (afterSeparator || !separators.contains(c))
                return false;
            afterSeparator = true;
        }
    }
    return !afterSeparator || ending == Ending::OneSeparator;
}

bool isTag(QStringView text) {
    return text.size() <= maximumPartLength && isWords(text, u"._-", Ending::None);
}

tl::unexpected<Error> refuse(QStringView text, const QString& reason) {
    //: %1 is what was typed, %2 a whole sentence that says which part is wrong
    return fail(Error::Kind::InvalidInput,
                Tr::tr("\"%1\" is not an image reference. %2").arg(text.left(300), reason));
}

} // namespace

Result<ImageReference> ImageReference::fromText(QStringView text) {
    const auto stray = std::find_if(text.begin(), text.end(), [](QChar c) {
        return !isAlphanumeric(c) && !QStringView(u"-._:/@").contains(c);
    });
    if (stray != text.end())
        return refuse(text,
                      Tr::tr("The character \"%1\" is not allowed. Use ASCII letters, digits and "
                             "- . _ : / @ only.")
                          .arg(*stray));
    const qsizetype slash = text.indexOf(u'/');
    if (slash < 0)
        return refuse(text,
                      Tr::tr("Write it as host/name:tag, such as ghcr.io/user/image:latest."));
    const QStringView authority = text.left(slash);
    QStringView rest = text.sliced(slash + 1);

    QStringView host = authority;
    if (const qsizetype colon = authority.indexOf(u':'); colon >= 0) {
        host = authority.left(colon);
        const QStringView port = authority.sliced(colon + 1);
        const bool digits = !port.isEmpty() && std::all_of(port.begin(), port.end(), isDigit);
        const uint number = digits && port.size() <= 9 ? port.toUInt() : 0;
        if (number < 1 || number > 65535)
            return refuse(text, Tr::tr("The port must be a number from 1 to 65535."));
    }
    if (host.size() > maximumPartLength)
        return refuse(text, Tr::tr("The host name is too long."));
    const auto labels = host.split(u'.');
    for (const QStringView label : labels) {
        if (!isWords(label, u"-", Ending::None))
            return refuse(text, Tr::tr("\"%1\" is not a host name.").arg(host));
    }

    ImageReference reference;
    reference.m_host = authority.toString();
    reference.m_tag = QStringLiteral("latest");
    if (const qsizetype at = rest.indexOf(u'@'); at >= 0) {
        reference.m_digest = Sha256::fromText(rest.sliced(at + 1));
        if (!reference.m_digest)
            return refuse(
                text,
                Tr::tr("After \"@\" a digest is expected: sha256: and 64 lower-case hex digits."));
        reference.m_tag.clear();
        rest = rest.left(at);
    }
    if (const qsizetype colon = rest.indexOf(u':'); colon >= 0) {
        const QStringView tag = rest.sliced(colon + 1);
        if (reference.m_digest)
            return refuse(text, Tr::tr("Give either a tag or a digest, not both."));
        if (!isTag(tag))
            return refuse(
                text,
                Tr::tr("\"%1\" is not a tag. A tag is letters and digits, with single . _ "
                       "or - between them.")
                    .arg(tag));
        reference.m_tag = tag.toString();
        rest = rest.left(colon);
    }
    const auto components = rest.split(u'/');
    for (const QStringView component : components) {
        if (component.size() > maximumPartLength ||
            !isWords(component, u"._-", Ending::OneSeparator))
            return refuse(
                text,
                Tr::tr("\"%1\" is not a valid part of an image name. A part begins with a "
                       "letter or digit and has no doubled separators.")
                    .arg(component));
    }
    reference.m_repository = rest.toString();
    return reference;
}

bool ImageReference::isReference(QStringView text) {
    return fromText(text).has_value();
}

ImageReference ImageReference::withTag(const ImageReference& base, const QString& tag) {
    Q_ASSERT(isTag(tag));
    ImageReference reference = base;
    if (isTag(tag)) {
        reference.m_tag = tag;
        reference.m_digest.reset();
    }
    return reference;
}

ImageReference ImageReference::withDigest(const ImageReference& base, const Sha256& digest) {
    ImageReference reference = base;
    reference.m_tag.clear();
    reference.m_digest = digest;
    return reference;
}

QString ImageReference::toText() const {
    return repositoryText() + (m_digest ? QLatin1Char('@') : QLatin1Char(':')) + reference();
}

QString ImageReference::repositoryText() const {
    return m_host + QLatin1Char('/') + m_repository;
}

QString ImageReference::reference() const {
    return m_digest ? m_digest->toText() : m_tag;
}

} // namespace vitrine
