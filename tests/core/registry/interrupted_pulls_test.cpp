// SPDX-License-Identifier: Apache-2.0
#include "core/registry/interrupted_pulls.h"

#include "tests/support/test_image.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

class InterruptedPulls : public testing::Test {
protected:
    InterruptedPulls()
        : library(*Library::open(directory.path()))
        , image(test::TestImage::make({test::mixedDisk(3'500'000, 1)}))
        , manifest(*ImageManifest::fromBytes(image.manifest)) {}

    Result<PartialStore> open() {
        return PartialStore::open(library, manifest, std::stop_token(), {});
    }

    QTemporaryDir directory;
    Library library;
    test::TestImage image;
    ImageManifest manifest;
    const ImageReference reference = *ImageReference::fromText(u"127.0.0.1:5971/a/b:latest");
};

TEST_F(InterruptedPulls, APullThatWasCutOffIsFoundWithWhatItWas) {
    EXPECT_TRUE(interruptedPulls(library).isEmpty());
    const quint64 first = manifest.disk().at(0).blob.size;
    {
        auto store = open();
        ASSERT_TRUE(store);
        ASSERT_TRUE(notePull(*store, reference, true));
        ASSERT_TRUE(store->record(0, {LayerRecord::State::Done, first, 1, true}));
        ASSERT_TRUE(store->record(1, {LayerRecord::State::Begun, 1000, 65536, true}));
        EXPECT_TRUE(interruptedPulls(library).isEmpty()) << "somebody works on it";
    }
    const auto pulls = interruptedPulls(library);
    ASSERT_EQ(pulls.size(), 1);
    EXPECT_EQ(pulls[0].reference, reference);
    EXPECT_TRUE(pulls[0].insecure);
    EXPECT_EQ(pulls[0].bytesHere, first + 1000);
    EXPECT_EQ(pulls[0].bytesTotal, manifest.fetchSize());
}

TEST_F(InterruptedPulls, DataThatDoesNotSayWhatItIsIsLeftAlone) {
    QString path;
    {
        auto store = open();
        ASSERT_TRUE(store);
        path = store->path();
    }
    EXPECT_TRUE(interruptedPulls(library).isEmpty());
    QFile file(path + QLatin1String("/request.json"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"reference\": \"../../etc\"");
    file.close();
    EXPECT_TRUE(interruptedPulls(library).isEmpty());
    EXPECT_TRUE(QDir(path).exists());
}

} // namespace
} // namespace vitrine
