// SPDX-License-Identifier: Apache-2.0
#include "core/registry/layer_plan.h"

#include "tests/support/test_image.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

using Source = LayerPlan::Source;
constexpr qint64 layerSize = 1 << 20;

class LayerPlanTest : public testing::Test {
protected:
    LayerPlanTest()
        : library(*Library::open(directory.path())) {}

    static ImageManifest manifestOf(const QByteArray& disk) {
        return *ImageManifest::fromBytes(test::TestImage::make({disk}).manifest);
    }
    // A cached image as a pull leaves it.
    QString store(const QByteArray& disk) {
        const test::TestImage image = test::TestImage::make({disk});
        const QString path =
            library.imagesPath() + QLatin1String("/r.io/a/") + image.digest().toText();
        QDir().mkpath(path);
        const auto write = [&](const char* name, const QByteArray& bytes) {
            QFile file(path + QLatin1Char('/') + QLatin1String(name));
            ASSERT_TRUE(file.open(QIODevice::WriteOnly));
            file.write(bytes);
        };
        write("config.json", image.config);
        write("nvram.bin", image.nvram);
        write("disk.img", disk);
        write("manifest.json", image.manifest);
        return path;
    }
    std::vector<LayerPlan> plan(const ImageManifest& manifest) {
        records.resize(static_cast<size_t>(manifest.disk().size()));
        return planLayers(library, manifest, records);
    }

    QTemporaryDir directory;
    Library library;
    std::vector<LayerRecord> records;
};

TEST_F(LayerPlanTest, EverythingIsFetchedAtFirst) {
    const ImageManifest manifest = manifestOf(test::noise(3 * layerSize, 1));
    const auto layers = plan(manifest);
    ASSERT_EQ(layers.size(), 3U);
    for (const LayerPlan& layer : layers)
        EXPECT_EQ(layer.source, Source::Fetch);
    const PlanSums sums = sumUp(manifest, layers, records);
    EXPECT_EQ(sums.bytesHere, 0U);
    EXPECT_EQ(sums.spaceNeeded, 3U * layerSize);
    EXPECT_EQ(sums.bytesToFetch, manifest.fetchSize());
}

TEST_F(LayerPlanTest, ZerosAreNotFetchedAndTakeNoSpace) {
    const ImageManifest manifest = manifestOf(test::noise(layerSize, 1) +
                                              QByteArray(layerSize, '\0') + QByteArray(5000, '\0'));
    const auto layers = plan(manifest);
    EXPECT_EQ(layers.at(0).source, Source::Fetch);
    EXPECT_EQ(layers.at(1).source, Source::Zeros);
    EXPECT_EQ(layers.at(2).source, Source::Zeros);
    EXPECT_EQ(sumUp(manifest, layers, records).spaceNeeded, quint64{layerSize});
    EXPECT_EQ(sumUp(manifest, layers, records).layersHere, 2);
}

TEST_F(LayerPlanTest, EqualLayersAreFetchedOnce) {
    const QByteArray part = test::noise(layerSize, 1);
    const auto layers = plan(manifestOf(part + test::noise(layerSize, 2) + part));
    EXPECT_EQ(layers.at(2).source, Source::Repeat);
    EXPECT_EQ(layers.at(2).original, 0);
}

TEST_F(LayerPlanTest, LayersOfCachedImagesAreFoundAtAnyPlace) {
    const QByteArray shared = test::noise(layerSize, 1);
    const QString path = store(test::noise(layerSize, 2) + shared);
    const auto layers = plan(manifestOf(shared + test::noise(layerSize, 3)));
    EXPECT_EQ(layers.at(0).source, Source::Copy);
    EXPECT_EQ(layers.at(0).copyPath, path + QLatin1String("/disk.img"));
    EXPECT_EQ(layers.at(0).copyOffset, quint64{layerSize});
    EXPECT_EQ(layers.at(1).source, Source::Fetch);
}

TEST_F(LayerPlanTest, AnImageWhoseDiskHasAnotherSizeIsNotUsed) {
    const QByteArray shared = test::noise(layerSize, 1);
    const QString path = store(shared);
    QFile(path + QLatin1String("/disk.img")).resize(layerSize - 1);
    EXPECT_EQ(plan(manifestOf(shared)).at(0).source, Source::Fetch);
}

TEST_F(LayerPlanTest, FinishedLayersOfAnotherPartialPullAreFound) {
    const QByteArray shared = test::noise(layerSize, 1);
    const ImageManifest old = manifestOf(test::noise(layerSize, 2) + shared);
    {
        auto store = PartialStore::open(library, old, std::stop_token(), {});
        ASSERT_TRUE(store);
        ASSERT_TRUE(store->record(1, LayerRecord{LayerRecord::State::Done, 1, 1, true}));
    }
    const auto layers =
        plan(manifestOf(shared + test::noise(layerSize, 2) + test::noise(layerSize, 4)));
    EXPECT_EQ(layers.at(0).source, Source::Copy);
    EXPECT_EQ(layers.at(1).source, Source::Fetch) << "that one was not finished";
}

TEST_F(LayerPlanTest, WhatAnEarlierAttemptFinishedIsHereOrHasToBeChecked) {
    const ImageManifest manifest = manifestOf(test::noise(3 * layerSize, 1));
    records.resize(3);
    records[0] = {LayerRecord::State::Done, 1, 1, true};
    records[1] = {LayerRecord::State::Done, 1, 1, false};
    records[2] = {LayerRecord::State::Begun, 1000, 65536, true};
    const auto layers = plan(manifest);
    EXPECT_EQ(layers.at(0).source, Source::Here);
    EXPECT_EQ(layers.at(1).source, Source::Check);
    EXPECT_EQ(layers.at(2).source, Source::Fetch);
    const PlanSums sums = sumUp(manifest, layers, records);
    EXPECT_EQ(sums.spaceNeeded, quint64{layerSize - 65536});
    EXPECT_EQ(sums.bytesToFetch,
              manifest.fetchSize() - manifest.disk().at(0).blob.size -
                  manifest.disk().at(1).blob.size - 1000);
}

} // namespace
} // namespace vitrine
