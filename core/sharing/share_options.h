// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QString>

namespace vitrine {

// How the folders of one run are shared, where it is not to be what is best on this computer: for
// comparisons. Empty: the default.
struct ShareOptions {
    QString transport; // "virtiofs" or "9p": that one or none
    QString cache;     // of virtiofsd (auto): "auto", "always", "none"
    QString security;  // of 9P (none): "none", "mapped-xattr", "mapped-file", "passthrough"
    // Files of the guest's root are the user's here, instead of those of its login user.
    bool rootOwns = false;

    [[nodiscard]] bool isDefault() const { return *this == ShareOptions{}; }
    // Of vitrine.json, key "sharing". InvalidInput names the key.
    [[nodiscard]] static Result<ShareOptions> fromJson(const QJsonValue& value);
    [[nodiscard]] QJsonObject toJson() const;
    friend bool operator==(const ShareOptions&, const ShareOptions&) = default;
};

} // namespace vitrine
