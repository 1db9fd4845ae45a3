// SPDX-License-Identifier: Apache-2.0
#include "core/channel/line_buffer.h"

#include <QList>

#include <gtest/gtest.h>

using vitrine::LineBuffer;

namespace {

QList<QByteArray> takeAll(LineBuffer& buffer) {
    QList<QByteArray> lines;
    while (const std::optional<QByteArray> line = buffer.takeLine()) {
        lines.append(*line);
    }
    return lines;
}

} // namespace

TEST(LineBuffer, GivesTheSameLinesWhereverTheBytesAreCut) {
    const QByteArray text = "first\n\nthird\r\nlast without an end";
    const QList<QByteArray> expected{"first", "", "third"};
    for (qsizetype cut = 0; cut <= text.size(); ++cut) {
        LineBuffer buffer(100);
        ASSERT_TRUE(buffer.append(text.first(cut)));
        QList<QByteArray> lines = takeAll(buffer);
        ASSERT_TRUE(buffer.append(text.sliced(cut)));
        lines += takeAll(buffer);
        EXPECT_EQ(lines, expected) << "cut at " << cut;
    }
}

TEST(LineBuffer, TakesALineOfExactlyTheLimitAndNoLonger) {
    LineBuffer buffer(10);
    ASSERT_TRUE(buffer.append(QByteArray("0123456789\n")));
    EXPECT_EQ(takeAll(buffer), QList<QByteArray>{"0123456789"});
    EXPECT_FALSE(buffer.append(QByteArray("0123456789a\n")));
}

TEST(LineBuffer, RefusesALineThatNeverEnds) {
    LineBuffer buffer(10);
    EXPECT_TRUE(buffer.append(QByteArray("01234")));
    EXPECT_FALSE(buffer.takeLine());
    EXPECT_TRUE(buffer.append(QByteArray("56789")));
    EXPECT_FALSE(buffer.takeLine());
    EXPECT_FALSE(buffer.append(QByteArray("a")));
}

TEST(LineBuffer, GivesTheLinesBeforeOneThatIsTooLong) {
    LineBuffer buffer(10);
    EXPECT_FALSE(buffer.append(QByteArray("good\n") + QByteArray(50, 'x')));
    EXPECT_EQ(takeAll(buffer), QList<QByteArray>{"good"});
}

TEST(LineBuffer, ManyShortLinesAreNoLongLine) {
    LineBuffer buffer(10);
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(buffer.append(QByteArray("abc\nde")));
        EXPECT_EQ(buffer.takeLine()->right(3), "abc");
        EXPECT_FALSE(buffer.takeLine());
        ASSERT_TRUE(buffer.append(QByteArray("f\n")));
        EXPECT_EQ(buffer.takeLine(), QByteArray("def"));
    }
}
