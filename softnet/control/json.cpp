// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/json.h"

#include <charconv>

namespace vitrine::softnet {

namespace {

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

void appendUtf8(std::string& to, std::uint32_t point) {
    const auto add = [&to](std::uint32_t byte) { to.push_back(static_cast<char>(byte)); };
    if (point < 0x80) {
        add(point);
    } else if (point < 0x800) {
        add(0xc0 | point >> 6);
        add(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        add(0xe0 | point >> 12);
        add(0x80 | (point >> 6 & 0x3f));
        add(0x80 | (point & 0x3f));
    } else {
        add(0xf0 | point >> 18);
        add(0x80 | (point >> 12 & 0x3f));
        add(0x80 | (point >> 6 & 0x3f));
        add(0x80 | (point & 0x3f));
    }
}

// The length of the UTF-8 sequence at the front; 0 if it is none.
std::size_t utf8Length(std::string_view text) {
    const auto byte = [text](std::size_t at) { return static_cast<std::uint8_t>(text[at]); };
    const std::uint8_t first = byte(0);
    if (first < 0x80) {
        return 1;
    }
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) {
            return 0;
        }
    }
    const bool tooLong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool surrogate = first == 0xed && byte(1) >= 0xa0;
    const bool tooLarge = first == 0xf4 && byte(1) >= 0x90;
    return tooLong || surrogate || tooLarge ? 0 : length;
}

class Parser final {
public:
    explicit Parser(std::string_view text)
        : m_text(text) {}

    std::optional<Json> document() {
        Json value;
        if (!read(value, 0)) {
            return std::nullopt;
        }
        skipBlanks();
        return m_text.empty() ? std::optional(std::move(value)) : std::nullopt;
    }

private:
    void skipBlanks() {
        const std::size_t at = m_text.find_first_not_of(" \t\r\n");
        m_text.remove_prefix(at == std::string_view::npos ? m_text.size() : at);
    }
    bool take(std::string_view word) {
        if (!m_text.starts_with(word)) {
            return false;
        }
        m_text.remove_prefix(word.size());
        return true;
    }

    bool read(Json& value, int nested) {
        skipBlanks();
        if (m_text.empty() || nested > Json::mostNested || ++m_values > Json::mostValues) {
            return false;
        }
        switch (m_text.front()) {
        case '{':
        case '[':
            return readItems(value, nested);
        case '"':
            value.kind = Json::Kind::Text;
            return readText(value.text);
        case 't':
            value.truth = true;
            value.kind = Json::Kind::Boolean;
            return take("true");
        case 'f':
            value.kind = Json::Kind::Boolean;
            return take("false");
        case 'n':
            return take("null");
        default:
            value.kind = Json::Kind::Number;
            return readNumber(value.text);
        }
    }

    bool readItems(Json& value, int nested) {
        const bool object = m_text.front() == '{';
        const std::string_view end = object ? "}" : "]";
        value.kind = object ? Json::Kind::Object : Json::Kind::List;
        m_text.remove_prefix(1);
        skipBlanks();
        if (take(end)) {
            return true;
        }
        do {
            if (object) {
                skipBlanks();
                std::string& name = value.names.emplace_back();
                if (!m_text.starts_with('"') || !readText(name)) {
                    return false;
                }
                skipBlanks();
                if (!take(":")) {
                    return false;
                }
            }
            if (!read(value.items.emplace_back(), nested + 1)) {
                return false;
            }
            skipBlanks();
        } while (take(","));
        return take(end);
    }

    bool readNumber(std::string& text) {
        std::size_t at = m_text.front() == '-' ? 1 : 0;
        const auto digits = [this, &at] {
            const std::size_t begin = at;
            while (at < m_text.size() && isDigit(m_text[at])) {
                ++at;
            }
            return at - begin;
        };
        const std::size_t begin = at;
        const std::size_t count = digits();
        if (count == 0 || (count > 1 && m_text[begin] == '0')) {
            return false;
        }
        if (at < m_text.size() && m_text[at] == '.') {
            ++at;
            if (digits() == 0) {
                return false;
            }
        }
        if (at < m_text.size() && (m_text[at] == 'e' || m_text[at] == 'E')) {
            ++at;
            if (at < m_text.size() && (m_text[at] == '+' || m_text[at] == '-')) {
                ++at;
            }
            if (digits() == 0) {
                return false;
            }
        }
        text = m_text.substr(0, at);
        m_text.remove_prefix(at);
        return true;
    }

    bool readText(std::string& text) {
        m_text.remove_prefix(1);
        while (!m_text.empty()) {
            const char c = m_text.front();
            if (c == '"') {
                m_text.remove_prefix(1);
                return true;
            }
            if (static_cast<std::uint8_t>(c) < 0x20) {
                return false;
            }
            if (c == '\\') {
                m_text.remove_prefix(1);
                if (!readEscape(text)) {
                    return false;
                }
                continue;
            }
            const std::size_t length = utf8Length(m_text);
            if (length == 0) {
                return false;
            }
            text.append(m_text.substr(0, length));
            m_text.remove_prefix(length);
        }
        return false;
    }

    bool readEscape(std::string& text) {
        static constexpr std::string_view written = "\"\\/bfnrt";
        static constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
        if (m_text.empty()) {
            return false;
        }
        if (const std::size_t at = written.find(m_text.front()); at != std::string_view::npos) {
            text.push_back(meant[at]);
            m_text.remove_prefix(1);
            return true;
        }
        auto point = readUnit();
        if (point && *point >= 0xd800 && *point < 0xdc00) {
            if (!take("\\")) {
                return false;
            }
            const auto low = readUnit();
            if (!low || *low < 0xdc00 || *low > 0xdfff) {
                return false;
            }
            point = 0x10000 + ((*point - 0xd800) << 10) + (*low - 0xdc00);
        } else if (!point || (*point >= 0xdc00 && *point <= 0xdfff)) {
            return false;
        }
        appendUtf8(text, *point);
        return true;
    }

    // u and four hexadecimal digits.
    std::optional<std::uint32_t> readUnit() {
        if (!m_text.starts_with('u') || m_text.size() < 5) {
            return std::nullopt;
        }
        std::uint32_t unit = 0;
        const char* const begin = m_text.data() + 1;
        const auto [rest, error] = std::from_chars(begin, begin + 4, unit, 16);
        if (error != std::errc() || rest != begin + 4) {
            return std::nullopt;
        }
        m_text.remove_prefix(5);
        return unit;
    }

    std::string_view m_text;
    std::size_t m_values = 0;
};

} // namespace

std::optional<Json> Json::parse(std::string_view text) {
    return Parser(text).document();
}

const Json* Json::find(std::string_view name) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == name) {
            return &items[i];
        }
    }
    return nullptr;
}

std::optional<std::uint64_t> Json::whole() const {
    std::uint64_t value = 0;
    const char* const end = text.data() + text.size();
    if (kind != Kind::Number) {
        return std::nullopt;
    }
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

std::string jsonText(std::string_view text) {
    static constexpr std::string_view hex = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<std::uint8_t>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20 || byte == 0x7f) {
            result += "\\u00";
            result += hex[byte >> 4];
            result += hex[byte & 15];
        } else {
            result += c;
        }
    }
    result += '"';
    return result;
}

std::string jsonList(std::span<const std::string> texts) {
    std::string result = "[";
    for (const std::string& text : texts) {
        result += result.size() > 1 ? "," : "";
        result += jsonText(text);
    }
    result += "]";
    return result;
}

JsonObject& JsonObject::addJson(std::string_view name, std::string_view value) {
    m_text += m_text.size() > 1 ? "," : "";
    m_text += jsonText(name);
    m_text += ':';
    m_text += value;
    return *this;
}

} // namespace vitrine::softnet
