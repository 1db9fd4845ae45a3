// SPDX-License-Identifier: Apache-2.0
#include "core/sharing/share_options.h"

#include <QJsonArray>

#include <gtest/gtest.h>

namespace vitrine {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

QString refusal(const QJsonValue& value) {
    const auto options = ShareOptions::fromJson(value);
    EXPECT_FALSE(options);
    return options ? QString() : options.error().message;
}

} // namespace

TEST(ShareOptions, SurviveTheFile) {
    const QJsonObject json{{s("transport"), s("9p")},
                           {s("cache"), s("always")},
                           {s("security"), s("mapped-file")},
                           {s("rootOwns"), true}};
    const auto options = ShareOptions::fromJson(json);
    ASSERT_TRUE(options) << options.error().message.toStdString();
    EXPECT_EQ(options->transport, s("9p"));
    EXPECT_TRUE(options->rootOwns);
    EXPECT_FALSE(options->isDefault());
    EXPECT_EQ(options->toJson(), json);
}

TEST(ShareOptions, NothingIsTheDefault) {
    const auto none = ShareOptions::fromJson(QJsonValue(QJsonValue::Undefined));
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->isDefault());
    EXPECT_TRUE(none->toJson().isEmpty());
    EXPECT_TRUE(ShareOptions::fromJson(QJsonObject{{s("later"), 1}})->isDefault());
}

TEST(ShareOptions, WhatIsWrongIsNamed) {
    EXPECT_TRUE(refusal(QJsonArray{}).contains(s("\"sharing\"")));
    EXPECT_TRUE(refusal(QJsonObject{{s("transport"), s("nfs")}}).contains(s("sharing.transport")));
    EXPECT_TRUE(refusal(QJsonObject{{s("transport"), QString()}}).contains(s("virtiofs, 9p")));
    EXPECT_TRUE(refusal(QJsonObject{{s("cache"), s("auto -o x")}}).contains(s("sharing.cache")));
    EXPECT_TRUE(refusal(QJsonObject{{s("security"), 7}}).contains(s("mapped-xattr")));
    EXPECT_TRUE(refusal(QJsonObject{{s("rootOwns"), s("yes")}}).contains(s("sharing.rootOwns")));
}

} // namespace vitrine
