// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine {

enum class NetworkMode { Nat, Bridged, HostOnly, Softnet };

// "nat", "bridged", "host", "softnet".
[[nodiscard]] QString networkWord(NetworkMode mode);
[[nodiscard]] std::optional<NetworkMode> networkModeFromWord(const QString& word);

// How a machine is attached to the network (specification 5.4).
struct NetworkOptions {
    NetworkMode mode = NetworkMode::Nat;
    QStringList interfaces; // Bridged: one network card for each
    // Softnet: lists as --net-softnet-allow, -block and -expose take them; checked by fromJson().
    QString allow;
    QString block;
    QString expose;

    // Errors name the key.
    [[nodiscard]] static Result<NetworkOptions> fromJson(const QJsonObject& object);
    [[nodiscard]] QJsonObject toJson() const; // empty for the default
    // What is wrong, if anything: a bridge without an interface, a list that cannot be read.
    [[nodiscard]] Result<> check() const;
    friend bool operator==(const NetworkOptions&, const NetworkOptions&) = default;
};

// "10.0.0.0/8,@host": IPv4 networks with their prefix length, or "@host". The error names the item
// and, for an address without a length, the remedy.
Result<> checkNetworkList(const QString& text);
// Both lists together, of which each may be empty: as above, and Softnet takes them as they are.
Result<> checkNetworkLists(const QString& allow, const QString& block);
// "2222:22,8080:80": port of this computer, port of the guest, each from 0 to 65535.
Result<> checkExposeList(const QString& text);

} // namespace vitrine
