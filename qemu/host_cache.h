// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <QString>

#include <optional>

namespace vitrine::qemu {

// Small facts about this computer that cost time to find out, in one JSON file. An entry holds only
// as long as its fingerprint agrees. A missing, damaged or unwritable file is an empty cache and
// never an error. Any thread, any process: the file is replaced by a rename.
class HostCache final {
public:
    // Empty path: <user's cache>/vitrine/host.json, shared by the window and the command line.
    explicit HostCache(QString path = {});

    [[nodiscard]] std::optional<QJsonObject> value(const QString& key,
                                                   const QString& fingerprint) const;
    void store(const QString& key, const QString& fingerprint, const QJsonObject& value) const;
    [[nodiscard]] const QString& path() const { return m_path; }

private:
    [[nodiscard]] QJsonObject read() const;
    QString m_path;
};

} // namespace vitrine::qemu
