// SPDX-License-Identifier: Apache-2.0
#include "core/registry/failure_text.h"

#include "core/result/error.h"

#include <QSslError>

#include <algorithm>
#include <array>

namespace vitrine {

namespace {

// What OpenSSL says when the other side answers a handshake in plain text.
bool looksLikePlainHttp(const QString& reason) {
    static constexpr std::array signs{QLatin1String("wrong version number"),
                                      QLatin1String("unexpected message"),
                                      QLatin1String("unknown protocol"),
                                      QLatin1String("packet length too long"),
                                      QLatin1String("bad record type"),
                                      QLatin1String("record layer failure"),
                                      QLatin1String("http request")};
    return std::any_of(signs.begin(), signs.end(), [&reason](QLatin1String sign) {
        return reason.contains(sign, Qt::CaseInsensitive);
    });
}

bool isUnknownAuthority(const QSslError& error) {
    switch (error.error()) {
    case QSslError::UnableToGetIssuerCertificate:
    case QSslError::UnableToGetLocalIssuerCertificate:
    case QSslError::UnableToVerifyFirstCertificate:
    case QSslError::SelfSignedCertificate:
    case QSslError::SelfSignedCertificateInChain:
    case QSslError::CertificateUntrusted:
    case QSslError::InvalidCaCertificate:
        return true;
    default:
        return false;
    }
}

bool isOutOfDate(const QSslError& error) {
    return error.error() == QSslError::CertificateExpired ||
           error.error() == QSslError::CertificateNotYetValid;
}

} // namespace

QString withFullStop(const QString& text) {
    const QString trimmed = text.trimmed();
    const QLatin1String ends(".!?");
    return trimmed.isEmpty() || ends.contains(trimmed.back()) ? trimmed
                                                              : trimmed + QLatin1Char('.');
}

QString tlsFailureText(const QString& registry,
                       const QString& reason,
                       const QList<QSslError>& errors,
                       const TlsAdvice& advice) {
    const auto find = [&errors](bool (*fits)(const QSslError&)) {
        return std::find_if(errors.begin(), errors.end(), fits);
    };
    QString what;
    QString remedy;
    if (errors.isEmpty() && looksLikePlainHttp(reason)) {
        what = Tr::tr("\"%1\" does not answer with a secure connection. It looks like a registry "
                      "without encryption (plain http).")
                   .arg(registry);
        remedy = advice.plainHttp.isEmpty()
                     ? Tr::tr("If you trust the network, use it without encryption (http).")
                     : QString(advice.plainHttp).replace(QLatin1String("%1"), registry);
    } else if (const auto unknown = find(isUnknownAuthority); unknown != errors.end()) {
        what = Tr::tr("The certificate of \"%1\" was not signed by an authority that this computer "
                      "knows: %2")
                   .arg(registry, withFullStop(unknown->errorString()));
        remedy = advice.authority.isEmpty()
                     ? Tr::tr("If you trust that authority, name the file of its certificate.")
                     : QString(advice.authority).replace(QLatin1String("%1"), registry);
    } else if (const auto old = find(isOutOfDate); old != errors.end()) {
        what = Tr::tr("The certificate of \"%1\" is not valid today: %2")
                   .arg(registry, withFullStop(old->errorString()));
        remedy = Tr::tr("Check the clock of this computer; if it is right, the registry needs a "
                        "new certificate.");
    } else if (!errors.isEmpty()) {
        what = Tr::tr("The certificate of \"%1\" cannot be used: %2")
                   .arg(registry, withFullStop(errors.first().errorString()));
        remedy = Tr::tr("Check the address; if it is right, ask whoever runs the registry.");
    } else {
        what = Tr::tr("The secure connection to \"%1\" failed: %2")
                   .arg(registry, withFullStop(reason));
        remedy = Tr::tr("Check the address and the port.");
    }
    return what + QLatin1Char(' ') + remedy;
}

} // namespace vitrine
