// SPDX-License-Identifier: Apache-2.0
#include "core/registry/image_publisher.h"

#include "tests/support/test_image.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

class ImagePublisherTest : public testing::Test {
protected:
    ImagePublisherTest()
        : library(*Library::open(directory.path())) {}

    static ImageReference reference(const char* text) {
        return *ImageReference::fromText(QString::fromLatin1(text));
    }
    // A store with the three files, as a pull has it before publishing.
    PartialStore ready(const ImageManifest& manifest) {
        auto store = PartialStore::open(library, manifest, std::stop_token(), {});
        for (const char* name : {"/config.json", "/nvram.bin"}) {
            QFile file(store->imagePath() + QLatin1String(name));
            EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        }
        return *std::move(store);
    }
    Result<QString> publish(const char* name, quint64 seed = 1) {
        const ImageManifest manifest =
            *ImageManifest::fromBytes(test::TestImage::make({test::noise(1000, seed)}).manifest);
        auto store = ready(manifest);
        const ImageReference target = reference(name);
        auto path = publishImage({library, target, manifest.digest(), {}, {}}, &store);
        EXPECT_EQ(path.has_value(), isImageHere(library, target, manifest.digest()));
        return path;
    }

    QTemporaryDir directory;
    Library library;
};

TEST_F(ImagePublisherTest, TheImageThatATagLeavesIsTheFirstToBePruned) {
    const auto old = publish("127.0.0.1:5000/a/b:c", 1);
    ASSERT_TRUE(old);
    // Kept although no tag leads to it any longer.
    QFile kept(*old + QLatin1String("/.explicitly-pulled"));
    ASSERT_TRUE(kept.open(QIODevice::WriteOnly));
    const auto again = publish("127.0.0.1:5000/a/b:c", 1);
    ASSERT_TRUE(again);
    EXPECT_GT(QFileInfo(*old).lastRead().toSecsSinceEpoch(), 0);
    ASSERT_TRUE(publish("127.0.0.1:5000/a/b:c", 2));
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(*old).constData(), &info), 0);
    EXPECT_EQ(info.st_atim.tv_sec, 0);
}

TEST_F(ImagePublisherTest, TheTagIsARelativeLinkToTheDigest) {
    const auto path = publish("127.0.0.1:5000/a/b:c");
    ASSERT_TRUE(path) << qPrintable(path.error().message);
    const QString tag = library.imagesPath() + QLatin1String("/127.0.0.1%3A5000/a/b/c");
    std::array<char, 200> target{};
    const ssize_t size =
        ::readlink(QFile::encodeName(tag).constData(), target.data(), target.size());
    ASSERT_GT(size, 0);
    EXPECT_EQ(QByteArray(target.data(), size), QFileInfo(*path).fileName().toLatin1());
    EXPECT_TRUE(QFileInfo(*path).fileName().startsWith(QLatin1String("sha256:")));
    EXPECT_FALSE(QFileInfo::exists(*path + QLatin1String("/.explicitly-pulled")));
}

TEST_F(ImagePublisherTest, ATagMovesByRename) {
    const auto first = publish("r.io/a:x", 1);
    const auto second = publish("r.io/a:x", 2);
    ASSERT_TRUE(first && second);
    EXPECT_NE(*first, *second);
    EXPECT_EQ(QFileInfo(library.imagesPath() + QLatin1String("/r.io/a/x")).canonicalFilePath(),
              QFileInfo(*second).canonicalFilePath());
    EXPECT_TRUE(QFileInfo::exists(*first + QLatin1String("/disk.img")));
}

TEST_F(ImagePublisherTest, AnImageThatIsThereIsNeverReplaced) {
    const auto first = publish("r.io/a:x");
    ASSERT_TRUE(first);
    QFile mark(*first + QLatin1String("/mark"));
    ASSERT_TRUE(mark.open(QIODevice::WriteOnly));
    const auto second = publish("r.io/a:y");
    ASSERT_TRUE(second);
    EXPECT_EQ(*first, *second);
    EXPECT_TRUE(mark.exists());
}

TEST_F(ImagePublisherTest, HalfAnImageIsMovedAside) {
    const ImageManifest manifest =
        *ImageManifest::fromBytes(test::TestImage::make({test::noise(1000, 1)}).manifest);
    const QString path =
        library.imagesPath() + QLatin1String("/r.io/a/") + manifest.digest().toText();
    ASSERT_TRUE(QDir().mkpath(path));
    QFile left(path + QLatin1String("/config.json"));
    ASSERT_TRUE(left.open(QIODevice::WriteOnly));
    const auto published = publish("r.io/a:x");
    ASSERT_TRUE(published) << qPrintable(published.error().message);
    EXPECT_TRUE(QFileInfo::exists(path + QLatin1String("/disk.img")));
    EXPECT_EQ(QDir(library.temporaryPath()).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 1);
}

TEST_F(ImagePublisherTest, ATagInTheWayOfANamespaceIsRefused) {
    const auto tag = publish("r.io/a/b:c");
    ASSERT_TRUE(tag);
    const auto longer = publish("r.io/a/b/c:d", 2);
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().kind, Error::Kind::AlreadyExists);
    EXPECT_FALSE(checkImagePath(library, reference("r.io/a/b/c:d")));
    // Nothing was written through the link.
    EXPECT_FALSE(QFileInfo::exists(*tag + QLatin1String("/d")));
    EXPECT_EQ(QDir(*tag).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 0);
}

TEST_F(ImagePublisherTest, ANamespaceInTheWayOfATagIsRefused) {
    const auto deep = publish("r.io/a/b/c:d");
    ASSERT_TRUE(deep);
    const auto tag = publish("r.io/a/b:c", 2);
    ASSERT_FALSE(tag);
    EXPECT_EQ(tag.error().kind, Error::Kind::AlreadyExists);
    EXPECT_FALSE(checkImagePath(library, reference("r.io/a/b:c")));
    EXPECT_TRUE(QFileInfo::exists(*deep + QLatin1String("/disk.img")));
    EXPECT_TRUE(checkImagePath(library, reference("r.io/a/b:e")));
}

TEST_F(ImagePublisherTest, AnImagePulledByDigestIsMarked) {
    const Sha256 digest = test::TestImage::make({test::noise(1000, 1)}).digest();
    const QByteArray name = "r.io/a@" + digest.toText().toLatin1();
    const auto path = publish(name.constData());
    ASSERT_TRUE(path) << qPrintable(path.error().message);
    EXPECT_TRUE(QFileInfo::exists(*path + QLatin1String("/.explicitly-pulled")));
    EXPECT_EQ(QDir(library.imagesPath() + QLatin1String("/r.io/a"))
                  .entryList(QDir::NoDotAndDotDot | QDir::AllEntries)
                  .size(),
              1);
}

TEST_F(ImagePublisherTest, WaitingForTheHostLockEndsWithAStop) {
    ASSERT_TRUE(publish("r.io/a:x"));
    const auto lock = DirectoryLock::tryLock(library.imagesPath() + QLatin1String("/r.io"));
    ASSERT_TRUE(lock);
    const ImageManifest manifest =
        *ImageManifest::fromBytes(test::TestImage::make({test::noise(1000, 2)}).manifest);
    auto store = ready(manifest);
    const ImageReference target = reference("r.io/a:x");
    std::stop_source stop;
    const auto path = publishImage(
        {library, target, manifest.digest(), stop.get_token(), [&] { stop.request_stop(); }},
        &store);
    ASSERT_FALSE(path);
    EXPECT_TRUE(path.error().isCancelled());
    EXPECT_TRUE(QFileInfo::exists(store.diskPath()));
}

TEST_F(ImagePublisherTest, AnImageDeletedMeanwhileIsNotLinked) {
    const ImageReference target = reference("r.io/a:x");
    const Sha256 digest = Sha256::ofBytes("gone");
    const auto path = publishImage({library, target, digest, {}, {}}, nullptr);
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().kind, Error::Kind::NotFound);
    EXPECT_FALSE(QFileInfo(library.imagesPath() + QLatin1String("/r.io/a/x")).isSymLink());
}

} // namespace
} // namespace vitrine
