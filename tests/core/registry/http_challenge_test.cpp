// SPDX-License-Identifier: Apache-2.0
#include "core/registry/http_challenge.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

QString value(const HttpChallenge& challenge, const char* key) {
    return challenge.parameters.value(QLatin1String(key), QStringLiteral("(none)"));
}

TEST(HttpChallenge, CommasInsideQuotesStay) {
    const auto challenges = parseChallenges(
        R"(Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:samalba/my-app:pull,push")");
    ASSERT_TRUE(challenges);
    ASSERT_EQ(challenges->size(), 1);
    const HttpChallenge& bearer = challenges->first();
    EXPECT_TRUE(bearer.isScheme(QLatin1String("bearer")));
    EXPECT_EQ(value(bearer, "realm"), QLatin1String("https://auth.docker.io/token"));
    EXPECT_EQ(value(bearer, "service"), QLatin1String("registry.docker.io"));
    EXPECT_EQ(value(bearer, "scope"), QLatin1String("repository:samalba/my-app:pull,push"));
}

TEST(HttpChallenge, TokensAndQuotedStringsAreAlike) {
    const auto challenges = parseChallenges(R"(Bearer a=b,c="d")");
    ASSERT_TRUE(challenges);
    EXPECT_EQ(value(challenges->first(), "a"), QLatin1String("b"));
    EXPECT_EQ(value(challenges->first(), "c"), QLatin1String("d"));
}

TEST(HttpChallenge, BlanksAroundCommasAndEqualSignsAreNoPartOfKeys) {
    const auto challenges = parseChallenges("Bearer \t a = b , c\t=\t\"d e\" ,, f=g");
    ASSERT_TRUE(challenges);
    ASSERT_EQ(challenges->size(), 1);
    EXPECT_EQ(challenges->first().parameters.keys(),
              QStringList({QStringLiteral("a"), QStringLiteral("c"), QStringLiteral("f")}));
    EXPECT_EQ(value(challenges->first(), "c"), QLatin1String("d e"));
}

TEST(HttpChallenge, SeveralChallengesInOneFieldAreToldApart) {
    const auto challenges = parseChallenges(
        R"(Negotiate, NTLM TlRMTVNTUAAB==, Basic realm="a, b", charset=UTF-8, Bearer realm="https://r/t",scope="x", Digest)");
    ASSERT_TRUE(challenges);
    ASSERT_EQ(challenges->size(), 5);
    EXPECT_EQ(challenges->at(0).scheme, QLatin1String("Negotiate"));
    EXPECT_TRUE(challenges->at(0).parameters.isEmpty());
    EXPECT_EQ(challenges->at(1).token68, QLatin1String("TlRMTVNTUAAB=="));
    EXPECT_EQ(value(challenges->at(2), "realm"), QLatin1String("a, b"));
    EXPECT_EQ(value(challenges->at(2), "charset"), QLatin1String("UTF-8"));
    EXPECT_EQ(value(challenges->at(3), "scope"), QLatin1String("x"));
    EXPECT_EQ(challenges->at(4).scheme, QLatin1String("Digest"));
}

TEST(HttpChallenge, EscapesInQuotedStringsAreTakenOff) {
    const auto challenges = parseChallenges(R"(Basic realm="say \"hi\" \\ now")");
    ASSERT_TRUE(challenges);
    EXPECT_EQ(value(challenges->first(), "realm"), QLatin1String(R"(say "hi" \ now)"));
}

TEST(HttpChallenge, KeysHaveNoCaseAndTheFirstCounts) {
    const auto challenges = parseChallenges(R"(BEARER Realm="one",REALM="two")");
    ASSERT_TRUE(challenges);
    EXPECT_TRUE(challenges->first().isScheme(QLatin1String("Bearer")));
    EXPECT_EQ(value(challenges->first(), "realm"), QLatin1String("one"));
}

TEST(HttpChallenge, AnEmptyFieldHasNoChallenge) {
    EXPECT_EQ(parseChallenges(""), QList<HttpChallenge>());
    EXPECT_EQ(parseChallenges(" , ,"), QList<HttpChallenge>());
}

TEST(HttpChallenge, AChallengeMayHaveNoParameters) {
    const auto challenges = parseChallenges("Bearer ");
    ASSERT_TRUE(challenges);
    ASSERT_EQ(challenges->size(), 1);
    EXPECT_FALSE(challenges->first().parameters.contains(QStringLiteral("realm")));
}

TEST(HttpChallenge, TextOutsideTheGrammarIsRefused) {
    for (const char* text : {R"(Bearer realm="unended)",
                             R"(Bearer realm="a" "b")",
                             "Bearer a=b c=d",
                             R"("Bearer" a=b)",
                             "Bearer\x01 a=b",
                             "Basic realm=\"ends in \\"}) {
        EXPECT_FALSE(parseChallenges(text)) << text;
    }
    EXPECT_FALSE(parseChallenges(QByteArray(70000, 'a')));
}

TEST(HttpChallenge, EveryCutOfAChallengeIsHandled) {
    const QByteArray text = R"(Bearer realm="https://r/t?x=\"1\"", scope="a:b:c,d", Basic abc==)";
    for (qsizetype i = 0; i <= text.size(); ++i)
        (void)parseChallenges(QByteArrayView(text).first(i));
    for (qsizetype i = 0; i <= text.size(); ++i)
        (void)parseChallenges(QByteArrayView(text).sliced(i));
}

} // namespace
} // namespace vitrine
