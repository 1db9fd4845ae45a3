// SPDX-License-Identifier: Apache-2.0
#include "core/registry/failure_text.h"

#include <QSslError>

#include <gtest/gtest.h>

using namespace vitrine;

namespace {

const QString host = QStringLiteral("127.0.0.1:5971");
const QString handshake = QStringLiteral("SSL handshake failed: Error during SSL handshake: "
                                         "error:0A00010B:SSL routines::wrong version number");

} // namespace

TEST(TlsFailureText, ARegistryOfPlainHttpIsNamedWithTheWayOut) {
    const QString own =
        tlsFailureText(host, handshake, {}, {QStringLiteral("Tick it for %1."), {}});
    EXPECT_TRUE(own.contains(QStringLiteral("plain http"))) << own.toStdString();
    EXPECT_TRUE(own.endsWith(QStringLiteral(". Tick it for 127.0.0.1:5971."))) << own.toStdString();
    const QString plain = tlsFailureText(host, handshake, {}, {});
    EXPECT_TRUE(plain.contains(QStringLiteral("(http)"))) << plain.toStdString();
    EXPECT_FALSE(plain.contains(QStringLiteral("routines"))) << plain.toStdString();
}

TEST(TlsFailureText, AnUnknownAuthorityGetsTheCommandThatNamesIt) {
    const QString text = tlsFailureText(host,
                                        QStringLiteral("SSL handshake failed"),
                                        {QSslError(QSslError::UnableToGetLocalIssuerCertificate)},
                                        {{}, QStringLiteral("Name it: registry %1 --ca FILE.")});
    EXPECT_TRUE(text.endsWith(QStringLiteral("Name it: registry 127.0.0.1:5971 --ca FILE.")))
        << text.toStdString();
    EXPECT_FALSE(text.contains(QStringLiteral("http)")));
}

TEST(TlsFailureText, EveryReasonIsASentenceOfItsOwn) {
    const QString other =
        tlsFailureText(host, QStringLiteral("SSL routines::no shared cipher"), {}, {});
    EXPECT_TRUE(other.contains(QStringLiteral("no shared cipher. Check"))) << other.toStdString();
    for (const auto error : {QSslError::CertificateExpired,
                             QSslError::HostNameMismatch,
                             QSslError::SelfSignedCertificate}) {
        const QString text = tlsFailureText(host, {}, {QSslError(error)}, {});
        EXPECT_TRUE(text.contains(QStringLiteral(". "))) << text.toStdString();
        EXPECT_TRUE(text.endsWith(QLatin1Char('.'))) << text.toStdString();
        EXPECT_FALSE(text.contains(QStringLiteral(".."))) << text.toStdString();
    }
}

TEST(TlsFailureText, AFullStopIsAddedOnlyOnce) {
    EXPECT_EQ(withFullStop(QStringLiteral("Connection closed")),
              QStringLiteral("Connection closed."));
    EXPECT_EQ(withFullStop(QStringLiteral("It is over. ")), QStringLiteral("It is over."));
    EXPECT_TRUE(withFullStop({}).isEmpty());
}
