// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/image_pull.h"
#include "tests/support/fault_proxy.h"
#include "tests/support/image_push.h"
#include "tests/support/registry_server.h"
#include "tests/support/test_image.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <mutex>

namespace vitrine::test {

// A library of its own and one registry for all tests of the program.
class PullTest : public testing::Test {
protected:
    static void SetUpTestSuite() { s_registry = new RegistryServer(); }
    static void TearDownTestSuite() {
        delete s_registry;
        s_registry = nullptr;
    }
    void SetUp() override { ASSERT_TRUE(s_registry->isUp()); }

    PullTest()
        : library(*Library::open(directory.path())) {}

    static RegistryServer& registry() { return *s_registry; }

    // Into the open registry; `name` is "namespace:tag".
    static void push(const TestImage& image, const QString& name) {
        const QStringList parts = name.split(QLatin1Char(':'));
        ImagePush target(registry().host(), parts.at(0));
        const auto pushed = target.image(image, parts.at(1));
        ASSERT_TRUE(pushed) << qPrintable(pushed.error().message);
    }
    static PullRequest request(const QString& host, const QString& name) {
        PullRequest pull{*ImageReference::fromText(host + QLatin1Char('/') + name), {}, 4};
        pull.registry.insecure = true;
        pull.registry.retry.delayScale = 0.01;
        return pull;
    }
    Result<PulledImage> pull(const QString& host, const QString& name) {
        return pull(request(host, name));
    }
    Result<PulledImage> pull(const PullRequest& what) {
        return pullImage(library, what, context());
    }
    JobContext context() {
        JobContext job;
        job.stop = stop.get_token();
        job.log = [this](const QString& line) {
            const std::scoped_lock lock(mutex);
            log += line;
        };
        job.report = [this](const Progress& now) {
            const std::scoped_lock lock(mutex);
            progress = now;
            if (onReport)
                onReport(now);
        };
        return job;
    }

    static QByteArray readFile(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    // The image is complete, exactly the one that was pushed, and nothing is left behind.
    void expectImage(const Result<PulledImage>& pulled, const TestImage& image) {
        ASSERT_TRUE(pulled) << qPrintable(pulled.error().message) << "\n"
                            << qPrintable(pulled.error().detail);
        EXPECT_EQ(pulled->digest, image.digest());
        EXPECT_EQ(readFile(pulled->directory + QLatin1String("/config.json")), image.config);
        EXPECT_EQ(readFile(pulled->directory + QLatin1String("/nvram.bin")), image.nvram);
        EXPECT_EQ(readFile(pulled->directory + QLatin1String("/manifest.json")), image.manifest);
        EXPECT_TRUE(readFile(pulled->directory + QLatin1String("/disk.img")) == image.disk);
        EXPECT_EQ(QFileInfo(library.imagePath(pulled->reference)).canonicalFilePath(),
                  QFileInfo(pulled->directory).canonicalFilePath());
        EXPECT_FALSE(QFileInfo::exists(partial(image)));
    }
    void expectFailure(const Result<PulledImage>& pulled, Error::Kind kind) {
        ASSERT_FALSE(pulled);
        EXPECT_EQ(pulled.error().kind, kind) << qPrintable(pulled.error().message) << "\n"
                                             << qPrintable(pulled.error().detail);
        EXPECT_FALSE(pulled.error().message.isEmpty());
        EXPECT_TRUE(library.images()->isEmpty());
    }
    QString partial(const TestImage& image) const {
        return library.partialPath() + QLatin1Char('/') + image.digest().toHex();
    }

    QTemporaryDir directory;
    Library library;
    std::stop_source stop;
    std::mutex mutex;
    QStringList log;
    Progress progress;
    std::function<void(const Progress&)> onReport;

private:
    static inline RegistryServer* s_registry = nullptr;
};

} // namespace vitrine::test
