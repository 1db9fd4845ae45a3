// SPDX-License-Identifier: Apache-2.0
#include "core/registry/http_challenge.h"

#include <cstring>

namespace vitrine {
namespace {

bool isTokenCharacter(char c) {
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
        return true;
    return c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr;
}

bool isToken68Character(char c) {
    if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
        return true;
    return c != '\0' && std::strchr("-._~+/", c) != nullptr;
}

// Walks over the text; every function leaves the position behind what it took.
class Cursor final {
public:
    explicit Cursor(QByteArrayView text)
        : m_text(text) {}

    [[nodiscard]] bool atEnd() const { return m_position >= m_text.size(); }
    [[nodiscard]] char peek() const { return atEnd() ? '\0' : m_text[m_position]; }
    [[nodiscard]] qsizetype position() const { return m_position; }
    void moveTo(qsizetype position) { m_position = position; }

    bool skipBlanks() {
        const qsizetype start = m_position;
        while (!atEnd() && (peek() == ' ' || peek() == '\t'))
            ++m_position;
        return m_position > start;
    }
    bool take(char c) {
        if (atEnd() || peek() != c)
            return false;
        ++m_position;
        return true;
    }
    QString token() {
        const qsizetype start = m_position;
        while (!atEnd() && isTokenCharacter(peek()))
            ++m_position;
        return QString::fromLatin1(m_text.sliced(start, m_position - start));
    }
    // A token68 that ends the challenge: nothing but blanks before a comma or the end.
    std::optional<QString> token68() {
        const qsizetype start = m_position;
        while (!atEnd() && isToken68Character(peek()))
            ++m_position;
        if (m_position == start)
            return std::nullopt;
        while (take('=')) {
        }
        const QString text = QString::fromLatin1(m_text.sliced(start, m_position - start));
        const qsizetype end = m_position;
        skipBlanks();
        if (!atEnd() && peek() != ',') {
            m_position = start;
            return std::nullopt;
        }
        m_position = end;
        return text;
    }
    std::optional<QString> quotedString() {
        if (!take('"'))
            return std::nullopt;
        QByteArray value;
        while (!atEnd()) {
            char c = m_text[m_position++];
            if (c == '"')
                return QString::fromUtf8(value);
            if (c == '\\') {
                if (atEnd())
                    return std::nullopt;
                c = m_text[m_position++];
            }
            value.append(c);
        }
        return std::nullopt;
    }

private:
    QByteArrayView m_text;
    qsizetype m_position = 0;
};

struct Parameter {
    QString key;
    QString value;
};

// token BWS "=" BWS ( token / quoted-string ). The position is where it was when this is none.
std::optional<Parameter> takeParameter(Cursor& cursor) {
    const qsizetype start = cursor.position();
    Parameter parameter;
    parameter.key = cursor.token().toLower();
    cursor.skipBlanks();
    if (parameter.key.isEmpty() || !cursor.take('=')) {
        cursor.moveTo(start);
        return std::nullopt;
    }
    cursor.skipBlanks();
    if (cursor.peek() == '"') {
        auto text = cursor.quotedString();
        if (!text) {
            cursor.moveTo(start);
            return std::nullopt;
        }
        parameter.value = std::move(*text);
    } else {
        parameter.value = cursor.token();
        if (parameter.value.isEmpty()) {
            cursor.moveTo(start);
            return std::nullopt;
        }
    }
    return parameter;
}

} // namespace

std::optional<QList<HttpChallenge>> parseChallenges(QByteArrayView text) {
    constexpr qsizetype limit = 64 * 1024;
    if (text.size() > limit)
        return std::nullopt;
    QList<HttpChallenge> challenges;
    Cursor cursor(text);
    while (true) {
        while (cursor.skipBlanks() || cursor.take(',')) {
        }
        if (cursor.atEnd())
            break;

        // An element is a parameter of the challenge before it or begins a new challenge: only the
        // '=' behind the first token tells.
        if (!challenges.isEmpty() && challenges.last().token68.isEmpty()) {
            if (const auto parameter = takeParameter(cursor)) {
                auto& parameters = challenges.last().parameters;
                if (!parameters.contains(parameter->key))
                    parameters.insert(parameter->key, parameter->value);
                cursor.skipBlanks();
                if (!cursor.atEnd() && cursor.peek() != ',')
                    return std::nullopt;
                continue;
            }
        }
        HttpChallenge challenge;
        challenge.scheme = cursor.token();
        if (challenge.scheme.isEmpty())
            return std::nullopt;
        const bool blank = cursor.skipBlanks();
        if (!cursor.atEnd() && cursor.peek() != ',') {
            if (!blank)
                return std::nullopt;
            if (const auto parameter = takeParameter(cursor)) {
                challenge.parameters.insert(parameter->key, parameter->value);
            } else if (auto text68 = cursor.token68()) {
                challenge.token68 = std::move(*text68);
            } else {
                return std::nullopt;
            }
            cursor.skipBlanks();
            if (!cursor.atEnd() && cursor.peek() != ',')
                return std::nullopt;
        }
        challenges.append(challenge);
    }
    return challenges;
}

} // namespace vitrine
