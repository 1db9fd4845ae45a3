// SPDX-License-Identifier: Apache-2.0
#include "core/registry/token_cache.h"

#include <atomic>
#include <condition_variable>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace vitrine {
namespace {

using std::chrono::seconds;

const TokenKey key{QStringLiteral("https://r/t"), QStringLiteral("s"), QStringLiteral("a:b:pull")};

class TokenCacheTest : public testing::Test {
protected:
    TokenCache::Fetch fetch(int lifetime) {
        return [this, lifetime]() -> Attempt<Token> {
            ++fetches;
            return Token{"token" + QByteArray::number(fetches), seconds(lifetime)};
        };
    }
    QByteArray get(const TokenCache::Fetch& with) {
        return cache.get(key, with, std::stop_token()).value_or(QByteArray("failed"));
    }
    TokenCache::Clock::time_point now{};
    TokenCache cache{[this] { return now; }};
    int fetches = 0;
};

TEST(Token, TheFirstOfTwoNamesWinsAndAMinuteIsTheDefault) {
    auto token = Token::fromJson(R"({"token":"some token","access_token":"other"})");
    EXPECT_FALSE(token) << "a blank cannot be part of a header's token";
    token = Token::fromJson(R"({"token":"one","access_token":"other"})");
    ASSERT_TRUE(token);
    EXPECT_EQ(token->value, "one");
    EXPECT_EQ(token->lifetime, seconds(60));
    token = Token::fromJson(R"({"access_token":"other","expires_in":2})");
    ASSERT_TRUE(token);
    EXPECT_EQ(token->value, "other");
    EXPECT_EQ(token->lifetime, seconds(2));
}

TEST(Token, TheLifetimeCountsFromReceiptNotFromIssue) {
    const auto token =
        Token::fromJson(R"({"token":"t","expires_in":3600,"issued_at":"1970-01-01T00:00:00Z"})");
    ASSERT_TRUE(token);
    EXPECT_EQ(token->lifetime, seconds(3600));
}

TEST(Token, AnAnswerWithoutTokenIsNone) {
    for (const char* bad :
         {"", "{}", "[]", R"({"token":""})", R"({"token":5})", "{\"token\":\"a\\nb\"}"})
        EXPECT_FALSE(Token::fromJson(bad)) << bad;
    EXPECT_EQ(Token::fromJson(R"({"token":"t","expires_in":-5})")->lifetime, seconds(60));
    EXPECT_EQ(Token::fromJson(R"({"token":"t","expires_in":1e300})")->lifetime,
              std::chrono::hours(24 * 30));
}

TEST_F(TokenCacheTest, ATokenIsFetchedOnce) {
    EXPECT_EQ(get(fetch(60)), "token1");
    now += seconds(50);
    EXPECT_EQ(get(fetch(60)), "token1");
    EXPECT_EQ(fetches, 1);
}

TEST_F(TokenCacheTest, ATokenIsRenewedBeforeItEnds) {
    EXPECT_EQ(get(fetch(60)), "token1");
    now += seconds(55);
    EXPECT_EQ(get(fetch(60)), "token2");
}

TEST_F(TokenCacheTest, AFailedEarlyRenewalIsNoFailureWhileTheOldTokenIsGood) {
    EXPECT_EQ(get(fetch(60)), "token1");
    const auto broken = []() -> Attempt<Token> {
        return failed(Failure::passing(Error{Error::Kind::Network, {}, {}}));
    };
    now += seconds(55);
    EXPECT_EQ(get(broken), "token1");
    now += seconds(10);
    EXPECT_EQ(get(broken), "failed");
}

TEST_F(TokenCacheTest, ScopesHaveTokensOfTheirOwn) {
    EXPECT_EQ(get(fetch(60)), "token1");
    TokenKey other = key;
    other.scope = QStringLiteral("a:b:push");
    EXPECT_EQ(*cache.get(other, fetch(60), std::stop_token()), "token2");
    EXPECT_EQ(get(fetch(60)), "token1");
}

TEST_F(TokenCacheTest, ARefusedTokenIsForgottenButNotItsSuccessor) {
    EXPECT_EQ(get(fetch(60)), "token1");
    cache.forget(key, "token1");
    EXPECT_EQ(get(fetch(60)), "token2");
    cache.forget(key, "token1");
    EXPECT_EQ(get(fetch(60)), "token2");
}

TEST_F(TokenCacheTest, ManyThreadsMakeOneRequest) {
    std::atomic<int> requests{0};
    std::mutex mutex;
    std::condition_variable changed;
    int waiting = 0;
    const TokenCache::Fetch slow = [&]() -> Attempt<Token> {
        ++requests;
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return waiting == 8; });
        return Token{"shared", seconds(60)};
    };
    std::vector<std::jthread> threads;
    std::atomic<int> good{0};
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            {
                const std::scoped_lock lock(mutex);
                ++waiting;
            }
            changed.notify_all();
            if (cache.get(key, slow, std::stop_token()).value_or(QByteArray()) == "shared")
                ++good;
        });
    }
    threads.clear();
    EXPECT_EQ(good, 8);
    EXPECT_EQ(requests, 1);
}

TEST_F(TokenCacheTest, AWaitingThreadCanBeStopped) {
    std::mutex mutex;
    std::condition_variable changed;
    bool release = false;
    bool entered = false;
    std::jthread first([&] {
        (void)cache.get(
            key,
            [&]() -> Attempt<Token> {
                std::unique_lock lock(mutex);
                entered = true;
                changed.notify_all();
                changed.wait(lock, [&] { return release; });
                return Token{"late", seconds(60)};
            },
            std::stop_token());
    });
    {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return entered; });
    }
    std::stop_source stop;
    stop.request_stop();
    const auto second = cache.get(key, fetch(60), stop.get_token());
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().error.isCancelled());
    {
        const std::scoped_lock lock(mutex);
        release = true;
    }
    changed.notify_all();
}

} // namespace
} // namespace vitrine
