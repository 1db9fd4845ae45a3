// SPDX-License-Identifier: Apache-2.0
// A registry whose name has an IPv6 and an IPv4 address, one of which leads nowhere. Run by
// support/with_two_addresses.sh.
#include "core/disk/file_descriptor.h"
#include "core/registry/http_client.h"
#include "tests/support/http_stub.h"

#include <QElapsedTimer>
#include <QHostInfo>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <vector>

using namespace vitrine;
using namespace vitrine::test;

namespace {

constexpr int patience = 10000; // ms; the system itself gives up after more than two minutes

sockaddr_in6 addressOf(int port) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(static_cast<in_port_t>(port));
    ::inet_pton(AF_INET6, "2001:db8::1", &address.sin6_addr);
    return address;
}

// Answers no attempt to connect: its queue is full.
class BlackHole final {
public:
    explicit BlackHole(int port) {
        const sockaddr_in6 address = addressOf(port);
        const auto* const plain = reinterpret_cast<const sockaddr*>(&address);
        m_listener = FileDescriptor(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(::bind(m_listener.get(), plain, sizeof(address)), 0);
        EXPECT_EQ(::listen(m_listener.get(), 0), 0);
        bool connected = true;
        while (connected && m_guests.size() < 16) {
            m_guests.emplace_back(
                ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
            ::connect(m_guests.back().get(), plain, sizeof(address));
            pollfd wanted{m_guests.back().get(), POLLOUT, 0};
            connected = ::poll(&wanted, 1, 300) == 1;
        }
        m_full = !connected;
    }
    [[nodiscard]] bool isFull() const { return m_full; }

private:
    FileDescriptor m_listener;
    std::vector<FileDescriptor> m_guests;
    bool m_full = false;
};

class DualStack : public testing::Test {
protected:
    void SetUp() override {
        const QHostInfo info = QHostInfo::fromName(QStringLiteral("two.test"));
        ASSERT_EQ(info.addresses().size(), 2) << "this is not the network that it is made for";
    }
    // The body that came; how long that took is a property of the test.
    static QByteArray fetch(int port) {
        HttpOptions options;
        options.proxy = QStringLiteral("none");
        options.idleMilliseconds = patience;
        HttpClient client(options);
        QElapsedTimer clock;
        clock.start();
        const auto reply =
            client.send({"GET", QUrl(QStringLiteral("http://two.test:%1/v2/").arg(port)), {}, {}},
                        std::stop_token());
        RecordProperty("milliseconds", static_cast<int>(clock.elapsed()));
        if (!reply)
            return reply.error().error.message.toUtf8();
        const auto body = (*reply)->readAll(1024, std::stop_token());
        return body ? *body : body.error().error.message.toUtf8();
    }

    HttpStub server{[](const StubRequest&, StubConnection& connection) {
        connection.answer(200, {}, "over IPv4");
    }};
};

} // namespace

TEST_F(DualStack, AnAddressThatRefusesIsPassedOver) {
    EXPECT_EQ(fetch(server.port()).toStdString(), "over IPv4");
}

TEST_F(DualStack, AnAddressThatNeverAnswersIsOvertakenByTheOther) {
    const BlackHole hole(server.port());
    ASSERT_TRUE(hole.isFull());
    EXPECT_EQ(fetch(server.port()).toStdString(), "over IPv4");
}
