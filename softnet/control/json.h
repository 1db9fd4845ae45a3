// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vitrine::softnet {

// One JSON value (RFC 8259). Names of an object may repeat; whether they may is for the reader to
// say.
struct Json {
    enum class Kind : std::uint8_t { Null, Boolean, Number, Text, List, Object };

    static constexpr int mostNested = 16;
    static constexpr std::size_t mostValues = 65536;

    Kind kind = Kind::Null;
    bool truth = false;             // of a Boolean
    std::string text;               // of a Text, in UTF-8; of a Number, as it was written
    std::vector<Json> items;        // of a List or an Object
    std::vector<std::string> names; // of an Object: one for each item

    // Nothing for what is no JSON, no UTF-8, nested more deeply than mostNested or has more than
    // mostValues values.
    [[nodiscard]] static std::optional<Json> parse(std::string_view text);
    // The first item of that name, or null.
    [[nodiscard]] const Json* find(std::string_view name) const;
    [[nodiscard]] bool isText() const { return kind == Kind::Text; }
    // A number without sign, fraction or exponent that fits.
    [[nodiscard]] std::optional<std::uint64_t> whole() const;
};

// The text as a JSON string, in quotes.
[[nodiscard]] std::string jsonText(std::string_view text);
[[nodiscard]] std::string jsonList(std::span<const std::string> texts);

// Writes an object, one name after another.
class JsonObject final {
public:
    JsonObject& add(std::string_view name, std::string_view text) {
        return addJson(name, jsonText(text));
    }
    JsonObject& add(std::string_view name, std::uint64_t number) {
        return addJson(name, std::to_string(number));
    }
    JsonObject& addJson(std::string_view name, std::string_view value);
    [[nodiscard]] std::string text() const { return m_text + "}"; }

private:
    std::string m_text = "{";
};

} // namespace vitrine::softnet
