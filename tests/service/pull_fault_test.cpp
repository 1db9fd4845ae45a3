// SPDX-License-Identifier: Apache-2.0
#include "core/registry/partial_store.h"
#include "tests/service/pull_fixture.h"

#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>

#include <atomic>
#include <map>
#include <thread>

namespace vitrine::test {
namespace {

// One image for all: three layers of noise, so that a layer has as many compressed as plain bytes.
const TestImage& noisyImage() {
    static const TestImage image = [] {
        TestImage::Options options;
        options.disk = noise(9 << 20, 77);
        options.layerSize = 3 << 20;
        return TestImage::make(options);
    }();
    return image;
}

class PullFaultTest : public PullTest {
protected:
    void SetUp() override {
        PullTest::SetUp();
        push(noisyImage(), QStringLiteral("faults:latest"));
    }
    // Spoils requests for disk layers; `spoil` gets the number of the request for that layer.
    void start(std::function<Fault(int)> spoil) {
        proxy = std::make_unique<FaultProxy>(
            registry().port(), [this, spoil = std::move(spoil)](const StubRequest& request) {
                for (const TestImage::Layer& layer : noisyImage().diskLayers()) {
                    if (!request.target.contains(layer.digest.toText().toLatin1()))
                        continue;
                    const std::scoped_lock lock(countMutex);
                    return spoil(counts[request.target]++);
                }
                return Fault();
            });
    }
    Result<PulledImage> pullIt() { return pull(proxy->host(), QStringLiteral("faults:latest")); }
    void TearDown() override { proxy.reset(); }

    std::unique_ptr<FaultProxy> proxy;
    std::mutex countMutex;
    std::map<QByteArray, int> counts;
};

TEST_F(PullFaultTest, ABrokenConnectionGoesOnWhereItBroke) {
    start([](int number) {
        Fault fault;
        if (number < 12)
            fault.cutAfter = 200'000 + number;
        return fault;
    });
    const auto pulled = pullIt();
    expectImage(pulled, noisyImage());
    // Nothing came twice: what was taken in stays, up to the bytes under way at each break.
    EXPECT_LT(pulled->bytesFetched, noisyImage().diskBlobBytes() + 10'000);
    int ranges = 0;
    for (const StubRequest& request : proxy->requests())
        ranges += request.header("Range").isEmpty() ? 0 : 1;
    EXPECT_GE(ranges, 30);
}

TEST_F(PullFaultTest, AServerThatIgnoresRangesIsReadFromItsBeginning) {
    start([](int number) {
        Fault fault;
        fault.dropRange = true;
        if (number < 2)
            fault.cutAfter = 1'000'000;
        return fault;
    });
    const auto pulled = pullIt();
    expectImage(pulled, noisyImage());
    EXPECT_GT(pulled->bytesFetched, noisyImage().diskBlobBytes() + 3'000'000);
}

TEST_F(PullFaultTest, AWrongContentRangeIsNotWritten) {
    start([](int number) {
        Fault fault;
        if (number == 0)
            fault.cutAfter = 500'000;
        else
            fault.contentRange = "bytes 7-8/9";
        return fault;
    });
    expectImage(pullIt(), noisyImage());
}

TEST_F(PullFaultTest, BusyServersAreAskedAgain) {
    for (const int status : {408, 425, 429, 500, 502, 503, 504}) {
        counts.clear();
        start([status](int number) {
            Fault fault;
            if (number < 3)
                fault.status = status;
            return fault;
        });
        expectImage(pullIt(), noisyImage());
        ASSERT_TRUE(QDir(library.imagesPath()).removeRecursively());
    }
}

TEST_F(PullFaultTest, RetryAfterIsWaitedFor) {
    start([](int number) {
        Fault fault;
        if (number == 0) {
            fault.status = 503;
            fault.headers = {{"Retry-After", "1"}};
        }
        return fault;
    });
    PullRequest what = request(proxy->host(), QStringLiteral("faults:latest"));
    what.registry.retry.delayScale = 1;
    QElapsedTimer timer;
    timer.start();
    expectImage(pull(what), noisyImage());
    EXPECT_GE(timer.elapsed(), 1000);
}

TEST_F(PullFaultTest, AServerThatStaysBusyIsAnErrorAndWhatCameIsKept) {
    start([](int number) {
        Fault fault;
        if (number == 0)
            fault.cutAfter = 2'000'000;
        else
            fault.status = 503;
        return fault;
    });
    const auto busy = pullIt();
    expectFailure(busy, Error::Kind::Network);
    EXPECT_TRUE(QFileInfo::exists(partial(noisyImage())));
    const QString& text = busy.error().message;
    EXPECT_TRUE(text.contains(QLatin1String("are kept"))) << qPrintable(text);
    EXPECT_TRUE(text.contains(QLatin1String("the next pull goes on from there")));
    EXPECT_TRUE(text.contains(QLatin1String("14 day"))) << qPrintable(text);
    start([](int) { return Fault(); });
    const auto pulled = pullIt();
    // Another port is another repository name, but the partial data is keyed by the digest.
    expectImage(pulled, noisyImage());
    EXPECT_LT(pulled->bytesFetched, 3U * (3U << 20) - 3U * 700'000U);
}

TEST_F(PullFaultTest, ACorruptByteIsFetchedAgainOnce) {
    start([](int number) {
        Fault fault;
        if (number == 0)
            fault.corruptAt = 1'500'000;
        return fault;
    });
    expectImage(pullIt(), noisyImage());
}

TEST_F(PullFaultTest, AByteThatIsAlwaysCorruptIsAnIntegrityError) {
    start([](int) {
        Fault fault;
        fault.corruptAt = 1'500'000;
        return fault;
    });
    expectFailure(pullIt(), Error::Kind::Integrity);
}

TEST_F(PullFaultTest, CorruptionBeforeAStopIsFoundByTheNextPull) {
    start([](int) {
        Fault fault;
        fault.corruptAt = 100'000; // inside a stored block: decodes without an error
        fault.hangAfter = 2'500'000;
        return fault;
    });
    onReport = [this](const Progress& now) {
        if (now.done > 6'000'000)
            stop.request_stop();
    };
    const auto cancelled = pullIt();
    ASSERT_FALSE(cancelled);
    ASSERT_TRUE(cancelled.error().isCancelled());
    onReport = {};
    stop = std::stop_source();
    start([](int) { return Fault(); });
    expectImage(pullIt(), noisyImage());
}

TEST_F(PullFaultTest, ALyingSizeIsAnIntegrityError) {
    for (const qint64 delta : {-1, 1, 1'000'000}) {
        start([delta](int) {
            Fault fault;
            fault.lengthDelta = delta;
            return fault;
        });
        expectFailure(pullIt(), Error::Kind::Integrity);
    }
}

TEST_F(PullFaultTest, BytesAfterTheEndAreRefused) {
    start([](int) {
        Fault fault;
        fault.extraBytes = 100;
        return fault;
    });
    expectFailure(pullIt(), Error::Kind::Integrity);
}

TEST_F(PullFaultTest, AServerThatHangsIsGivenUpAndAskedAgain) {
    start([](int number) {
        Fault fault;
        if (number == 0)
            fault.hangAfter = 1'000'000;
        return fault;
    });
    PullRequest what = request(proxy->host(), QStringLiteral("faults:latest"));
    what.registry.idleMilliseconds = 300;
    expectImage(pull(what), noisyImage());
}

TEST_F(PullFaultTest, AServerThatTricklesIsGivenUpAndAskedAgain) {
    start([](int number) {
        Fault fault;
        if (number == 0)
            fault.trickleAfter = 1'000'000;
        return fault;
    });
    PullRequest what = request(proxy->host(), QStringLiteral("faults:latest"));
    what.registry.stallMilliseconds = 300;
    expectImage(pull(what), noisyImage());
}

TEST_F(PullFaultTest, AServerThatOnlyTricklesIsGivenUpForGood) {
    start([](int number) {
        Fault fault;
        fault.trickleAfter = number == 0 ? 1'000'000 : 0;
        return fault;
    });
    PullRequest what = request(proxy->host(), QStringLiteral("faults:latest"));
    what.registry.stallMilliseconds = 300;
    const auto pulled = pull(what);
    expectFailure(pulled, Error::Kind::Timeout);
    EXPECT_TRUE(pulled.error().message.contains(QLatin1String("/s")))
        << qPrintable(pulled.error().message);
}

// Without an end it would be asked six times a second for a byte each.
TEST_F(PullFaultTest, AServerThatGivesAByteAnAnswerIsGivenUpForGood) {
    start([](int number) {
        Fault fault;
        fault.cutAfter = number == 0 ? 1'000'000 : 1;
        return fault;
    });
    const auto pulled = pullIt();
    expectFailure(pulled, Error::Kind::Network);
    EXPECT_LT(proxy->requests().size(), 200U);
}

TEST_F(PullFaultTest, OldPartialDataGoesAlsoWhenThePullFails) {
    TestImage::Options options;
    options.disk = noise(1 << 20, 5);
    const TestImage other = TestImage::make(options);
    const auto manifest = ImageManifest::fromBytes(other.manifest);
    ASSERT_TRUE(manifest);
    const auto makeOld = [&] {
        EXPECT_TRUE(PartialStore::open(library, *manifest, std::stop_token(), {}));
        QFile table(partial(other) + QLatin1String("/layers"));
        EXPECT_TRUE(table.open(QIODevice::ReadWrite));
        EXPECT_TRUE(table.setFileTime(QDateTime::currentDateTimeUtc().addDays(-15),
                                      QFileDevice::FileModificationTime));
    };
    // No such image, and one that breaks off.
    makeOld();
    {
        const auto held = DirectoryLock::tryLock(partial(other));
        ASSERT_TRUE(held);
        expectFailure(pull(registry().host(), QStringLiteral("nothing:here")),
                      Error::Kind::NotFound);
        EXPECT_TRUE(QFileInfo::exists(partial(other))) << "somebody is at it";
    }
    expectFailure(pull(registry().host(), QStringLiteral("nothing:here")), Error::Kind::NotFound);
    EXPECT_FALSE(QFileInfo::exists(partial(other)));
    makeOld();
    start([](int) {
        Fault fault;
        fault.status = 404;
        return fault;
    });
    expectFailure(pullIt(), Error::Kind::NotFound);
    EXPECT_FALSE(QFileInfo::exists(partial(other)));
    EXPECT_TRUE(QFileInfo::exists(partial(noisyImage())));
}

TEST_F(PullFaultTest, CancellingAnswersAtOnceWhereverThePullIs) {
    // In the manifest, in a small part, in a layer.
    for (const QByteArray& place : {QByteArray("/manifests/"),
                                    noisyImage().layers.last().digest.toText().toLatin1(),
                                    noisyImage().diskLayers().at(1).digest.toText().toLatin1()}) {
        std::atomic<bool> reached{false};
        FaultProxy hanging(registry().port(), [&](const StubRequest& request) {
            Fault fault;
            if (request.target.contains(place)) {
                fault.hangAfter = 0;
                reached = true;
                reached.notify_all();
            }
            return fault;
        });
        std::stop_source source;
        JobContext job;
        job.stop = source.get_token();
        Result<PulledImage> result = fail(Error());
        std::jthread worker([&] {
            result =
                pullImage(library, request(hanging.host(), QStringLiteral("faults:latest")), job);
        });
        reached.wait(false);
        QElapsedTimer timer;
        timer.start();
        source.request_stop();
        worker.join();
        EXPECT_LT(timer.elapsed(), 1000) << place.constData();
        ASSERT_FALSE(result);
        EXPECT_TRUE(result.error().isCancelled());
    }
}

TEST_F(PullFaultTest, CancellingDuringTheWaitBeforeARetryAnswersAtOnce) {
    start([](int) {
        Fault fault;
        fault.status = 503;
        fault.headers = {{"Retry-After", "500"}};
        return fault;
    });
    PullRequest what = request(proxy->host(), QStringLiteral("faults:latest"));
    what.registry.retry.delayScale = 1;
    bool waiting = false;
    onReport = [&](const Progress& now) {
        for (const ProgressItem& item : now.items)
            waiting = waiting || item.note.contains(QLatin1String("500"));
        if (waiting)
            stop.request_stop();
    };
    const auto pulled = pull(what);
    ASSERT_FALSE(pulled);
    EXPECT_TRUE(pulled.error().isCancelled());
    EXPECT_TRUE(waiting);
}

TEST_F(PullFaultTest, ATagThatMovedBetweenTwoAttemptsGivesTheNewImage) {
    TestImage::Options options;
    options.disk = QByteArray(9 << 20, '\0'); // zeros where the old image had noise
    options.disk.replace(0, 1 << 20, noise(1 << 20, 5));
    options.layerSize = 3 << 20;
    const TestImage next = TestImage::make(options);
    push(noisyImage(), QStringLiteral("faults:moving"));
    start([](int) {
        Fault fault;
        fault.hangAfter = 2'000'000;
        return fault;
    });
    onReport = [this](const Progress& now) {
        if (now.done > 5'000'000)
            stop.request_stop();
    };
    ASSERT_FALSE(pull(proxy->host(), QStringLiteral("faults:moving")));
    onReport = {};
    stop = std::stop_source();
    push(next, QStringLiteral("faults:moving"));
    expectImage(pull(proxy->host(), QStringLiteral("faults:moving")), next);
    EXPECT_TRUE(QFileInfo::exists(partial(noisyImage()))) << "the other attempt is kept";
}

TEST_F(PullFaultTest, ARegistryThatIsNotThereIsAnError) {
    PullRequest what = request(QStringLiteral("127.0.0.1:1"), QStringLiteral("faults:latest"));
    expectFailure(pull(what), Error::Kind::Network);
}

TEST_F(PullFaultTest, APartThatIsMissingInTheRegistryIsAnError) {
    start([](int) {
        Fault fault;
        fault.status = 404;
        return fault;
    });
    expectFailure(pullIt(), Error::Kind::NotFound);
}

} // namespace
} // namespace vitrine::test
