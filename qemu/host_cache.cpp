// SPDX-License-Identifier: Apache-2.0
#include "qemu/host_cache.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSaveFile>
#include <QStandardPaths>

namespace vitrine::qemu {
namespace {

constexpr qint64 largestFile = 1 << 20;

QString defaultPath() {
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation);
    return folder.isEmpty() ? QString() : folder + QStringLiteral("/vitrine/host.json");
}

} // namespace

HostCache::HostCache(QString path)
    : m_path(path.isEmpty() ? defaultPath() : std::move(path)) {}

QJsonObject HostCache::read() const {
    QFile file(m_path);
    if (m_path.isEmpty() || !file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.read(largestFile)).object();
}

std::optional<QJsonObject> HostCache::value(const QString& key, const QString& fingerprint) const {
    const QJsonObject entry = read().value(key).toObject();
    if (entry.isEmpty() || entry.value(QStringLiteral("fingerprint")).toString() != fingerprint)
        return std::nullopt;
    return entry.value(QStringLiteral("value")).toObject();
}

void HostCache::store(const QString& key,
                      const QString& fingerprint,
                      const QJsonObject& value) const {
    if (m_path.isEmpty() || !QDir().mkpath(QFileInfo(m_path).path()))
        return;
    QJsonObject all = read();
    all.insert(key,
               QJsonObject{{QStringLiteral("fingerprint"), fingerprint},
                           {QStringLiteral("value"), value}});
    QSaveFile file(m_path);
    if (!file.open(QIODevice::WriteOnly))
        return;
    file.write(QJsonDocument(all).toJson());
    file.commit();
}

} // namespace vitrine::qemu
