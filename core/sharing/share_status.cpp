// SPDX-License-Identifier: Apache-2.0
#include "core/sharing/share_status.h"

#include <array>
#include <utility>

namespace vitrine {

namespace {

constexpr std::array states{std::pair{"adding", ShareState::Adding},
                            std::pair{"waiting", ShareState::Waiting},
                            std::pair{"mounted", ShareState::Mounted},
                            std::pair{"not-mounted", ShareState::NotMounted},
                            std::pair{"broken", ShareState::Broken},
                            std::pair{"failed", ShareState::Failed}};

} // namespace

QJsonObject ShareStatus::toJson() const {
    QString word;
    for (const auto& [name, value] : states)
        if (value == state)
            word = QLatin1String(name);
    return {{QStringLiteral("name"), spec.name},
            {QStringLiteral("path"), spec.path},
            {QStringLiteral("readOnly"), spec.readOnly},
            {QStringLiteral("tag"), spec.tag},
            {QStringLiteral("guestPath"), guestPath},
            {QStringLiteral("state"), word},
            {QStringLiteral("message"), message},
            {QStringLiteral("mountLine"), mountLine},
            {QStringLiteral("transport"), transport}};
}

ShareStatus ShareStatus::fromJson(const QJsonObject& object) {
    ShareStatus status;
    status.spec.name = object.value(QLatin1String("name")).toString();
    status.spec.path = object.value(QLatin1String("path")).toString();
    status.spec.readOnly = object.value(QLatin1String("readOnly")).toBool();
    status.spec.tag = object.value(QLatin1String("tag")).toString();
    status.guestPath = object.value(QLatin1String("guestPath")).toString();
    status.state = ShareState::NotMounted;
    const QString word = object.value(QLatin1String("state")).toString();
    for (const auto& [name, value] : states)
        if (word == QLatin1String(name))
            status.state = value;
    status.message = object.value(QLatin1String("message")).toString();
    status.mountLine = object.value(QLatin1String("mountLine")).toString();
    status.transport = object.value(QLatin1String("transport")).toString();
    return status;
}

QJsonObject ShareList::toJson() const {
    QJsonArray list;
    for (const ShareStatus& share : shares)
        list.append(share.toJson());
    return {{QStringLiteral("shares"), list},
            {QStringLiteral("transport"), transport},
            {QStringLiteral("transportNote"), transportNote},
            {QStringLiteral("refusal"), refusal},
            {QStringLiteral("sshUser"), sshUser}};
}

ShareList ShareList::fromJson(const QJsonValue& value) {
    const QJsonObject object = value.toObject();
    ShareList list;
    for (const QJsonValue& item : object.value(QLatin1String("shares")).toArray())
        list.shares.append(ShareStatus::fromJson(item.toObject()));
    list.transport = object.value(QLatin1String("transport")).toString();
    list.transportNote = object.value(QLatin1String("transportNote")).toString();
    list.refusal = object.value(QLatin1String("refusal")).toString();
    list.sshUser = object.value(QLatin1String("sshUser")).toString();
    return list;
}

} // namespace vitrine
