// SPDX-License-Identifier: Apache-2.0
#include "qemu/screen_capture.h"

#include "tests/support/event_wait.h"
#include "tests/support/fake_qmp_server.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::FakeQmpServer;
using vitrine::test::waitUntil;

namespace {

const QByteArray picture("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\5\0\0\0\3\x20", 24);

class ScreenCaptureTest : public testing::Test {
protected:
    ScreenCaptureTest()
        : server(folder.filePath(QStringLiteral("qmp")))
        , capture(&client, folder.path()) {
        server.answers[QStringLiteral("screendump")] = [this](const QJsonObject& arguments) {
            QFile file(folder.filePath(arguments.value(QLatin1String("filename")).toString()));
            file.open(QIODevice::WriteOnly);
            file.write(content);
            return FakeQmpServer::value(QJsonObject{});
        };
        client.open(folder.filePath(QStringLiteral("qmp")), 5000);
        EXPECT_TRUE(waitUntil([this] { return client.isReady(); }));
    }
    [[nodiscard]] qsizetype dumps() const {
        return server.commands.count(QStringLiteral("screendump"));
    }

    QTemporaryDir folder;
    QByteArray content = picture;
    FakeQmpServer server;
    QmpClient client;
    ScreenCapture capture;
};

} // namespace

TEST(PngSize, IsReadFromTheHead) {
    EXPECT_EQ(pngSize(picture), QSize(1280, 800));
    for (qsizetype length = 0; length < picture.size(); ++length) {
        EXPECT_TRUE(pngSize(picture.first(length)).isEmpty());
    }
    QByteArray huge = picture;
    huge[16] = '\x7f';
    EXPECT_TRUE(pngSize(huge).isEmpty());
}

TEST_F(ScreenCaptureTest, OnePictureServesAllWhoWait) {
    QStringList paths;
    for (int i = 0; i < 10; ++i) {
        capture.take([&paths](const Result<ScreenCapture::Picture>& taken) {
            paths.append(taken ? taken->path : QString());
        });
    }
    ASSERT_TRUE(waitUntil([&paths] { return paths.size() == 10; }));
    EXPECT_EQ(paths.count(folder.filePath(QStringLiteral("screen.png"))), 10);
    EXPECT_EQ(dumps(), 1);
    EXPECT_EQ(capture.lastSize(), QSize(1280, 800));
    // Asked again at once: the same picture.
    bool answered = false;
    capture.take([&answered](const auto& taken) { answered = taken.has_value(); });
    EXPECT_TRUE(answered);
    EXPECT_EQ(dumps(), 1);
}

TEST_F(ScreenCaptureTest, RefusesWhatIsNoPicture) {
    content = "not a picture";
    std::optional<Error::Kind> kind;
    capture.take([&kind](const auto& taken) { kind = taken.error().kind; });
    ASSERT_TRUE(waitUntil([&kind] { return kind.has_value(); }));
    EXPECT_EQ(kind, Error::Kind::Integrity);
    EXPECT_FALSE(QFile::exists(folder.filePath(QStringLiteral("screen.png"))));
}
