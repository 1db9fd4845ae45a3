// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/control_message.h"

#include <gtest/gtest.h>

using namespace vitrine;

TEST(ControlMessage, CarriesEveryKindOfErrorUnchanged) {
    for (int kind = 0; kind <= static_cast<int>(Error::Kind::Internal); ++kind) {
        const Error error{static_cast<Error::Kind>(kind),
                          QStringLiteral("what failed"),
                          QStringLiteral("detail")};
        const auto read = control::resultOf(control::response(3, fail(error)));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().kind, error.kind);
        EXPECT_EQ(read.error().message, error.message);
        EXPECT_EQ(read.error().detail, error.detail);
    }
}

TEST(ControlMessage, CarriesResultsEvenNull) {
    EXPECT_EQ(control::resultOf(control::response(1, QJsonValue(5)))->toInt(), 5);
    EXPECT_TRUE(control::resultOf(control::response(1, QJsonValue()))->isNull());
}

TEST(ControlMessage, ReadsAnUnknownMethodAsUnsupported) {
    const auto read = control::resultOf(control::protocolError(
        1, control::ProtocolError::UnknownMethod, QStringLiteral("not known")));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind, Error::Kind::Unsupported);
}

TEST(ControlMessage, RefusesAnAnswerThatIsNeitherResultNorError) {
    EXPECT_EQ(control::resultOf({}).error().kind, Error::Kind::Integrity);
    EXPECT_EQ(control::resultOf({{QStringLiteral("error"), QStringLiteral("text")}}).error().kind,
              Error::Kind::Integrity);
}

TEST(ControlMessage, TakesAnUnknownWordForAKindAsInternal) {
    EXPECT_EQ(control::kindOf(QStringLiteral("not-of-this-version")), Error::Kind::Internal);
}
