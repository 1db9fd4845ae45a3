// SPDX-License-Identifier: Apache-2.0
#include "core/machine/nbd_address.h"

#include <QUrl>
#include <QUrlQuery>

namespace vitrine {

namespace {

Error wrong(const QString& text, const QString& reason) {
    //: %1: address of a network disk, %2: whole sentence
    return Error{Error::Kind::InvalidInput,
                 Tr::tr("The network disk \"%1\" cannot be used. %2").arg(text, reason),
                 {}};
}

} // namespace

Result<NbdAddress> NbdAddress::fromText(const QString& text) {
    const QUrl url(text, QUrl::StrictMode);
    const QString scheme = url.scheme();
    const bool local = scheme.endsWith(QLatin1String("+unix"));
    if (!url.isValid() ||
        !(scheme == QLatin1String("nbd") || scheme == QLatin1String("nbds") ||
          scheme == QLatin1String("nbd+unix") || scheme == QLatin1String("nbds+unix")))
        return fail(wrong(text,
                          Tr::tr("Write nbd://HOST[:PORT]/EXPORT or "
                                 "nbd+unix:///EXPORT?socket=PATH.")));
    if (!url.userInfo().isEmpty() || url.hasFragment())
        return fail(wrong(text, Tr::tr("It may hold no user name, password or \"#\".")));
    NbdAddress address;
    address.encrypted = scheme.startsWith(QLatin1String("nbds"));
    address.exportName = url.path(QUrl::FullyDecoded);
    if (address.exportName.startsWith(QLatin1Char('/')))
        address.exportName.remove(0, 1);
    const auto query = QUrlQuery(url).queryItems(QUrl::FullyDecoded);
    for (const auto& [key, value] : query) {
        if (key == QLatin1String("socket") && local)
            address.socket = value;
        else if (key == QLatin1String("tls-certificates") && address.encrypted)
            address.certificates = value;
        else
            return fail(wrong(text, Tr::tr("Its parameter \"%1\" is not known here.").arg(key)));
    }
    if (!address.certificates.isEmpty() && !address.certificates.startsWith(QLatin1Char('/')))
        return fail(wrong(text, Tr::tr("The folder of \"tls-certificates\" must be absolute.")));
    if (local) {
        if (!url.host().isEmpty())
            return fail(wrong(text, Tr::tr("A local socket has no host: write three slashes.")));
        if (!address.socket.startsWith(QLatin1Char('/')))
            return fail(wrong(text, Tr::tr("Name the socket: ?socket=/path/of/the/socket.")));
        return address;
    }
    address.host = url.host(QUrl::FullyDecoded);
    if (address.host.isEmpty())
        return fail(wrong(text, Tr::tr("It names no host.")));
    address.port = static_cast<quint16>(url.port(address.port));
    if (address.port == 0)
        return fail(wrong(text, Tr::tr("Its port must be a number from 1 to 65535.")));
    return address;
}

} // namespace vitrine
