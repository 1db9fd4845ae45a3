// SPDX-License-Identifier: Apache-2.0
#include "ui/console/frame_scaler.h"

#include <QColor>
#include <QImage>

#include <gtest/gtest.h>

#include <random>

namespace vitrine::ui {

namespace {

QImage noise(QSize size) {
    std::mt19937 random(1); // NOLINT: always the same
    QImage image(size, QImage::Format_RGB32);
    for (int y = 0; y < size.height(); ++y) {
        for (int x = 0; x < size.width(); ++x) {
            image.setPixel(x, y, static_cast<QRgb>(random()) & 0xffffffU);
        }
    }
    return image;
}

FrameView viewOf(const QImage& image) {
    return {
        image.constBits(), image.width(), image.height(), static_cast<int>(image.bytesPerLine())};
}

QImage scaled(const QImage& image, QSize target) {
    FrameScaler scaler;
    scaler.setSizes(image.size(), target);
    QImage result(target, QImage::Format_RGB32);
    result.fill(Qt::magenta);
    scaler.scale(viewOf(image), result, result.rect());
    return result;
}

} // namespace

TEST(FrameScaler, AFlatColourStaysItself) {
    QImage image(100, 80, QImage::Format_RGB32);
    for (const QColor& colour : {QColor(Qt::white), QColor(1, 2, 3), QColor(250, 128, 7)}) {
        image.fill(colour);
        for (const QSize& target : {QSize(65, 52), QSize(1, 1), QSize(333, 270), QSize(99, 81)}) {
            const QImage result = scaled(image, target);
            for (int y = 0; y < target.height(); ++y) {
                for (int x = 0; x < target.width(); ++x) {
                    ASSERT_EQ(result.pixelColor(x, y), colour);
                }
            }
        }
    }
}

TEST(FrameScaler, HalfTheSizeIsTheMeanOfFourPixels) {
    QImage image(2, 2, QImage::Format_RGB32);
    image.setPixel(0, 0, 0xff000000);
    image.setPixel(1, 0, 0xff0000ff);
    image.setPixel(0, 1, 0xff00ff00);
    image.setPixel(1, 1, 0xffff0000);
    const QColor mean = scaled(image, {1, 1}).pixelColor(0, 0);
    EXPECT_NEAR(mean.red(), 64, 1);
    EXPECT_NEAR(mean.green(), 64, 1);
    EXPECT_NEAR(mean.blue(), 64, 1);
}

TEST(FrameScaler, PartsFitTogetherWithoutSeams) {
    const QImage image = noise({128, 96});
    for (const QSize& target : {QSize(83, 62), QSize(200, 150), QSize(128, 95)}) {
        const QImage whole = scaled(image, target);
        FrameScaler scaler;
        scaler.setSizes(image.size(), target);
        QImage parts(target, QImage::Format_RGB32);
        for (int y = 0; y < target.height(); y += 13) {
            for (int x = 0; x < target.width(); x += 17) {
                scaler.scale(viewOf(image), parts, QRect(x, y, 17, 13));
            }
        }
        EXPECT_EQ(parts, whole);
    }
}

TEST(FrameScaler, EverythingAChangeTouchesIsAffectedAndNothingElseChanges) {
    QImage image = noise({128, 96});
    std::mt19937 random(3); // NOLINT: always the same
    const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
    for (const QSize& target : {QSize(83, 62), QSize(300, 225), QSize(30, 22)}) {
        FrameScaler scaler;
        scaler.setSizes(image.size(), target);
        for (int round = 0; round < 50; ++round) {
            const QImage before = scaled(image, target);
            const QRect change(below(120), below(90), 1 + below(8), 1 + below(6));
            for (int y = change.top(); y <= change.bottom() && y < image.height(); ++y) {
                for (int x = change.left(); x <= change.right() && x < image.width(); ++x) {
                    image.setPixel(x, y, image.pixel(x, y) ^ 0xffffffU);
                }
            }
            const QImage after = scaled(image, target);
            const QRect affected = scaler.affected(change);
            for (int y = 0; y < target.height(); ++y) {
                for (int x = 0; x < target.width(); ++x) {
                    if (before.pixel(x, y) != after.pixel(x, y)) {
                        ASSERT_TRUE(affected.contains(x, y)) << x << ' ' << y;
                    }
                }
            }
            const double ratio = double(target.width()) / image.width();
            EXPECT_LE(affected.width(), (change.width() + 2) * ratio + 2);
        }
    }
}

TEST(FrameScaler, AFrameOfAnotherSizeOrNoneIsLeftAlone) {
    FrameScaler scaler;
    scaler.setSizes({10, 10}, {5, 5});
    QImage result(5, 5, QImage::Format_RGB32);
    result.fill(Qt::red);
    scaler.scale(FrameView{}, result, result.rect());
    scaler.scale(viewOf(noise({11, 10})), result, result.rect());
    EXPECT_EQ(result.pixelColor(4, 4), QColor(Qt::red));
    scaler.setSizes({0, 0}, {5, 5});
    EXPECT_TRUE(scaler.affected({0, 0, 5, 5}).isEmpty());
}

} // namespace vitrine::ui
