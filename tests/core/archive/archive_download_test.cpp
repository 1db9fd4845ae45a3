// SPDX-License-Identifier: Apache-2.0
#include "core/archive/archive_download.h"

#include "tests/support/archive_maker.h"
#include "tests/support/http_stub.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

class ArchiveDownload : public testing::Test {
protected:
    ArchiveDownload() {
        ArchiveMaker maker;
        QByteArray content(200000, Qt::Uninitialized);
        quint32 state = 1;
        for (char& c : content) {
            state = state * 1664525 + 1013904223;
            c = static_cast<char>(state >> 24U);
        }
        maker.file("top/file", content);
        m_archive = maker.bytes();
    }
    void answer(const StubRequest& request, StubConnection& connection) {
        const QByteArray path = request.target;
        if (path == "/good.tar.gz") {
            connection.answer(200, {}, m_archive);
        } else if (path == "/moved") {
            connection.answer(302, {{"Location", "/good.tar.gz"}}, {});
        } else if (path == "/round") {
            connection.answer(301, {{"Location", "/round"}}, {});
        } else if (path == "/away") {
            connection.answer(302, {{"Location", "file:///etc/passwd"}}, {});
        } else if (path == "/spoilt") {
            connection.answer(302, {{"Location", "::"}}, {});
        } else if (path == "/short") {
            connection.answer(200,
                              {{"Content-Length", QByteArray::number(m_archive.size())}},
                              m_archive.left(m_archive.size() / 2));
        } else {
            connection.answer(404, {}, "nothing");
        }
    }
    Result<> download(const char* path) {
        return downloadArchive(
            QUrl(QStringLiteral("http://") + m_server.host() + QLatin1String(path)),
            m_folder.path(),
            {},
            m_context);
    }
    std::string reasonOf(const char* path) {
        const auto got = download(path);
        return got ? std::string("(none)") : got.error().message.toStdString();
    }

    QByteArray m_archive;
    QTemporaryDir m_folder;
    JobContext m_context;
    HttpStub m_server{[this](const StubRequest& request, StubConnection& connection) {
        answer(request, connection);
    }};
};

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_F(ArchiveDownload, IsUnpackedOnTheWayAndTellsHowFarItIs) {
    QList<Progress> reports;
    m_context.report = [&](const Progress& progress) { reports.append(progress); };
    const auto got = download("/good.tar.gz");
    ASSERT_TRUE(got) << qPrintable(got.error().message);
    EXPECT_EQ(QFile(m_folder.filePath(QStringLiteral("top/file"))).size(), 200000);
    ASSERT_FALSE(reports.isEmpty());
    EXPECT_EQ(reports.last().total, static_cast<quint64>(m_archive.size()));
    EXPECT_EQ(reports.last().done, static_cast<quint64>(m_archive.size()));
}

TEST_F(ArchiveDownload, FollowsRedirectsButNotWithoutAnEndAndNotOutOfTheWeb) {
    EXPECT_TRUE(download("/moved"));
    EXPECT_TRUE(has(reasonOf("/round"), "without an end"));
    EXPECT_EQ(m_server.count("/round"), 6);
    EXPECT_TRUE(has(reasonOf("/away"), "none of the web"));
    EXPECT_TRUE(has(reasonOf("/spoilt"), "none of the web")) << reasonOf("/spoilt");
}

TEST_F(ArchiveDownload, SaysWhatFailed) {
    const std::string missing = reasonOf("/missing.tar.gz");
    EXPECT_TRUE(has(missing, "/missing.tar.gz")) << missing;
    EXPECT_TRUE(has(missing, "404")) << missing;
    EXPECT_NE(reasonOf("/short"), "(none)");
    m_server.stop();
    EXPECT_TRUE(has(reasonOf("/good.tar.gz"), "refuses")) << reasonOf("/good.tar.gz");
    const auto secret = downloadArchive(
        QUrl(QStringLiteral("http://user:secret@127.0.0.1/x")), m_folder.path(), {}, m_context);
    ASSERT_FALSE(secret);
    EXPECT_FALSE(secret.error().message.contains(QLatin1String("secret")))
        << qPrintable(secret.error().message);
}

TEST_F(ArchiveDownload, StopsWhenItIsCancelled) {
    std::stop_source stop;
    m_context.stop = stop.get_token();
    m_context.report = [&](const Progress&) { stop.request_stop(); };
    const auto got = download("/good.tar.gz");
    ASSERT_FALSE(got);
    EXPECT_TRUE(got.error().isCancelled());
}
