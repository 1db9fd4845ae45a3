// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"
#include "tests/service/pull_fixture.h"
#include "tests/support/reflink_volume.h"

namespace vitrine::test {
namespace {

using PullReflinkTest = PullTest;

TEST_F(PullReflinkTest, LayersOfACachedImageShareItsBlocks_NeedsRootAndXfs) {
    const ReflinkVolume volume(400);
    if (!volume.isMounted())
        GTEST_SKIP() << "needs root, a loop device and mkfs.xfs: " << qPrintable(volume.problem());
    library = *Library::open(volume.path());
    TestImage::Options options;
    options.layerSize = 8 << 20;
    options.disk = noise(64 << 20, 21);
    const TestImage first = TestImage::make(options);
    options.disk.replace(0, 4096, noise(4096, 22)); // the first layer changes
    const TestImage second = TestImage::make(options);
    push(first, QStringLiteral("reflink:base"));
    push(second, QStringLiteral("reflink:next"));
    expectImage(pull(registry().host(), QStringLiteral("reflink:base")), first);
    const auto before = volumeSpace(volume.path());
    const auto pulled = pull(registry().host(), QStringLiteral("reflink:next"));
    expectImage(pulled, second);
    const auto after = volumeSpace(volume.path());
    ASSERT_TRUE(before && after);
    // 64 MiB of data, of which one layer is new.
    EXPECT_LT(before->available.bytes() - after->available.bytes(), 20U << 20);
    // What is written to one of them is not seen through the other.
    QFile disk(pulled->directory + QLatin1String("/disk.img"));
    ASSERT_TRUE(disk.open(QIODevice::ReadWrite) && disk.seek(30'000'000));
    disk.write("mine");
    disk.close();
    const QString base = QFileInfo(library.imagePath(*ImageReference::fromText(
                                       registry().host() + QStringLiteral("/reflink:base"))))
                             .canonicalFilePath();
    EXPECT_TRUE(readFile(base + QLatin1String("/disk.img")) == first.disk);
}

} // namespace
} // namespace vitrine::test
