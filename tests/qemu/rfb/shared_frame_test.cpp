// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/shared_frame.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

namespace vitrine::qemu {

TEST(DamageBands, NothingIsDamagedAtFirst) {
    DamageBands bands;
    EXPECT_TRUE(bands.isEmpty());
    EXPECT_TRUE(bands.take().isEmpty());
    bands.add({0, 0, 10, 10});
    EXPECT_TRUE(bands.isEmpty()) << "there is no frame yet";
}

TEST(DamageBands, ASmallChangeStaysSmall) {
    DamageBands bands;
    bands.reset({1280, 800});
    bands.add({640, 400, 8, 16});
    EXPECT_EQ(bands.take(), (QList<QRect>{{640, 400, 8, 16}}));
    EXPECT_TRUE(bands.isEmpty());
}

TEST(DamageBands, FarChangesAreNotJoined) {
    DamageBands bands;
    bands.reset({1280, 800});
    bands.add({0, 0, 8, 16});
    bands.add({1272, 784, 8, 16});
    EXPECT_EQ(bands.take(), (QList<QRect>{{0, 0, 8, 16}, {1272, 784, 8, 16}}));
}

TEST(DamageBands, AWholeScreenIsOneRectangle) {
    DamageBands bands;
    bands.reset({1280, 800});
    for (int y = 0; y < 800; y += 5) {
        for (int x = 0; x < 1280; x += 16) {
            bands.add({x, y, 16, 5});
        }
    }
    EXPECT_EQ(bands.take(), (QList<QRect>{{0, 0, 1280, 800}}));
}

TEST(DamageBands, EveryChangeIsCoveredAndTheListIsShort) {
    std::mt19937 random(7); // NOLINT: always the same
    const auto below = [&](int limit) { return static_cast<int>(random() % unsigned(limit)); };
    for (int round = 0; round < 200; ++round) {
        const QSize size(1 + below(8192), 1 + below(8192));
        DamageBands bands;
        bands.reset(size);
        QList<QRect> wanted;
        for (int i = 0; i < 30; ++i) {
            const QRect rectangle(below(9000) - 100, below(9000) - 100, below(400), below(400));
            bands.add(rectangle);
            wanted.append(rectangle & QRect(QPoint(0, 0), size));
        }
        const QList<QRect> taken = bands.take();
        EXPECT_LE(taken.size(), DamageBands::count);
        const auto area = [](const QRect& rectangle) {
            return rectangle.isEmpty() ? 0 : qint64{rectangle.width()} * rectangle.height();
        };
        for (int i = 0; i < taken.size(); ++i) {
            EXPECT_TRUE(QRect(QPoint(0, 0), size).contains(taken.at(i)));
            for (int k = 0; k < i; ++k) {
                EXPECT_FALSE(taken.at(i).intersects(taken.at(k)));
            }
        }
        for (const QRect& rectangle : wanted) {
            qint64 covered = 0;
            for (const QRect& part : taken) {
                covered += area(part & rectangle);
            }
            EXPECT_EQ(covered, area(rectangle));
        }
    }
}

TEST(SharedFrame, IsEmptyBeforeItsFirstSize) {
    const SharedFrame frame;
    EXPECT_TRUE(frame.size().isEmpty());
    frame.read([](const FrameView& view) { EXPECT_EQ(view.data, nullptr); });
}

TEST(SharedFrame, KeepsItsPictureWhenTheSizeStays) {
    SharedFrame frame;
    ASSERT_TRUE(frame.resize({4, 2}));
    const quint32 pixel = 0x123456;
    frame.write(4, 1, 4, 1, reinterpret_cast<const uchar*>(&pixel));
    EXPECT_EQ(frame.takeDamage().size(), 1);
    ASSERT_TRUE(frame.resize({4, 2}));
    EXPECT_TRUE(frame.isDamaged());
    frame.read([](const FrameView& view) {
        EXPECT_EQ(view.stride, 16);
        EXPECT_EQ(view.data[16 + 4], 0x56);
    });
    ASSERT_TRUE(frame.resize({5, 2}));
    frame.read([](const FrameView& view) {
        for (int i = 0; i < 40; ++i) {
            EXPECT_EQ(view.data[i], i % 4 == 3 ? 0xff : 0);
        }
    });
}

TEST(SharedFrame, WritesOutsideAreIgnored) {
    SharedFrame frame;
    ASSERT_TRUE(frame.resize({4, 2}));
    const QByteArray bytes(64, 'x');
    const auto* data = reinterpret_cast<const uchar*>(bytes.constData());
    frame.write(-1, 0, 4, 1, data);
    frame.write(0, -1, 4, 1, data);
    frame.write(13, 0, 4, 1, data);
    frame.write(0, 1, 16, 2, data);
    frame.write(0, 0, 17, 1, data);
    frame.write(0, 2, 4, 1, data);
    EXPECT_EQ(frame.fill(32, 1, [](char*, qint64) -> qint64 { return 1; }), -1);
    EXPECT_EQ(frame.fill(-1, 1, [](char*, qint64) -> qint64 { return 1; }), -1);
    EXPECT_EQ(frame.fill(30, 100, [](char*, qint64 most) { return most; }), 2);
    frame.read([](const FrameView& view) {
        for (int i = 0; i < 32; ++i) {
            EXPECT_EQ(view.data[i], i % 4 == 3 ? 0xff : 0);
        }
    });
}

TEST(SharedFrame, IsOpaqueWhateverTheServerSendsInTheFourthByte) {
    for (int first = 0; first < 8; ++first) {
        for (int count = 1; count <= 16 - first; ++count) {
            SharedFrame frame;
            ASSERT_TRUE(frame.resize({4, 2}));
            const QByteArray bytes(16, '\x11');
            frame.write(first, 1, count, 1, reinterpret_cast<const uchar*>(bytes.constData()));
            frame.fill(first, count, [&](char* out, qint64 most) {
                memcpy(out, bytes.constData(), static_cast<size_t>(most));
                return most;
            });
            frame.read([&](const FrameView& view) {
                for (int i = 0; i < 32; ++i) {
                    const bool written = i % 16 >= first && i % 16 < first + count;
                    EXPECT_EQ(view.data[i], i % 4 == 3 ? 0xff : written ? 0x11 : 0) << i;
                }
            });
        }
    }
}

TEST(SharedFrame, MayBeReadWhileItIsWrittenAndResized) {
    SharedFrame frame;
    std::atomic<bool> stop = false;
    std::thread writer([&] {
        const QByteArray row(4 * 64, 'y');
        for (int i = 0; i < 2000; ++i) {
            const QSize size(16 + i % 48, 8 + i % 24);
            EXPECT_TRUE(frame.resize(size));
            for (int y = 0; y < 40; ++y) {
                frame.write(0,
                            y,
                            qsizetype{4} * size.width(),
                            1,
                            reinterpret_cast<const uchar*>(row.constData()));
                frame.damage({0, y, size.width(), 1});
            }
        }
        stop = true;
    });
    quint64 sum = 0;
    const auto readAll = [&] {
        frame.read([&](const FrameView& view) {
            for (qsizetype i = 0; i < qsizetype{view.stride} * view.height; ++i) {
                sum += view.data[i];
            }
        });
    };
    while (!stop) {
        readAll();
        for (const QRect& rectangle : frame.takeDamage()) {
            EXPECT_LE(rectangle.right(), 64);
        }
    }
    writer.join();
    readAll(); // the writer may have been done before the first turn
    EXPECT_GT(sum, 0U);
}

} // namespace vitrine::qemu
