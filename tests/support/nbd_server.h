// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "support/event_wait.h"

#include <QDir>
#include <QFile>
#include <QHostAddress>
#include <QProcess>
#include <QTcpServer>
#include <QTcpSocket>

#include <gtest/gtest.h>

namespace vitrine::test {

// nbdkit serving a file at a port of 127.0.0.1, always the same one.
class NbdServer final {
public:
    // `certificates`: a folder of makeCertificates(); without it nothing is encrypted.
    explicit NbdServer(QString image, QString certificates = {})
        : m_image(std::move(image))
        , m_certificates(std::move(certificates)) {
        QTcpServer any;
        EXPECT_TRUE(any.listen(QHostAddress::LocalHost));
        m_port = any.serverPort();
        any.close();
        start();
    }
    ~NbdServer() { kill(); }
    NbdServer(const NbdServer&) = delete;
    NbdServer& operator=(const NbdServer&) = delete;

    void start() {
        QStringList arguments{QStringLiteral("-f"),
                              QStringLiteral("-i"),
                              QStringLiteral("127.0.0.1"),
                              QStringLiteral("-p"),
                              QString::number(m_port)};
        if (!m_certificates.isEmpty())
            arguments << QStringLiteral("--tls=require")
                      << QStringLiteral("--tls-certificates=") + m_certificates;
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        m_process.start(QStringLiteral("nbdkit"), arguments << QStringLiteral("file") << m_image);
        EXPECT_TRUE(m_process.waitForStarted()) << "nbdkit is missing";
        EXPECT_TRUE(waitUntil(
            [this] {
                QTcpSocket socket;
                socket.connectToHost(QHostAddress(QHostAddress::LocalHost), m_port);
                return socket.waitForConnected(1000);
            },
            30000));
    }
    // Its connections end at once.
    void kill() {
        m_process.kill();
        m_process.waitForFinished();
    }
    [[nodiscard]] quint16 port() const { return m_port; }

    // An authority's "ca-cert.pem" and the certificate and key of a server at 127.0.0.1.
    static void makeCertificates(const QString& folder) {
        ASSERT_TRUE(QDir().mkpath(folder));
        openssl(folder,
                "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority "
                "-keyout ca-key.pem -out ca-cert.pem");
        openssl(folder,
                "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=server "
                "-CA ca-cert.pem -CAkey ca-key.pem -addext subjectAltName=IP:127.0.0.1 "
                "-addext basicConstraints=critical,CA:FALSE "
                "-keyout server-key.pem -out server-cert.pem");
    }

private:
    static void openssl(const QString& folder, const char* arguments) {
        QProcess process;
        process.setWorkingDirectory(folder);
        process.start(QStringLiteral("openssl"), QString::fromLatin1(arguments).split(u' '));
        ASSERT_TRUE(process.waitForFinished(60000) && process.exitCode() == 0)
            << process.readAllStandardError().constData();
    }
    QString m_image;
    QString m_certificates;
    quint16 m_port = 0;
    QProcess m_process;
};

} // namespace vitrine::test
