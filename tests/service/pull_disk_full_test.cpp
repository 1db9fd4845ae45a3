// SPDX-License-Identifier: Apache-2.0
#include "tests/service/pull_fixture.h"

#include <sys/mount.h>
#include <unistd.h>

namespace vitrine::test {
namespace {

// A tmpfs at a folder of its own for the life of the value.
class SmallVolume final {
public:
    explicit SmallVolume(const char* size) {
        const QByteArray path = QFile::encodeName(m_directory.path());
        const std::string options = std::string("size=") + size;
        m_mounted = ::mount("tmpfs", path.constData(), "tmpfs", 0, options.c_str()) == 0;
    }
    ~SmallVolume() {
        if (m_mounted)
            ::umount2(QFile::encodeName(m_directory.path()).constData(), MNT_DETACH);
    }
    [[nodiscard]] bool isMounted() const { return m_mounted; }
    [[nodiscard]] QString path() const { return m_directory.path(); }
    // Another file takes what is free, also what is being freed meanwhile.
    bool fill() {
        m_filler.setFileName(m_directory.filePath(QStringLiteral("filler")));
        if (!m_filler.open(QIODevice::WriteOnly | QIODevice::Unbuffered))
            return false;
        const QByteArray piece(64 << 10, 'f');
        bool fits = true;
        while (fits)
            fits = m_filler.write(piece) == piece.size();
        return m_filler.size() > 0;
    }
    bool makeRoom() { return m_filler.remove(); }

private:
    QTemporaryDir m_directory;
    QFile m_filler;
    bool m_mounted = false;
};

class PullDiskFullTest : public PullTest {
protected:
    void SetUp() override {
        PullTest::SetUp();
        TestImage::Options options;
        options.disk = noise(96 << 20, 3);
        options.layerSize = 16 << 20;
        image = TestImage::make(options);
        push(image, QStringLiteral("full:latest"));
    }
    TestImage image;
};

TEST_F(PullDiskFullTest, ADiskThatIsTooSmallIsSaidBeforeALayerMoves_NeedsRootToMount) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may mount a small volume";
    SmallVolume volume("150m");
    ASSERT_TRUE(volume.isMounted());
    library = *Library::open(volume.path());
    const auto pulled = pull(registry().host(), QStringLiteral("full:latest"));
    expectFailure(pulled, Error::Kind::DiskFull);
    EXPECT_TRUE(pulled.error().message.contains(ByteCount::fromMiB(128).toText()))
        << "what must stay free: " << qPrintable(pulled.error().message);
    EXPECT_TRUE(log.filter(image.diskLayers().first().digest.toText()).isEmpty());
}

TEST_F(PullDiskFullTest, ImagesOnAMountOfTheirOwnTakePulls_NeedsRootToMount) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may mount";
    const QTemporaryDir store;
    ASSERT_TRUE(QDir().mkpath(library.imagesPath()));
    const QByteArray images = QFile::encodeName(library.imagesPath());
    for (const char* kind : {"bind", "tmpfs"}) {
        const bool binds = kind[0] == 'b';
        ASSERT_EQ(::mount(binds ? QFile::encodeName(store.path()).constData() : "tmpfs",
                          images.constData(),
                          "tmpfs",
                          binds ? MS_BIND : 0,
                          binds ? nullptr : "size=300m"),
                  0);
        const auto pulled = pull(registry().host(), QStringLiteral("full:latest"));
        EXPECT_TRUE(pulled) << kind << qPrintable(pulled ? QString() : pulled.error().message);
        const auto listed = library.images();
        EXPECT_EQ(listed->size(), 2) << kind;
        if (pulled)
            expectImage(pulled, image);
        ::umount2(images.constData(), MNT_DETACH);
    }
}

TEST_F(PullDiskFullTest, ARegistrysFolderThatIsAMountIsSaidBeforeALayerMoves_NeedsRootToMount) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may mount";
    const QByteArray host = QFile::encodeName(library.hostPath(registry().host()));
    ASSERT_TRUE(QDir().mkpath(QFile::decodeName(host)));
    ASSERT_EQ(::mount("tmpfs", host.constData(), "tmpfs", 0, "size=300m"), 0);
    const auto pulled = pull(registry().host(), QStringLiteral("full:latest"));
    ::umount2(host.constData(), MNT_DETACH);
    expectFailure(pulled, Error::Kind::Unsupported);
    EXPECT_TRUE(log.filter(image.diskLayers().first().digest.toText()).isEmpty());
}

TEST_F(PullDiskFullTest, ADiskThatFillsUpDuringThePullLosesNothing_NeedsRootToMount) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root may mount a small volume";
    SmallVolume volume("300m");
    ASSERT_TRUE(volume.isMounted());
    library = *Library::open(volume.path());
    // Another program takes the space while the layers arrive.
    bool taken = false;
    onReport = [&](const Progress& now) {
        if (now.done > 20'000'000 && !taken) {
            taken = true;
            ASSERT_TRUE(volume.fill());
        }
    };
    PullRequest what = request(registry().host(), QStringLiteral("full:latest"));
    FaultProxy slow(registry().port(), [&](const StubRequest& request) {
        Fault fault;
        if (request.target.contains("/blobs/") && !taken)
            fault.cutAfter = 6 << 20; // goes on in pieces, so that the report comes in between
        return fault;
    });
    what = request(slow.host(), QStringLiteral("full:latest"));
    what.registry.retry.delayScale = 0.2;
    const auto failed = pull(what);
    ASSERT_TRUE(taken);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().kind, Error::Kind::DiskFull) << qPrintable(failed.error().message);
    EXPECT_TRUE(QFileInfo::exists(partial(image)));

    onReport = {};
    ASSERT_TRUE(volume.makeRoom());
    const auto pulled = pull(registry().host(), QStringLiteral("full:latest"));
    expectImage(pulled, image);
    EXPECT_LT(pulled->bytesFetched, image.diskBlobBytes() - 15'000'000);
}

} // namespace
} // namespace vitrine::test
