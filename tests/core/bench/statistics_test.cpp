// SPDX-License-Identifier: Apache-2.0
#include "core/bench/statistics.h"

#include <gtest/gtest.h>

namespace vitrine::bench {

namespace {

// NIST's sets NumAcc3 and NumAcc4: 1,001 values around a large one.
QList<double> aroundLarge(double middle) {
    QList<double> values{middle};
    for (int i = 0; i < 500; ++i)
        values += {middle - 0.1, middle + 0.1};
    return values;
}

QList<double> upTo(int last) {
    QList<double> values;
    for (int i = 1; i <= last; ++i)
        values.append(i);
    return values;
}

} // namespace

TEST(Statistics, MeanMedianAndDeviationAreThoseOfATextbook) {
    const auto summary = summarize({2, 4, 4, 4, 5, 5, 7, 9});
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->count, 8);
    EXPECT_DOUBLE_EQ(summary->mean, 5);
    EXPECT_DOUBLE_EQ(summary->median, 4.5);
    EXPECT_NEAR(*summary->sigma, 2.138089935299395, 1e-14);
    EXPECT_EQ(summary->minimum, 2);
    EXPECT_EQ(summary->maximum, 9);
}

TEST(Statistics, NistsLargeNumbersKeepTheirDigits) {
    for (const double middle : {1000000.2, 10000000.2}) {
        const auto summary = summarize(aroundLarge(middle));
        ASSERT_TRUE(summary);
        EXPECT_NEAR(summary->mean, middle, 1e-8);
        EXPECT_NEAR(*summary->sigma, 0.1, 1e-8);
        EXPECT_DOUBLE_EQ(summary->median, middle);
    }
}

TEST(Statistics, OneValueHasNoSpreadAndNoneIsNoSummary) {
    const auto one = summarize({3.5});
    ASSERT_TRUE(one);
    EXPECT_EQ(one->median, 3.5);
    EXPECT_FALSE(one->sigma);
    EXPECT_FALSE(one->interval);
    EXPECT_FALSE(summarize({}));
}

// The exact distribution: P(median <= k-th) = P(binomial(n, k/n) >= (n + 1)/2). For 11 values the
// 2.5 % and 97.5 % points are the 3rd and the 9th, for 21 the 7th and the 15th.
TEST(Statistics, TheIntervalIsThatOfTheExactBootstrapDistribution) {
    EXPECT_EQ(summarize(upTo(11))->interval, (Interval{3, 9}));
    EXPECT_EQ(summarize(upTo(21))->interval, (Interval{7, 15}));
    EXPECT_EQ(summarize({5, 5, 5})->interval, (Interval{5, 5}));
    EXPECT_EQ(summarize({0, 1})->interval, (Interval{0, 1}));
}

TEST(Statistics, TheSameValuesGiveTheSameInterval) {
    const QList<double> values{10.1, 9.7, 10.4, 10.0, 9.9, 12.5, 10.2};
    EXPECT_EQ(summarize(values)->interval, summarize(values)->interval);
    EXPECT_EQ(ratioOf(values, upTo(9))->interval, ratioOf(values, upTo(9))->interval);
}

TEST(Statistics, ARatioIsOfMediansWithAnIntervalFromBothSides) {
    const auto ratio = ratioOf({100, 101, 99, 100, 102}, {200, 202, 198, 200, 204});
    ASSERT_TRUE(ratio && ratio->interval);
    EXPECT_DOUBLE_EQ(ratio->value, 2);
    EXPECT_GT(ratio->interval->low, 1.9);
    EXPECT_LT(ratio->interval->high, 2.1);
    EXPECT_LE(ratio->interval->low, 2);
    EXPECT_GE(ratio->interval->high, 2);
    EXPECT_FALSE(ratioOf({100}, {50, 60})->interval);
    EXPECT_FALSE(ratioOf({}, {1}));
    EXPECT_FALSE(ratioOf({0}, {1}));
}

TEST(Statistics, PercentilesComeFromAHistogram) {
    const Histogram histogram{{100, 50}, {200, 40}, {400, 9}, {90000, 1}};
    EXPECT_EQ(percentileOf(histogram, 50), 100);
    EXPECT_EQ(percentileOf(histogram, 51), 200);
    EXPECT_EQ(percentileOf(histogram, 99), 400);
    EXPECT_EQ(percentileOf(histogram, 99.9), 90000);
    EXPECT_EQ(percentileOf(histogram, 100), 90000);
    EXPECT_FALSE(percentileOf({}, 50));
    EXPECT_FALSE(percentileOf({{5, 0}}, 50));
}

} // namespace vitrine::bench
