// SPDX-License-Identifier: Apache-2.0
#include "tests/service/pull_fixture.h"

#include "core/disk/disk_space.h"

#include <QDir>

#include <thread>

namespace vitrine::test {
namespace {

TestImage mixedImage(quint64 seed, qint64 size = 9'000'000, qint64 layer = 2 << 20) {
    TestImage::Options options;
    options.disk = mixedDisk(size, seed);
    options.layerSize = layer;
    return TestImage::make(options);
}

TEST_F(PullTest, AnImageArrivesExactlyAsItWasPushed) {
    const TestImage image = mixedImage(1);
    push(image, QStringLiteral("plain:one"));
    const auto pulled = pull(registry().host(), QStringLiteral("plain:one"));
    expectImage(pulled, image);
    EXPECT_FALSE(pulled->wasAlreadyHere);
    EXPECT_EQ(progress.done, progress.total.value_or(0));
    EXPECT_EQ(progress.items.size(), image.diskLayers().size());
    for (const ProgressItem& item : progress.items)
        EXPECT_EQ(item.done, item.total);
    EXPECT_TRUE(log.contains(
        QStringLiteral("GET http://%1/v2/plain/manifests/one -> 200").arg(registry().host())));
}

TEST_F(PullTest, ZerosStayHoles) {
    TestImage::Options options;
    options.disk = QByteArray(32 << 20, '\0');
    options.disk.replace(5 << 20, 100'000, noise(100'000, 1));
    options.disk.replace(20 << 20, 5, "hello");
    options.layerSize = 8 << 20;
    const TestImage image = TestImage::make(options);
    push(image, QStringLiteral("plain:sparse"));
    const auto pulled = pull(registry().host(), QStringLiteral("plain:sparse"));
    expectImage(pulled, image);
    const auto size = fileSize(pulled->directory + QLatin1String("/disk.img"));
    ASSERT_TRUE(size);
    EXPECT_LE(size->allocated.bytes(), 100'000U + 4 * 4096U);
}

TEST_F(PullTest, ADiskOfAnySizeInLayersOfAnySizeArrives) {
    for (const auto& [size, layer] : {std::pair<qint64, qint64>{1, 1000},
                                      {13, 5},
                                      {1'000'000, 333'333},
                                      {65'537, 65'536},
                                      {3'000'000, 4 << 20}}) {
        const TestImage image = mixedImage(static_cast<quint64>(size), size, layer);
        push(image, QStringLiteral("plain:odd"));
        expectImage(pull(registry().host(), QStringLiteral("plain:odd")), image);
    }
}

TEST_F(PullTest, TheSecondPullFetchesNothing) {
    const TestImage image = mixedImage(2);
    push(image, QStringLiteral("plain:two"));
    expectImage(pull(registry().host(), QStringLiteral("plain:two")), image);
    const auto again = pull(registry().host(), QStringLiteral("plain:two"));
    expectImage(again, image);
    EXPECT_TRUE(again->wasAlreadyHere);
    EXPECT_EQ(again->bytesFetched, 0U);
    const auto plan =
        planPull(library, request(registry().host(), QStringLiteral("plain:two")), context());
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->alreadyHere);
    EXPECT_EQ(plan->bytesToFetch, 0U);
}

TEST_F(PullTest, ThePlanSaysWhatThePullThenFetches) {
    const TestImage image = mixedImage(3);
    push(image, QStringLiteral("plain:three"));
    const PullRequest what = request(registry().host(), QStringLiteral("plain:three"));
    const auto plan = planPull(library, what, context());
    ASSERT_TRUE(plan);
    EXPECT_FALSE(plan->alreadyHere);
    EXPECT_EQ(plan->layers, image.diskLayers().size());
    EXPECT_EQ(plan->spaceNeeded, static_cast<quint64>(image.disk.size()));
    EXPECT_GT(plan->spaceAvailable, plan->spaceNeeded);
    const auto pulled = pull(what);
    expectImage(pulled, image);
    EXPECT_EQ(pulled->bytesFetched, plan->bytesToFetch);
}

TEST_F(PullTest, AnotherTagOfTheSameImageIsOnlyLinked) {
    const TestImage image = mixedImage(4);
    push(image, QStringLiteral("plain:four"));
    push(image, QStringLiteral("plain:quatre"));
    expectImage(pull(registry().host(), QStringLiteral("plain:four")), image);
    const auto other = pull(registry().host(), QStringLiteral("plain:quatre"));
    expectImage(other, image);
    EXPECT_TRUE(other->wasAlreadyHere);
    EXPECT_EQ(other->bytesFetched, 0U);
}

TEST_F(PullTest, ByDigestNeedsNoRegistryOnceItIsHere) {
    const TestImage image = mixedImage(5);
    push(image, QStringLiteral("plain:five"));
    const QString name = QLatin1String("plain@") + image.digest().toText();
    expectImage(pull(registry().host(), name), image);
    log.clear();
    const auto again = pull(registry().host(), name);
    expectImage(again, image);
    EXPECT_TRUE(log.isEmpty());
}

TEST_F(PullTest, LayersOfACachedImageAreNotFetchedAgain) {
    const TestImage first = mixedImage(6);
    TestImage::Options options;
    options.layerSize = 2 << 20;
    options.disk = first.disk;
    options.disk.replace(0, 1000, noise(1000, 9)); // the first layer changes
    const TestImage second = TestImage::make(options);
    push(first, QStringLiteral("plain:base"));
    push(second, QStringLiteral("plain:next"));
    expectImage(pull(registry().host(), QStringLiteral("plain:base")), first);
    const auto pulled = pull(registry().host(), QStringLiteral("plain:next"));
    expectImage(pulled, second);
    EXPECT_LT(pulled->bytesFetched, static_cast<quint64>(second.diskLayers().first().size) + 2000);
}

TEST_F(PullTest, ACachedImageThatHasChangedIsNotTrusted) {
    const TestImage image = mixedImage(7);
    push(image, QStringLiteral("plain:trusted"));
    push(image, QStringLiteral("other:trusted"));
    const auto first = pull(registry().host(), QStringLiteral("plain:trusted"));
    expectImage(first, image);
    QFile disk(first->directory + QLatin1String("/disk.img"));
    ASSERT_TRUE(disk.open(QIODevice::ReadWrite));
    disk.seek(3'000'000);
    disk.write("changed");
    disk.close();
    // Another repository is another directory: the layers are taken from the first one.
    const auto second = pull(registry().host(), QStringLiteral("other:trusted"));
    expectImage(second, image);
    EXPECT_GE(second->bytesFetched, static_cast<quint64>(image.diskLayers().at(1).size));
    EXPECT_LT(second->bytesFetched, static_cast<quint64>(image.diskLayers().at(1).size) + 2000);
}

TEST_F(PullTest, EqualAndEmptyPartsAreFetchedOnceOrNever) {
    TestImage::Options options;
    const QByteArray part = noise(1 << 20, 3);
    options.disk = part + QByteArray(4 << 20, '\0') + part + part;
    const TestImage image = TestImage::make(options);
    push(image, QStringLiteral("plain:repeat"));
    const auto pulled = pull(registry().host(), QStringLiteral("plain:repeat"));
    expectImage(pulled, image);
    EXPECT_LT(pulled->bytesFetched, (1U << 20) + 20'000U);
}

TEST_F(PullTest, AMovedTagIsPulledAgainAndTheOldImageIsCollected) {
    const TestImage first = mixedImage(8);
    const TestImage second = mixedImage(9);
    push(first, QStringLiteral("plain:moving"));
    const auto old = pull(registry().host(), QStringLiteral("plain:moving"));
    expectImage(old, first);
    push(second, QStringLiteral("plain:moving"));
    expectImage(pull(registry().host(), QStringLiteral("plain:moving")), second);
    EXPECT_FALSE(QFileInfo::exists(old->directory));
}

TEST_F(PullTest, TwoPullsOfOneImageAtOnceFetchItOnce) {
    const TestImage image = mixedImage(10, 40'000'000, 8 << 20);
    push(image, QStringLiteral("plain:twice"));
    FaultProxy proxy(registry().port(), [](const StubRequest&) { return Fault(); });
    std::vector<Result<PulledImage>> results(2, fail(Error()));
    {
        std::vector<std::jthread> threads;
        for (auto& result : results) {
            threads.emplace_back([&] {
                result = pullImage(
                    library, request(proxy.host(), QStringLiteral("plain:twice")), JobContext());
            });
        }
    }
    for (const auto& result : results)
        expectImage(result, image);
    EXPECT_EQ(proxy.count("/blobs/" + image.diskLayers().first().digest.toText().toLatin1()), 1);
    EXPECT_NE(results.at(0)->wasAlreadyHere, results.at(1)->wasAlreadyHere);
}

TEST_F(PullTest, DifferentImagesOfOneRegistryArePulledAtOnce) {
    const TestImage first = mixedImage(11, 20'000'000, 4 << 20);
    const TestImage second = mixedImage(12);
    push(first, QStringLiteral("plain:slow"));
    push(second, QStringLiteral("plain:fast"));
    // The first hangs in a layer until the second is there.
    FaultProxy proxy(registry().port(), [&](const StubRequest& request) {
        Fault fault;
        if (request.target.contains(first.diskLayers().last().digest.toText().toLatin1()))
            fault.hangAfter = 1000;
        return fault;
    });
    Result<PulledImage> slow = fail(Error());
    std::stop_source slowStop;
    std::jthread other([&] {
        JobContext job;
        job.stop = slowStop.get_token();
        slow = pullImage(library, request(proxy.host(), QStringLiteral("plain:slow")), job);
    });
    expectImage(pull(proxy.host(), QStringLiteral("plain:fast")), second);
    slowStop.request_stop();
    other.join();
    ASSERT_FALSE(slow);
    EXPECT_TRUE(slow.error().isCancelled());
}

TEST_F(PullTest, ATagThatCannotBeStoredIsRefusedBeforeALayerMoves) {
    const TestImage image = mixedImage(13);
    push(image, QStringLiteral("a/b:c"));
    push(image, QStringLiteral("a/b/c:d"));
    expectImage(pull(registry().host(), QStringLiteral("a/b:c")), image);
    log.clear();
    const auto refused = pull(registry().host(), QStringLiteral("a/b/c:d"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::AlreadyExists);
    EXPECT_TRUE(log.filter(QStringLiteral("/blobs/")).isEmpty());
}

TEST_F(PullTest, AWrongConcurrencyIsRefused) {
    PullRequest what = request(registry().host(), QStringLiteral("plain:one"));
    for (const int count : {0, -1, 65}) {
        what.concurrency = count;
        expectFailure(pull(what), Error::Kind::InvalidInput);
    }
}

TEST_F(PullTest, ManyWorkersShareALayer) {
    const TestImage image = mixedImage(14);
    push(image, QStringLiteral("plain:many"));
    PullRequest what = request(registry().host(), QStringLiteral("plain:many"));
    what.concurrency = 64;
    expectImage(pull(what), image);
}

TEST_F(PullTest, ALibraryThatCannotBeWrittenIsAnError) {
    const TestImage image = mixedImage(15);
    push(image, QStringLiteral("plain:nowhere"));
    QFile file(library.home() + QLatin1String("/cache/vitrine-partial"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly)); // a file where the folder goes
    const auto pulled = pull(registry().host(), QStringLiteral("plain:nowhere"));
    ASSERT_FALSE(pulled);
    EXPECT_FALSE(pulled.error().message.isEmpty());
}

} // namespace
} // namespace vitrine::test
