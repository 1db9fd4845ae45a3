// SPDX-License-Identifier: Apache-2.0
// A hostile name server, and a JSON document and rules of whoever. Names are shown to people: they
// have to be short and of plain letters.
#include "softnet/control/json.h"
#include "softnet/policy/options.h"
#include "softnet/record/dns_names.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace vitrine::softnet;
    const auto require = [](bool good, const char* what) {
        if (!good) {
            std::fprintf(stderr, "It is not so: %s\n", what);
            std::abort();
        }
    };
    constexpr std::size_t capacity = 8;
    DnsNames names(capacity);
    Bytes left(data, size);
    while (left.size() >= 2) {
        const std::size_t length =
            std::min<std::size_t>(std::size_t{left[0]} << 8 | left[1], left.size() - 2);
        const Bytes message = left.subspan(2, length);
        left = left.subspan(2 + length);
        names.learn(message);
        require(names.size() <= capacity, "the table has its size");
        // Whatever address was learned stands in the message.
        for (std::size_t at = 0; at + 4 <= message.size(); ++at) {
            const std::string name = names.nameOf({be32(message, at)});
            const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
                       c == '_' || c == '*';
            });
            require(plain && name.size() <= DnsNames::mostLetters, "a name is plain and short");
        }
        const std::string_view text(reinterpret_cast<const char*>(message.data()), message.size());
        // What was read once is read the same when it is written again.
        if (const auto target = Target::parse(text)) {
            const auto again = Target::parse(target->text());
            require(again && again->text() == target->text(), "a rule says what it means");
        }
        if (const auto exposure = Exposure::parse(text)) {
            const auto again = Exposure::parse(exposure->text());
            require(again && *again == *exposure, "an exposed port says what it means");
        }
        if (const auto json = Json::parse(text); json && json->isText()) {
            const auto again = Json::parse(jsonText(json->text));
            require(again && again->text == json->text, "a text is quoted rightly");
        }
    }
    return 0;
}
