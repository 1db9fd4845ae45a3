// SPDX-License-Identifier: Apache-2.0
#include "core/registry/partial_store.h"

#include "tests/support/test_image.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

namespace vitrine {
namespace {

class PartialStoreTest : public testing::Test {
protected:
    PartialStoreTest()
        : library(*Library::open(directory.path()))
        , image(test::TestImage::make({test::mixedDisk(3'500'000, 1)}))
        , manifest(*ImageManifest::fromBytes(image.manifest)) {}

    Result<PartialStore> open() {
        return PartialStore::open(library, manifest, std::stop_token(), {});
    }
    QString path() const {
        return library.partialPath() + QLatin1Char('/') + manifest.digest().toHex();
    }

    QTemporaryDir directory;
    Library library;
    test::TestImage image;
    ImageManifest manifest;
};

constexpr LayerRecord begun{LayerRecord::State::Begun, 1000, 65536, true};

TEST_F(PartialStoreTest, AFreshStoreHoldsTheManifestAndAnEmptyDisk) {
    auto store = open();
    ASSERT_TRUE(store) << qPrintable(store.error().message);
    EXPECT_FALSE(store->isUsed());
    EXPECT_EQ(QFileInfo(store->diskPath()).size(), image.disk.size());
    QFile file(store->imagePath() + QLatin1String("/manifest.json"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), image.manifest);
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(store->path()).constData(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700U);
}

TEST_F(PartialStoreTest, RecordsOutliveTheStore) {
    {
        auto store = open();
        ASSERT_TRUE(store);
        ASSERT_TRUE(store->record(1, begun));
        LayerRecord done{LayerRecord::State::Done, 5, 6, true};
        ASSERT_TRUE(store->record(2, done));
    }
    const auto peeked = PartialStore::peek(library, manifest);
    EXPECT_EQ(peeked.at(1).plain, 65536U);
    auto store = open();
    ASSERT_TRUE(store);
    EXPECT_TRUE(store->isUsed());
    EXPECT_EQ(store->at(0).state, LayerRecord::State::Missing);
    EXPECT_EQ(store->at(1).state, LayerRecord::State::Begun);
    EXPECT_EQ(store->at(1).compressed, 1000U);
    EXPECT_TRUE(store->at(1).sameBoot);
    EXPECT_EQ(store->at(2).state, LayerRecord::State::Done);
}

TEST_F(PartialStoreTest, RecordsOfAnotherBootAreMarked) {
    {
        auto store = open();
        ASSERT_TRUE(store);
        ASSERT_TRUE(store->record(0, begun));
    }
    // The boot's tag is the first eight bytes, the check the last four: FNV-1a of the rest.
    QFile table(path() + QLatin1String("/layers"));
    ASSERT_TRUE(table.open(QIODevice::ReadWrite));
    QByteArray bytes = table.readAll();
    bytes[64] = static_cast<char>(~bytes.at(64));
    quint32 check = 2166136261U;
    for (qsizetype i = 64; i < 64 + 28; ++i)
        check = (check ^ static_cast<unsigned char>(bytes.at(i))) * 16777619U;
    for (int i = 0; i < 4; ++i)
        bytes[64 + 28 + i] = static_cast<char>(check >> (8 * i));
    table.seek(0);
    table.write(bytes);
    table.close();
    auto store = open();
    ASSERT_TRUE(store);
    EXPECT_EQ(store->at(0).state, LayerRecord::State::Begun);
    EXPECT_FALSE(store->at(0).sameBoot);
}

TEST_F(PartialStoreTest, ADamagedRecordCountsAsNothing) {
    {
        auto store = open();
        ASSERT_TRUE(store);
        for (int i = 0; i < 4; ++i)
            ASSERT_TRUE(store->record(i, begun));
    }
    QFile table(path() + QLatin1String("/layers"));
    ASSERT_TRUE(table.open(QIODevice::ReadWrite));
    table.seek(64 + 32 + 8);
    table.write("\xff");
    table.close();
    auto store = open();
    ASSERT_TRUE(store);
    EXPECT_EQ(store->at(0).state, LayerRecord::State::Begun);
    EXPECT_EQ(store->at(1).state, LayerRecord::State::Missing);
    EXPECT_EQ(store->at(2).state, LayerRecord::State::Begun);
}

TEST_F(PartialStoreTest, RubbishIsThrownAway) {
    const auto spoil = [&](const QString& name, const QByteArray& bytes) {
        QFile file(path() + QLatin1Char('/') + name);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    };
    const auto remove = [&](const QString& name) {
        QFile::remove(path() + QLatin1Char('/') + name);
    };
    const std::vector<std::function<void()>> ways{
        [&] { spoil(QStringLiteral("layers"), "rubbish"); },
        [&] { spoil(QStringLiteral("layers"), {}); },
        [&] { remove(QStringLiteral("layers")); },
        [&] { remove(QStringLiteral("image/disk.img")); },
        [&] { spoil(QStringLiteral("image/manifest.json"), "{}"); },
        [&] { QDir(path() + QLatin1String("/image")).removeRecursively(); },
    };
    for (const auto& way : ways) {
        {
            auto store = open();
            ASSERT_TRUE(store);
            ASSERT_TRUE(store->record(0, begun));
        }
        way();
        auto store = open();
        ASSERT_TRUE(store) << qPrintable(store.error().message);
        EXPECT_FALSE(store->isUsed());
        EXPECT_EQ(store->at(0).state, LayerRecord::State::Missing);
    }
}

TEST_F(PartialStoreTest, TheSecondWaitsUntilTheFirstIsDone) {
    auto first = std::make_optional(*open());
    std::atomic<bool> told{false};
    std::jthread other([&] {
        auto second = PartialStore::open(library, manifest, std::stop_token(), [&] {
            told = true;
            told.notify_all();
        });
        ASSERT_TRUE(second);
        EXPECT_FALSE(second->isUsed()); // the first has removed its data
    });
    told.wait(false);
    ASSERT_TRUE(first->discard());
    first.reset();
}

TEST_F(PartialStoreTest, WaitingEndsWithAStop) {
    auto first = open();
    ASSERT_TRUE(first);
    std::stop_source stop;
    auto second =
        PartialStore::open(library, manifest, stop.get_token(), [&] { stop.request_stop(); });
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().isCancelled());
}

TEST_F(PartialStoreTest, LinksThatAKillLeftAreCollected) {
    ASSERT_TRUE(open());
    const QString link = library.partialPath() + QLatin1String("/.tag-left");
    ASSERT_TRUE(QFile::link(QStringLiteral("sha256:nowhere"), link));
    collectPartialPulls(library, 14);
    EXPECT_TRUE(QFileInfo(link).isSymLink());
    collectPartialPulls(library, -1);
    EXPECT_FALSE(QFileInfo(link).isSymLink());
}

TEST_F(PartialStoreTest, OldDataIsCollectedUnlessSomebodyWorksOnIt) {
    {
        auto store = open();
        ASSERT_TRUE(store);
        collectPartialPulls(library, -1);
        EXPECT_TRUE(QFileInfo::exists(path()));
    }
    collectPartialPulls(library, 14);
    EXPECT_TRUE(QFileInfo::exists(path()));
    EXPECT_EQ(partialPullDirectories(library).size(), 1);
    collectPartialPulls(library, -1);
    EXPECT_FALSE(QFileInfo::exists(path()));
}

} // namespace
} // namespace vitrine
