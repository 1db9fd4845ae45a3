// SPDX-License-Identifier: Apache-2.0
#include "core/registry/registry_settings.h"

#include "core/disk/file_lock.h"
#include "core/disk/small_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSslCertificate>
#include <QStandardPaths>
#include <QUrl>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>

namespace vitrine {

namespace {

constexpr int lockTimeout = 10000; // ms
constexpr auto hostsKey = QLatin1String("hosts");
constexpr auto insecureKey = QLatin1String("insecure");
constexpr auto caKey = QLatin1String("ca");
constexpr auto proxyKey = QLatin1String("proxy");

Result<> checkCertificate(const QString& path) {
    if (path.isEmpty())
        return {};
    if (!QDir::isAbsolutePath(path))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The certificate file \"%1\" must be an absolute path.").arg(path));
    const auto text = readSmallFile(path);
    if (!text)
        return fail(Error::Kind::InvalidInput, text.error().message, text.error().detail);
    if (QSslCertificate::fromData(*text, QSsl::Pem).isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" holds no certificate. It must be a PEM file.").arg(path));
    return {};
}

Result<RegistrySettings>
fromJson(const QJsonObject& object, const QString& host, const QString& path) {
    const auto wrong = [&](QLatin1String key, const QString& wanted) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" of the registry \"%2\" in \"%3\" must be %4.")
                        .arg(key, host, path, wanted));
    };
    RegistrySettings settings;
    const QJsonValue insecure = object.value(insecureKey);
    if (!insecure.isUndefined() && !insecure.isBool())
        return wrong(insecureKey, Tr::tr("true or false"));
    settings.insecure = insecure.toBool();
    const QJsonValue ca = object.value(caKey);
    if (!ca.isUndefined() && !ca.isString())
        return wrong(caKey, Tr::tr("the path of a PEM file"));
    settings.caFile = ca.toString();
    const QJsonValue proxy = object.value(proxyKey);
    if (!proxy.isUndefined() && (!proxy.isString() || !checkProxy(proxy.toString())))
        return wrong(proxyKey, Tr::tr("http://HOST:PORT, socks5://HOST:PORT or none"));
    settings.proxy = proxy.toString();
    return settings;
}

void setOrRemove(QJsonObject& object, QLatin1String key, const QString& text) {
    if (text.isEmpty())
        object.remove(key);
    else
        object.insert(key, text);
}

} // namespace

Result<> checkProxy(const QString& proxy) {
    if (proxy.isEmpty() || proxy == QLatin1String("none"))
        return {};
    const QUrl url(proxy, QUrl::StrictMode);
    const bool known =
        url.scheme() == QLatin1String("http") || url.scheme() == QLatin1String("socks5");
    if (url.isValid() && known && !url.host().isEmpty() && url.port() > 0 &&
        (url.path().isEmpty() || url.path() == QLatin1String("/")))
        return {};
    return fail(Error::Kind::InvalidInput,
                Tr::tr("\"%1\" is no proxy. Give http://HOST:PORT, socks5://HOST:PORT or none.")
                    .arg(url.toDisplayString(QUrl::RemovePassword)));
}

QString defaultRegistrySettingsFile() {
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
           QLatin1String("/vitrine/registries.json");
}

QString containerCertificate(const QString& host) {
    const QStringList folders{
        QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) +
            QLatin1String("/containers/certs.d"),
        QStringLiteral("/etc/containers/certs.d"),
        QStringLiteral("/etc/docker/certs.d")};
    for (const QString& folder : folders) {
        const QDir directory(folder + QLatin1Char('/') + host);
        const QStringList files = directory.entryList(
            {QStringLiteral("*.crt")}, QDir::Files | QDir::Readable, QDir::Name);
        if (!files.isEmpty())
            return directory.filePath(files.first());
    }
    return {};
}

Result<QJsonObject> RegistrySettingsFile::read() const {
    const auto text = readSmallFile(m_path);
    if (!text) {
        if (text.error().kind == Error::Kind::NotFound)
            return QJsonObject();
        return fail(text.error());
    }
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(*text, &problem);
    if (!document.isObject() ||
        !(document[hostsKey].isObject() || document[hostsKey].isUndefined()))
        return fail(Error::Kind::Integrity,
                    Tr::tr("The settings of registries in \"%1\" cannot be read: %2. Correct the "
                           "file or move it away.")
                        .arg(m_path,
                             problem.error != QJsonParseError::NoError
                                 ? problem.errorString()
                                 : Tr::tr("it holds no object \"hosts\"")));
    return document.object();
}

Result<RegistrySettings> RegistrySettingsFile::find(const QString& host) const {
    const auto root = read();
    if (!root)
        return fail(root.error());
    const QJsonObject hosts = root->value(hostsKey).toObject();
    for (auto it = hosts.begin(); it != hosts.end(); ++it) {
        if (it.key().compare(host, Qt::CaseInsensitive) == 0)
            return fromJson(it->toObject(), it.key(), m_path);
    }
    return RegistrySettings();
}

Result<QList<QPair<QString, RegistrySettings>>> RegistrySettingsFile::all() const {
    const auto root = read();
    if (!root)
        return fail(root.error());
    QList<QPair<QString, RegistrySettings>> list;
    const QJsonObject hosts = root->value(hostsKey).toObject();
    for (auto it = hosts.begin(); it != hosts.end(); ++it) {
        auto settings = fromJson(it->toObject(), it.key(), m_path);
        if (!settings)
            return fail(settings.error());
        list.append({it.key(), *std::move(settings)});
    }
    return list;
}

Result<> RegistrySettingsFile::edit(const std::function<void(QJsonObject& hosts)>& change) const {
    const QString folder = QFileInfo(m_path).absolutePath();
    if (!QDir().mkpath(folder))
        return fail(Error::Kind::Permission,
                    Tr::tr("Cannot create the folder \"%1\". Check the owner and mode of the "
                           "folder above it.")
                        .arg(folder));
    const QString lockPath = m_path + QLatin1String(".lock");
    const FileDescriptor made(::open(QFile::encodeName(lockPath).constData(),
                                     O_RDONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                                     0600));
    if (!made.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(lockPath), errno));
    const auto lock = DirectoryLock::lock(lockPath, lockTimeout);
    if (!lock)
        return fail(lock.error());
    auto root = read();
    if (!root)
        return fail(root.error());
    QJsonObject hosts = root->value(hostsKey).toObject();
    change(hosts);
    root->insert(QLatin1String("version"), 1);
    root->insert(hostsKey, hosts);
    return replaceFile(m_path, QJsonDocument(*root).toJson());
}

Result<> RegistrySettingsFile::store(const QString& host, const RegistrySettings& settings) const {
    if (const auto usable = checkCertificate(settings.caFile); !usable)
        return usable;
    if (const auto usable = checkProxy(settings.proxy); !usable)
        return usable;
    return edit([&](QJsonObject& hosts) {
        const QString key = host.toLower();
        QJsonObject entry = hosts.value(key).toObject();
        entry.insert(insecureKey, settings.insecure);
        setOrRemove(entry, caKey, settings.caFile);
        setOrRemove(entry, proxyKey, settings.proxy);
        hosts.insert(key, entry);
    });
}

Result<bool> RegistrySettingsFile::remove(const QString& host) const {
    const auto root = read();
    if (!root)
        return fail(root.error());
    const QString key = host.toLower();
    if (!root->value(hostsKey).toObject().contains(key))
        return false;
    bool removed = false;
    const auto edited = edit([&](QJsonObject& hosts) {
        removed = hosts.contains(key);
        hosts.remove(key);
    });
    if (!edited)
        return fail(edited.error());
    return removed;
}

Result<RegistryOptions> withSettings(RegistryOptions options, const QString& host) {
    if (options.settingsFile.isEmpty())
        return options;
    const auto settings = RegistrySettingsFile(options.settingsFile).find(host);
    if (!settings)
        return fail(settings.error());
    options.insecure = options.insecure || settings->insecure;
    if (options.caFile.isEmpty())
        options.caFile = settings->caFile.isEmpty() ? containerCertificate(host) : settings->caFile;
    if (options.proxy.isEmpty())
        options.proxy = settings->proxy;
    return options;
}

} // namespace vitrine
