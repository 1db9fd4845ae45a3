// SPDX-License-Identifier: Apache-2.0
#include "core/archive/restore_image_fetch.h"

#include "core/registry/http_client.h"
#include "core/value/sha256.h"
#include "tests/support/http_stub.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <atomic>
#include <fcntl.h>
#include <sys/stat.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

QByteArray imageBytes(int seed) {
    QByteArray bytes(3'000'000, Qt::Uninitialized);
    auto state = static_cast<quint32>(seed);
    for (char& c : bytes) {
        state = state * 1664525 + 1013904223;
        c = static_cast<char>(state >> 24U);
    }
    return bytes;
}

class RestoreImageFetch : public testing::Test {
protected:
    RestoreImageFetch() { m_options.plainHttp = true; }

    void answer(const StubRequest& request, StubConnection& connection) {
        if (request.target == "/moved.ipsw") {
            connection.answer(302, {{"Location", "/mac.ipsw"}}, {});
            return;
        }
        if (request.target != "/mac.ipsw") {
            connection.answer(404, {}, {});
            return;
        }
        const bool head = request.method == "HEAD";
        if (head && m_refusesHead) {
            connection.answer(405, {}, {});
            return;
        }
        if (!head && m_busyAnswers-- > 0) {
            connection.answer(503, {{"Retry-After", "0"}}, {});
            return;
        }
        QByteArray headers = "Connection: close\r\n";
        if (!m_tag.isEmpty())
            headers += "ETag: " + m_tag + "\r\n";
        if (!m_digest.isEmpty())
            headers += "x-amz-meta-digest-sha256: " + m_digest + "\r\n";
        qsizetype from = 0;
        const QByteArray range = request.header("Range");
        if (!head && m_ranges && range.startsWith("bytes=") && request.header("If-Range") == m_tag)
            from = range.mid(6).chopped(1).toLongLong();
        const QByteArray body = m_bytes.mid(from);
        if (from > 0)
            headers += "Content-Range: bytes " + QByteArray::number(from + m_rangeShift) + '-' +
                       QByteArray::number(m_bytes.size() - 1) + '/' +
                       QByteArray::number(m_bytes.size()) + "\r\n";
        connection.write((from > 0 ? "HTTP/1.1 206 Partial\r\n" : "HTTP/1.1 200 OK\r\n") + headers +
                         "Content-Length: " + QByteArray::number(body.size()) + "\r\n\r\n");
        if (head)
            return;
        const int cut = m_cuts.exchange(0);
        connection.write(cut > 0 ? body.left(cut) : body);
    }
    Result<QString> fetch(const char* path = "/mac.ipsw") {
        return fetchRestoreImage(
            m_library,
            QUrl(QStringLiteral("http://") + m_server.host() + QLatin1String(path)),
            m_context,
            m_options);
    }
    std::string reason(const char* path = "/mac.ipsw") {
        const auto got = fetch(path);
        return got ? std::string("(none)") : got.error().message.toStdString();
    }
    [[nodiscard]] QString cache() const {
        return m_library.home() + QStringLiteral("/cache/IPSWs");
    }
    [[nodiscard]] QStringList entries() const {
        return QDir(cache()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("missing");
    }
    [[nodiscard]] QString nameOf(const QByteArray& bytes) const {
        return Sha256::ofBytes(bytes).toText() + QStringLiteral(".ipsw");
    }
    [[nodiscard]] QStringList methods() const {
        QStringList list;
        for (const StubRequest& request : m_server.requests())
            list << QString::fromLatin1(request.method + ' ' + request.header("Range")).trimmed();
        return list;
    }
    // Stops once so many bytes have come.
    void cancelAt(quint64 bytes) {
        m_stop = std::stop_source();
        m_context.stop = m_stop.get_token();
        m_context.report = [this, bytes](const Progress& progress) {
            if (progress.done >= bytes)
                m_stop.request_stop();
        };
    }
    void goOn() {
        m_context.stop = {};
        m_context.report = [](const Progress&) {};
    }

    QByteArray m_bytes = imageBytes(1);
    QByteArray m_tag = "\"one\"";
    QByteArray m_digest;
    bool m_ranges = true;
    bool m_refusesHead = false;
    qsizetype m_rangeShift = 0;
    std::atomic<int> m_cuts = 0; // the next body ends after so many bytes
    std::atomic<int> m_busyAnswers = 0;
    QTemporaryDir m_folder;
    Library m_library = *Library::open(m_folder.filePath(QStringLiteral("home")));
    JobContext m_context;
    std::stop_source m_stop;
    RestoreImageFetchOptions m_options{false, {}, {3, 0.0, std::chrono::minutes(1)}};
    HttpStub m_server{[this](const StubRequest& request, StubConnection& connection) {
        answer(request, connection);
    }};
};

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_F(RestoreImageFetch, IsStoredByItsDigestAndTellsHowFarItIs) {
    Progress last;
    m_context.report = [&last](const Progress& progress) {
        EXPECT_GE(progress.done, last.done);
        last = progress;
    };
    const auto path = fetch("/moved.ipsw");
    ASSERT_TRUE(path) << path.error().message.toStdString();
    EXPECT_EQ(*path, cache() + QLatin1Char('/') + nameOf(m_bytes));
    EXPECT_EQ(read(*path), m_bytes);
    EXPECT_EQ(entries(), QStringList{nameOf(m_bytes)});
    EXPECT_EQ(last.done, static_cast<quint64>(m_bytes.size()));
    EXPECT_EQ(last.total, last.done);
}

TEST_F(RestoreImageFetch, WhatIsHereIsNotFetched) {
    m_digest = Sha256::ofBytes(m_bytes).toHex().toLatin1();
    ASSERT_TRUE(fetch());
    const auto again = fetch();
    ASSERT_TRUE(again);
    EXPECT_EQ(read(*again), m_bytes);
    EXPECT_EQ(methods().join(QLatin1Char(' ')), QLatin1String("HEAD GET HEAD"));
}

TEST_F(RestoreImageFetch, ABrokenConnectionGoesOnWhereItWas) {
    m_digest = Sha256::ofBytes(m_bytes).toHex().toLatin1();
    m_cuts = 1'000'000;
    const auto path = fetch();
    ASSERT_TRUE(path) << path.error().message.toStdString();
    EXPECT_EQ(read(*path), m_bytes);
    // Of what came, Qt keeps back what it had no room for when the connection broke.
    const QString asked = methods().constLast();
    ASSERT_TRUE(asked.startsWith(QLatin1String("GET bytes="))) << asked.toStdString();
    const qint64 from = asked.mid(10).chopped(1).toLongLong();
    EXPECT_GE(from, 1'000'000 - HttpClient::readBufferBytes);
    EXPECT_LE(from, 1'000'000);
}

TEST_F(RestoreImageFetch, ACancelKeepsWhatCameAndTheNextGoesOn) {
    cancelAt(500'000);
    const auto cancelled = fetch();
    ASSERT_FALSE(cancelled);
    EXPECT_TRUE(cancelled.error().isCancelled());
    ASSERT_EQ(entries().size(), 1);
    EXPECT_TRUE(entries().first().startsWith(QLatin1String(".vitrine-")));
    goOn();
    const auto path = fetch();
    ASSERT_TRUE(path) << path.error().message.toStdString();
    EXPECT_EQ(read(*path), m_bytes);
    EXPECT_TRUE(methods().constLast().startsWith(QLatin1String("GET bytes=")));
    EXPECT_EQ(entries().size(), 1);
}

TEST_F(RestoreImageFetch, AnotherFileStartsOver) {
    cancelAt(500'000);
    ASSERT_FALSE(fetch());
    goOn();
    m_bytes = imageBytes(2);
    m_tag = "\"two\"";
    const auto path = fetch();
    ASSERT_TRUE(path);
    EXPECT_EQ(read(*path), m_bytes);
    EXPECT_EQ(methods().constLast(), QLatin1String("GET"));
}

TEST_F(RestoreImageFetch, WithoutAStrongTagNothingIsGoneOnWith) {
    m_tag = "W/\"weak\"";
    m_cuts = 1'000'000;
    const auto path = fetch();
    ASSERT_TRUE(path);
    EXPECT_EQ(read(*path), m_bytes);
    EXPECT_EQ(methods().join(QLatin1Char(' ')), QLatin1String("HEAD GET HEAD GET"));
}

TEST_F(RestoreImageFetch, AServerWithoutRangesStartsOver) {
    m_ranges = false;
    m_cuts = 1'000'000;
    const auto path = fetch();
    ASSERT_TRUE(path);
    EXPECT_EQ(read(*path), m_bytes);
}

TEST_F(RestoreImageFetch, AnotherPartThanAskedForIsRefused) {
    m_rangeShift = 5;
    m_cuts = 1'000'000;
    EXPECT_TRUE(has(reason(), "another part"));
    EXPECT_FALSE(QFileInfo::exists(cache() + QLatin1Char('/') + nameOf(m_bytes)));
}

TEST_F(RestoreImageFetch, AWrongDigestLeavesNothing) {
    m_digest = QByteArray(64, 'a');
    EXPECT_TRUE(has(reason(), "has not the digest"));
    EXPECT_TRUE(entries().isEmpty());
}

TEST_F(RestoreImageFetch, AnUnreadableDigestIsNone) {
    m_digest = "not-a-digest";
    EXPECT_TRUE(fetch());
}

TEST_F(RestoreImageFetch, ABusyServerIsAskedAgainAndNotForEver) {
    m_busyAnswers = 1;
    EXPECT_TRUE(fetch());
    QFile::remove(cache() + QLatin1Char('/') + nameOf(m_bytes));
    m_busyAnswers = 1000;
    EXPECT_TRUE(has(reason(), "503"));
    EXPECT_LT(m_server.requests().size(), 20);
}

TEST_F(RestoreImageFetch, AServerThatKnowsOnlyGetIsEnough) {
    m_refusesHead = true;
    const auto path = fetch();
    ASSERT_TRUE(path) << path.error().message.toStdString();
    EXPECT_EQ(read(*path), m_bytes);
}

TEST_F(RestoreImageFetch, TwoDoNotFetchOneAddressAtOnce) {
    std::optional<Result<QString>> second;
    m_context.report = [&](const Progress&) {
        if (second)
            return;
        JobContext plain;
        second = fetchRestoreImage(
            m_library,
            QUrl(QStringLiteral("http://") + m_server.host() + QStringLiteral("/mac.ipsw")),
            plain,
            m_options);
    };
    ASSERT_TRUE(fetch());
    ASSERT_TRUE(second);
    ASSERT_FALSE(*second);
    EXPECT_EQ(second->error().kind, Error::Kind::Busy);
}

TEST_F(RestoreImageFetch, OldPartsThatNobodyGoesOnWithAreRemoved) {
    const QString old = cache() + QStringLiteral("/.vitrine-0123456789abcdef");
    const QString young = cache() + QStringLiteral("/.vitrine-fedcba9876543210");
    for (const QString& folder : {old, young}) {
        ASSERT_TRUE(QDir().mkpath(folder));
        QFile data(folder + QStringLiteral("/data"));
        ASSERT_TRUE(data.open(QIODevice::WriteOnly));
    }
    const timespec times[2] = {{1'600'000'000, 0}, {1'600'000'000, 0}};
    ASSERT_EQ(::utimensat(
                  AT_FDCWD, QFile::encodeName(old + QStringLiteral("/data")).constData(), times, 0),
              0);
    ASSERT_TRUE(fetch());
    EXPECT_FALSE(QFileInfo::exists(old));
    EXPECT_TRUE(QFileInfo::exists(young));
}

TEST_F(RestoreImageFetch, WhatIsNoAddressOfAnImageIsRefused) {
    EXPECT_TRUE(has(reason("/none.ipsw"), "404"));
    EXPECT_TRUE(has(reason("/none.ipsw"), "/none.ipsw"));
    const int before = static_cast<int>(m_server.requests().size());
    m_options.plainHttp = false;
    EXPECT_TRUE(has(reason(), "https://"));
    for (const char* address : {"file:///etc/passwd", "https://", "https://me:secret@h/a", ""})
        EXPECT_EQ(fetchRestoreImage(m_library, QUrl(QLatin1String(address)), m_context, m_options)
                      .error()
                      .kind,
                  Error::Kind::InvalidInput)
            << address;
    EXPECT_EQ(static_cast<int>(m_server.requests().size()), before);
}

TEST_F(RestoreImageFetch, AnEmptyFileIsNoImage) {
    m_bytes.clear();
    EXPECT_TRUE(has(reason(), "length"));
}
