// SPDX-License-Identifier: Apache-2.0
#include "tests/service/pull_fixture.h"

#include "core/registry/interrupted_pulls.h"
#include "core/registry/sparse_writer.h"
#include "tests/support/send_signal.h"

#include <QProcess>

#include <fcntl.h>
#include <random>
#include <signal.h>

namespace vitrine::test {
namespace {

constexpr qint64 plainSize = 544LL << 20; // noise: at least 512 MiB compressed
constexpr qint64 layerSize = 48LL << 20;
constexpr int kills = 20;
constexpr int concurrency = 4;

class PullKillTest : public PullTest {};

TEST_F(PullKillTest, APullKilledTwentyTimesGivesTheSameImageAndFetchesLittleTwice) {
    Sha256 diskDigest;
    Sha256 digest;
    quint64 blobBytes = 0;
    {
        TestImage::Options options;
        options.disk = noise(plainSize, 20260512);
        options.layerSize = layerSize;
        const TestImage image = TestImage::make(options);
        push(image, QStringLiteral("killed:latest"));
        diskDigest = Sha256::ofBytes(image.disk);
        digest = image.digest();
        blobBytes = image.diskBlobBytes();
    }
    ASSERT_GE(blobBytes, 512ULL << 20);
    FaultProxy proxy(registry().port(), [](const StubRequest&) { return Fault(); });
    const QString name = proxy.host() + QLatin1String("/killed:latest");
    const QStringList arguments{library.home(), name, QString::number(concurrency)};
    const QString program = QStringLiteral(VITRINE_BIN_DIR "/vitrine-pull-image");

    // Each run may move a share of what is left, so that all kills meet a pull at work.
    std::mt19937_64 random(7);
    for (int i = 0; i < kills; ++i) {
        const quint64 before = proxy.bodyBytes();
        const quint64 share = 2 * blobBytes / (kills + 4);
        QProcess process;
        process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        process.start(program, arguments);
        ASSERT_TRUE(process.waitForStarted());
        ASSERT_TRUE(proxy.waitForBytes(before + 1 + random() % share, 60000));
        vitrine::test::sendSignal(static_cast<pid_t>(process.processId()), SIGKILL);
        ASSERT_TRUE(process.waitForFinished());
        ASSERT_EQ(process.exitStatus(), QProcess::CrashExit) << "it was over before the kill";
    }
    const auto cut = interruptedPulls(library);
    ASSERT_EQ(cut.size(), 1);
    EXPECT_EQ(cut.first().reference.toText(), name);
    EXPECT_GT(cut.first().bytesHere, 0U);
    EXPECT_LE(cut.first().bytesHere, cut.first().bytesTotal);
    QProcess last;
    last.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    last.start(program, arguments);
    ASSERT_TRUE(last.waitForFinished(120000));
    ASSERT_EQ(last.exitCode(), 0);

    const QString stored =
        library.imagePath(ImageReference::withDigest(*ImageReference::fromText(name), digest));
    const FileDescriptor disk(
        ::open(QFile::encodeName(stored + QLatin1String("/disk.img")).constData(), O_RDONLY));
    const auto pulled =
        hashRegion(disk.get(), stored, 0, static_cast<quint64>(plainSize), std::stop_token());
    ASSERT_TRUE(pulled);
    EXPECT_EQ(*pulled, diskDigest);
    EXPECT_EQ(Sha256::ofBytes(readFile(stored + QLatin1String("/manifest.json"))), digest);
    const quint64 allowed = blobBytes + quint64{kills} * concurrency * (2ULL << 20);
    EXPECT_LE(proxy.bodyBytes(), allowed);
    RecordProperty("bytes of the image", std::to_string(blobBytes));
    RecordProperty("bytes sent", std::to_string(proxy.bodyBytes()));
    std::printf("image %llu bytes, sent %llu (%.2f MiB a kill and worker)\n",
                blobBytes,
                proxy.bodyBytes(),
                static_cast<double>(proxy.bodyBytes() - blobBytes) / kills / concurrency /
                    (1 << 20));
}

} // namespace
} // namespace vitrine::test
