// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/json.h"

#include <gtest/gtest.h>

namespace vitrine::softnet {
namespace {

TEST(JsonTest, EveryKindOfValueIsRead) {
    const auto json =
        Json::parse(R"( {"a":[1,-2.5e3,true,false,null],"b":{"c":"\u00e9\n\ud83d\ude00é"}} )");
    ASSERT_TRUE(json);
    const Json* const list = json->find("a");
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(list->items.size(), 5U);
    EXPECT_EQ(list->items[0].whole(), 1U);
    EXPECT_EQ(list->items[1].text, "-2.5e3");
    EXPECT_FALSE(list->items[1].whole());
    EXPECT_TRUE(list->items[2].truth);
    EXPECT_FALSE(list->items[3].truth);
    EXPECT_EQ(list->items[4].kind, Json::Kind::Null);
    EXPECT_EQ(json->find("b")->find("c")->text, "\u00e9\n\U0001f600\u00e9");
    EXPECT_EQ(json->find("d"), nullptr);
}

TEST(JsonTest, WhatIsNoJsonIsRefused) {
    for (const char* text : {"",
                             " ",
                             "{",
                             "[1,]",
                             "[1 2]",
                             "{\"a\"}",
                             "{\"a\":1,}",
                             "{a:1}",
                             "01",
                             "+1",
                             "1.",
                             ".5",
                             "1e",
                             "-",
                             "tru",
                             "nul",
                             "\"a",
                             "\"\\x\"",
                             "\"\\u12g4\"",
                             "\"\n\"",
                             "\"\\ud800\"",
                             "\"\\udc00\"",
                             "\"\xff\"",
                             "\"\xc0\x80\"",
                             "\"\xed\xa0\x80\"",
                             "\"\xf4\x90\x80\x80\"",
                             "\"\xe2\x82\"",
                             "1 1",
                             "{} x",
                             "'a'",
                             "\"\\u12\"",
                             "\"\\ud800\\n\""}) {
        EXPECT_FALSE(Json::parse(text)) << text;
    }
}

TEST(JsonTest, DepthAndNumberOfValuesAreLimited) {
    const auto nested = [](int depth) {
        return Json::parse(std::string(static_cast<std::size_t>(depth), '[') +
                           std::string(static_cast<std::size_t>(depth), ']'));
    };
    EXPECT_TRUE(nested(Json::mostNested + 1));
    EXPECT_FALSE(nested(Json::mostNested + 2));
    EXPECT_FALSE(nested(500'000));
    std::string many = "[1";
    for (std::size_t i = 1; i < Json::mostValues; ++i) {
        many += ",1";
    }
    EXPECT_FALSE(Json::parse(many + "]"));
}

TEST(JsonTest, WhatIsWrittenCanBeReadAgain) {
    const std::string hard = "\"\\\n\x01\x7f</script> \u00e9";
    const std::string list = jsonList(std::vector<std::string>{"a", hard});
    const std::string text =
        JsonObject().add("t", hard).add("n", 18446744073709551615U).addJson("l", list).text();
    const auto json = Json::parse(text);
    ASSERT_TRUE(json) << text;
    EXPECT_EQ(json->find("t")->text, hard);
    EXPECT_EQ(json->find("n")->whole(), 18446744073709551615U);
    EXPECT_EQ(json->find("l")->items.at(1).text, hard);
    EXPECT_EQ(text.find('\n'), std::string::npos) << "one line";
    EXPECT_EQ(JsonObject().text(), "{}");
    EXPECT_FALSE(Json::parse("18446744073709551616")->whole());
}

} // namespace
} // namespace vitrine::softnet
