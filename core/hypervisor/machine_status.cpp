// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_client.h"

#include <QHostAddress>
#include <QJsonArray>

#include <array>
#include <utility>

namespace vitrine {

namespace {

constexpr qsizetype maximumText = 2000; // of one field, characters
constexpr qsizetype maximumPending = 100;

const std::array<std::pair<MachineState, QLatin1String>, 9> stateWords{{
    {MachineState::Stopped, QLatin1String("stopped")},
    {MachineState::Starting, QLatin1String("starting")},
    {MachineState::Running, QLatin1String("running")},
    {MachineState::Paused, QLatin1String("paused")},
    {MachineState::ShuttingDown, QLatin1String("shutting-down")},
    {MachineState::Suspending, QLatin1String("suspending")},
    {MachineState::Suspended, QLatin1String("suspended")},
    {MachineState::RunningElsewhere, QLatin1String("running-elsewhere")},
    {MachineState::Broken, QLatin1String("broken")},
}};

QString textOf(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toString().left(maximumText);
}

int pixelsOf(const QJsonObject& object, const char* key) {
    const int value = object.value(QLatin1String(key)).toInt();
    return value >= 0 && value <= 65535 ? value : 0;
}

} // namespace

QJsonObject MachineStatus::toJson() const {
    QJsonArray changes;
    for (const PendingChange& change : pending) {
        changes.append(QJsonObject{{QStringLiteral("key"), change.key},
                                   {QStringLiteral("old"), change.oldValue},
                                   {QStringLiteral("new"), change.newValue}});
    }
    QString word;
    for (const auto& [value, text] : stateWords) {
        if (value == state) {
            word = text;
        }
    }
    return {
        {QStringLiteral("state"), word},
        {QStringLiteral("pid"), processId},
        {QStringLiteral("startedAt"), startedAt.toUTC().toString(Qt::ISODateWithMs)},
        {QStringLiteral("accelerator"), accelerator},
        {QStringLiteral("acceleratorNote"), acceleratorNote},
        {QStringLiteral("note"), note},
        {QStringLiteral("address"), address},
        {QStringLiteral("addressSource"), addressSource},
        {QStringLiteral("leaseAddress"), leaseAddress},
        {QStringLiteral("agentAddress"), agentAddress},
        {QStringLiteral("sshPort"), sshPort},
        {QStringLiteral("sshUser"), sshUser},
        {QStringLiteral("network"), network},
        {QStringLiteral("reachable"), reachable},
        {QStringLiteral("agentAnswers"), agentAnswers},
        {QStringLiteral("width"), width},
        {QStringLiteral("height"), height},
        {QStringLiteral("lastError"), lastError},
        {QStringLiteral("responding"), responding},
        {QStringLiteral("clipboard"), clipboard},
        {QStringLiteral("suspendRefusal"), suspendRefusal},
        {QStringLiteral("pending"), changes},
    };
}

MachineStatus::SshAddress MachineStatus::sshAddress() const {
    if (sshPort != 0)
        return {QStringLiteral("127.0.0.1"), sshPort};
    // The guest tells its address itself: nothing but an address may become a word of a command.
    if ((reachable || network == QLatin1String("bridged")) && !QHostAddress(address).isNull())
        return {address, 22};
    return {};
}

MachineStatus MachineStatus::fromJson(const QJsonObject& object) {
    MachineStatus status;
    const QString word = object.value(QLatin1String("state")).toString();
    for (const auto& [value, text] : stateWords) {
        if (text == word) {
            status.state = value;
        }
    }
    status.processId = object.value(QLatin1String("pid")).toInteger();
    status.startedAt =
        QDateTime::fromString(textOf(object, "startedAt"), Qt::ISODateWithMs).toLocalTime();
    status.accelerator = textOf(object, "accelerator");
    status.acceleratorNote = textOf(object, "acceleratorNote");
    status.note = textOf(object, "note");
    status.address = textOf(object, "address");
    status.addressSource = textOf(object, "addressSource");
    status.leaseAddress = textOf(object, "leaseAddress");
    status.agentAddress = textOf(object, "agentAddress");
    const int port = object.value(QLatin1String("sshPort")).toInt();
    status.sshPort = port > 0 && port <= 65535 ? static_cast<quint16>(port) : quint16{0};
    status.sshUser = textOf(object, "sshUser");
    status.network = textOf(object, "network");
    status.reachable = object.value(QLatin1String("reachable")).toBool();
    status.agentAnswers = object.value(QLatin1String("agentAnswers")).toBool();
    status.width = pixelsOf(object, "width");
    status.height = pixelsOf(object, "height");
    status.lastError = textOf(object, "lastError");
    status.responding = object.value(QLatin1String("responding")).toBool(true);
    status.clipboard = textOf(object, "clipboard");
    status.suspendRefusal = textOf(object, "suspendRefusal");
    const QJsonArray changes = object.value(QLatin1String("pending")).toArray();
    for (const QJsonValue& change : changes) {
        if (status.pending.size() >= maximumPending) {
            break;
        }
        const QJsonObject entry = change.toObject();
        status.pending.append({textOf(entry, "key"),
                               entry.value(QLatin1String("old")),
                               entry.value(QLatin1String("new"))});
    }
    return status;
}

} // namespace vitrine
