// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/http_stub.h"

#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include <memory>

namespace vitrine::test {

// A port of 127.0.0.1 that was free a moment ago.
[[nodiscard]] int freePort();

// Debian's docker-registry on loopback with a store of its own. `auth` is the block of that name
// in its configuration, indented by two blanks, or empty.
class RegistryServer final {
public:
    explicit RegistryServer(const QString& auth = {}, const QString& store = {});
    ~RegistryServer();

    [[nodiscard]] bool isUp() const { return m_up; }
    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] QString host() const { return QStringLiteral("127.0.0.1:%1").arg(m_port); }
    [[nodiscard]] QString store() const { return m_store; }

private:
    QTemporaryDir m_directory;
    QString m_store;
    int m_port = 0;
    bool m_up = false;
    QProcess m_process;
};

// A certificate authority of its own and a certificate for localhost and 127.0.0.1, made by
// openssl.
class TestCertificates final {
public:
    TestCertificates();
    [[nodiscard]] bool areMade() const { return m_made; }
    [[nodiscard]] QString authority() const {
        return m_directory.filePath(QStringLiteral("ca.pem"));
    }
    [[nodiscard]] QString certificate() const {
        return m_directory.filePath(QStringLiteral("server.pem"));
    }
    [[nodiscard]] QString key() const { return m_directory.filePath(QStringLiteral("server.key")); }

private:
    QTemporaryDir m_directory;
    bool m_made = false;
};

// nginx with TLS before a plain-http server.
class TlsFront final {
public:
    TlsFront(const TestCertificates& certificates, int upstreamPort);
    ~TlsFront();
    [[nodiscard]] bool isUp() const { return m_up; }
    [[nodiscard]] QString host() const { return QStringLiteral("localhost:%1").arg(m_port); }

private:
    QTemporaryDir m_directory;
    int m_port = 0;
    bool m_up = false;
    QProcess m_process;
};

// A token server as registries use: GET with Basic or POST with a refresh token, answers a signed
// JWT for the scope that was asked for.
class TokenServer final {
public:
    explicit TokenServer(const TestCertificates& certificates);
    // The registry's "auth" block.
    [[nodiscard]] QString authBlock() const;
    [[nodiscard]] HttpStub& http() { return *m_http; }

    std::atomic<int> lifetime{300}; // seconds a token is good for
    QByteArray user = "reader";     // before the first request
    QByteArray password = "secret:with:colons";
    QByteArray refreshToken = "refresh me";
    std::atomic<bool> allowAnonymous{false};

private:
    void answer(const StubRequest& request, StubConnection& connection);
    [[nodiscard]] QByteArray token(const QByteArray& scope) const;

    const TestCertificates& m_certificates;
    std::unique_ptr<HttpStub> m_http;
};

} // namespace vitrine::test
