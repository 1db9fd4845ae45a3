// SPDX-License-Identifier: Apache-2.0
#include "ui/transfers/transfer_text.h"

#include <QLocale>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

QString plain(QString text) {
    return text.replace(QChar(0x00A0), QLatin1Char(' '));
}

ProgressItem item(ProgressItem::State state, quint64 total, quint64 done = 0) {
    ProgressItem result;
    result.label = QStringLiteral("sha256:41ab0e");
    result.state = state;
    result.total = total;
    result.done = done;
    return result;
}

class TransferText : public testing::Test {
protected:
    void SetUp() override { QLocale::setDefault(QLocale(QLocale::English)); }
};

} // namespace

TEST_F(TransferText, AmountsShareTheUnitOfTheTotal) {
    EXPECT_EQ(plain(amountText(4'200'000'000, 7'800'000'000)), QStringLiteral("4.2 of 7.8 GB"));
    EXPECT_EQ(plain(amountText(512'000, 7'800'000'000)), QStringLiteral("512 kB of 7.8 GB"));
    EXPECT_EQ(plain(amountText(1000, std::nullopt)), QStringLiteral("1 kB"));
}

TEST_F(TransferText, SpeedAndTimeAreReadable) {
    EXPECT_EQ(plain(speedText(212e6)), QStringLiteral("212 MB/s"));
    EXPECT_TRUE(speedText(0).isEmpty());
    EXPECT_EQ(secondsLeftText(17), QStringLiteral("17 s left"));
    EXPECT_EQ(secondsLeftText(150), QStringLiteral("3 min left"));
    EXPECT_EQ(secondsLeftText(7200), QStringLiteral("2 h left"));
}

TEST_F(TransferText, PartsAtWorkStandAloneAndTheOthersAreSummedUp) {
    using State = ProgressItem::State;
    const auto rows = layerRows({item(State::AlreadyHere, 100),
                                 item(State::AlreadyHere, 200),
                                 item(State::Done, 50),
                                 item(State::Running, 10, 5),
                                 item(State::Failed, 10, 1),
                                 item(State::Waiting, 7),
                                 item(State::Waiting, 8)});
    ASSERT_EQ(rows.size(), 5);
    EXPECT_EQ(rows[0].label, QStringLiteral("2 parts"));
    EXPECT_EQ(rows[0].size, 300U);
    EXPECT_EQ(rows[1].label, QStringLiteral("1 part"));
    EXPECT_EQ(rows[2].label, QStringLiteral("sha256:41ab0e"));
    EXPECT_DOUBLE_EQ(rows[2].fraction, 0.5);
    EXPECT_EQ(rows[4].label, QStringLiteral("2 more parts"));
    EXPECT_EQ(rows[4].size, 15U);
}

TEST_F(TransferText, AnImageOfManyLayersGivesFewRows) {
    QList<ProgressItem> items;
    for (int i = 0; i < 16384; ++i)
        items.append(item(ProgressItem::State::Waiting, 1));
    EXPECT_EQ(layerRows(items).size(), 1);
}
