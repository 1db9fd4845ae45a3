// SPDX-License-Identifier: Apache-2.0
#include "core/registry/http_client.h"

#include "core/registry/registry_client.h"
#include "tests/support/http_stub.h"

#include <QElapsedTimer>

#include <atomic>
#include <condition_variable>
#include <gtest/gtest.h>
#include <thread>

namespace vitrine::test {
namespace {

QUrl urlOf(const HttpStub& server) {
    return QUrl(QLatin1String("http://") + server.host() + QLatin1String("/v2/"));
}

HttpOptions quick(int stallMilliseconds = 60000) {
    HttpOptions options;
    options.proxy = QStringLiteral("none");
    options.stallMilliseconds = stallMilliseconds;
    return options;
}

// Waits between two bytes; false when the test is over.
class Pacer final {
public:
    bool wait(std::chrono::milliseconds pause) {
        std::unique_lock lock(m_mutex);
        return !m_changed.wait_for(lock, pause, [this] { return m_over; });
    }
    void end() {
        {
            const std::scoped_lock lock(m_mutex);
            m_over = true;
        }
        m_changed.notify_all();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_over = false;
};

} // namespace

TEST(HttpClientTest, ABodyThatComesByteByByteIsGivenUpAsStalled) {
    Pacer pacer;
    HttpStub server([&](const StubRequest&, StubConnection& connection) {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
        while (connection.write("x") && pacer.wait(std::chrono::milliseconds(20))) {
        }
    });
    HttpClient client(quick(500));
    {
        const auto reply = client.send({"GET", urlOf(server), {}, {}}, std::stop_token());
        ASSERT_TRUE(reply);
        // Somebody loses patience in the place of the rule.
        std::stop_source patience;
        std::jthread watch([&] {
            if (pacer.wait(std::chrono::seconds(20)))
                patience.request_stop();
        });
        const auto body = (*reply)->readAll(1'000'000, patience.get_token());
        pacer.end();
        ASSERT_FALSE(body);
        EXPECT_EQ(body.error().error.kind, Error::Kind::Timeout);
        EXPECT_TRUE(body.error().transient);
        EXPECT_TRUE(body.error().stalled);
        const std::string text = body.error().error.message.toStdString();
        EXPECT_NE(text.find("/s"), std::string::npos) << "the speed: " << text;
    }
}

TEST(HttpClientTest, ASlowReaderIsNotTheServersFault) {
    HttpStub server([&](const StubRequest&, StubConnection& connection) {
        connection.answer(200, {}, QByteArray(600, 'x'));
    });
    HttpClient client(quick(100));
    const auto reply = client.send({"GET", urlOf(server), {}, {}}, std::stop_token());
    ASSERT_TRUE(reply);
    Pacer pacer;
    QByteArray body;
    char piece[100];
    while (true) {
        const auto count = (*reply)->read(piece, sizeof piece, std::stop_token());
        ASSERT_TRUE(count) << qPrintable(count.error().error.message);
        if (*count == 0)
            break;
        body.append(piece, *count);
        (void)pacer.wait(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(body.size(), 600);
}

TEST(HttpClientTest, AnInvalidRedirectIsCalledOne) {
    for (const char* location : {"http://[bad/", "http://a b/", "%zz", "::", ""}) {
        HttpStub server([&](const StubRequest&, StubConnection& connection) {
            connection.answer(307, {{"Location", location}}, {});
        });
        RegistryOptions options;
        options.insecure = true;
        options.proxy = QStringLiteral("none");
        RegistrySession session(server.host(), options, [](const QString&) {});
        RegistryClient client(session);
        const auto answer = client.ping(std::stop_token());
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().error.kind, Error::Kind::Network);
        EXPECT_FALSE(answer.error().transient);
        const std::string text = answer.error().error.message.toStdString();
        EXPECT_NE(text.find("redirect"), std::string::npos) << location << ": " << text;
        EXPECT_NE(text.find("invalid"), std::string::npos) << location << ": " << text;
        EXPECT_EQ(server.requests().size(), 1) << location;
    }
}

TEST(HttpClientTest, APartThatNobodyAskedForIsExplained) {
    HttpStub server([](const StubRequest&, StubConnection& connection) {
        connection.answer(206, {{"Content-Range", "bytes 0-1/5"}}, "{}");
    });
    RegistryOptions options;
    options.insecure = true;
    options.proxy = QStringLiteral("none");
    RegistrySession session(server.host(), options, [](const QString&) {});
    RegistryClient client(session);
    const auto manifest = client.manifest(
        *ImageReference::fromText(server.host() + QLatin1String("/x:y")), std::stop_token());
    ASSERT_FALSE(manifest);
    const std::string text = manifest.error().error.message.toStdString();
    EXPECT_NE(text.find("only a part"), std::string::npos) << text;
    EXPECT_NE(text.find("proxy"), std::string::npos) << text;
}

namespace {

// Cancels while the server sends a head without an end; how long that takes, in milliseconds.
qint64 cancelDuring(const QByteArray& start, const QByteArray& repeated) {
    std::atomic<int> sent{0};
    HttpStub server([&](const StubRequest&, StubConnection& connection) {
        bool open = connection.write(start);
        while (open) {
            open = connection.write(repeated);
            ++sent;
            sent.notify_all();
        }
    });
    QElapsedTimer timer;
    {
        std::stop_source stop;
        std::jthread worker([&] {
            HttpClient client(quick());
            const auto reply = client.send({"GET", urlOf(server), {}, {}}, stop.get_token());
            EXPECT_FALSE(reply);
        });
        for (int seen = 0; seen < 50; seen = sent)
            sent.wait(seen);
        timer.start();
        stop.request_stop();
    }
    return timer.elapsed();
}

} // namespace

TEST(HttpClientTest, AnEndlessHeadIsAnErrorOfItsOwn) {
    const QByteArray starts[]{"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 ", {}};
    const QByteArray more[]{"X-More: " + QByteArray(10'000, 'x') + "\r\n",
                            QByteArray(10'000, 'x'),
                            QByteArray("HTTP/1.1 100 Continue\r\n\r\n").repeated(400)};
    for (int i = 0; i < 3; ++i) {
        HttpStub server([&](const StubRequest&, StubConnection& connection) {
            connection.write(starts[i]);
            while (connection.write(more[i])) {
            }
        });
        HttpClient client(quick());
        const auto reply = client.send({"GET", urlOf(server), {}, {}}, std::stop_token());
        ASSERT_FALSE(reply);
        EXPECT_FALSE(reply.error().transient);
        const std::string text = reply.error().error.message.toStdString();
        EXPECT_NE(text.find("answer head larger than 1"), std::string::npos) << text;
    }
}

TEST(HttpClientTest, AnEndlessSizeOfAChunkIsAnError) {
    HttpStub server([&](const StubRequest&, StubConnection& connection) {
        connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5;");
        while (connection.write(QByteArray(10'000, 'x'))) {
        }
    });
    HttpClient client(quick());
    const auto reply = client.send({"GET", urlOf(server), {}, {}}, std::stop_token());
    ASSERT_TRUE(reply) << qPrintable(reply.error().error.message);
    const auto body = (*reply)->readAll(1000, std::stop_token());
    ASSERT_FALSE(body);
    const std::string text = body.error().error.message.toStdString();
    EXPECT_NE(text.find("nothing of the file"), std::string::npos) << text;
}

TEST(HttpClientTest, ALongBodyIsNoLongHead) {
    const QByteArray body(30'000'000, 'x');
    HttpStub server(
        [&](const StubRequest&, StubConnection& connection) { connection.answer(200, {}, body); });
    HttpClient client(quick());
    const auto reply = client.send({"GET", urlOf(server), {}, {}}, std::stop_token());
    ASSERT_TRUE(reply) << qPrintable(reply.error().error.message);
    // Qt takes what it likes in the meantime.
    Pacer pacer;
    (void)pacer.wait(std::chrono::milliseconds(300));
    const auto all = (*reply)->readAll(body.size(), std::stop_token());
    ASSERT_TRUE(all) << qPrintable(all.error().error.message);
    EXPECT_EQ(all->size(), body.size());
}

TEST(HttpClientTest, CancellingAnEndlessHeadTakesNoFiveSeconds) {
    EXPECT_LT(cancelDuring("HTTP/1.1 200 OK\r\n", "X-More: " + QByteArray(1000, 'x') + "\r\n"),
              2000);
    EXPECT_LT(cancelDuring("HTTP/1.1 200 ", QByteArray(1000, 'x')), 2000);
    EXPECT_LT(cancelDuring({}, "HTTP/1.1 100 Continue\r\n\r\n"), 2000);
}

} // namespace vitrine::test
