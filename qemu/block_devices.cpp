// SPDX-License-Identifier: Apache-2.0
#include "qemu/block_devices.h"

#include "qemu/launch_plan.h"
#include "qemu/qmp_client.h"

#include <QJsonArray>

#include <algorithm>

namespace vitrine::qemu {

namespace {

// "disk0", "disk1", …; the firmware's nodes and those below a disk have other names.
std::optional<int> diskIndex(const QString& node) {
    bool number = false;
    const int index = node.mid(4).toInt(&number);
    return node.startsWith(QLatin1String("disk")) && number ? std::optional(index) : std::nullopt;
}

// QEMU passes on the system's words, in English.
Error resizeError(const Error& error, ByteCount size) {
    if (!error.message.contains(QLatin1String("File too large")))
        return error;
    return Error{Error::Kind::Unsupported,
                 Tr::tr("The disk cannot grow: its volume takes no file of %1. Choose a smaller "
                        "size.")
                     .arg(size.toText()),
                 error.message};
}

} // namespace

QJsonObject LiveDisk::toJson() const {
    return {{QStringLiteral("node"), node},
            {QStringLiteral("file"), file},
            {QStringLiteral("size"), static_cast<qint64>(size.bytes())},
            {QStringLiteral("readOnly"), readOnly},
            {QStringLiteral("direct"), direct},
            {QStringLiteral("noFlush"), noFlush}};
}

QList<LiveDisk> liveDisks(const QJsonValue& nodes) {
    QList<LiveDisk> disks;
    for (const QJsonValue& value : nodes.toArray()) {
        const QJsonObject object = value.toObject();
        LiveDisk disk;
        disk.node = object.value(QLatin1String("node-name")).toString();
        if (!diskIndex(disk.node))
            continue;
        const QJsonObject cache = object.value(QLatin1String("cache")).toObject();
        const QJsonObject image = object.value(QLatin1String("image")).toObject();
        disk.file = object.value(QLatin1String("file")).toString();
        disk.readOnly = object.value(QLatin1String("ro")).toBool();
        disk.direct = cache.value(QLatin1String("direct")).toBool();
        disk.noFlush = cache.value(QLatin1String("no-flush")).toBool();
        disk.size = ByteCount::fromBytes(static_cast<quint64>(
            std::max<qint64>(0, image.value(QLatin1String("virtual-size")).toInteger())));
        disks.append(disk);
    }
    std::sort(disks.begin(), disks.end(), [](const LiveDisk& a, const LiveDisk& b) {
        return diskIndex(a.node) < diskIndex(b.node);
    });
    return disks;
}

void queryDisks(QmpClient& qmp, std::function<void(Result<QList<LiveDisk>>)> reply) {
    qmp.execute(QStringLiteral("query-named-block-nodes"),
                {{QStringLiteral("flat"), true}},
                [reply = std::move(reply)](const Result<QJsonValue>& answer) {
                    if (answer)
                        reply(liveDisks(*answer));
                    else
                        reply(fail(answer.error()));
                });
}

void growDisk(QmpClient& qmp,
              const QString& node,
              ByteCount size,
              std::function<void(Result<>)> reply) {
    queryDisks(
        qmp, [&qmp, node, size, reply = std::move(reply)](const Result<QList<LiveDisk>>& disks) {
            if (!disks) {
                reply(fail(disks.error()));
                return;
            }
            const auto disk = std::find_if(
                disks->cbegin(), disks->cend(), [&](const LiveDisk& d) { return d.node == node; });
            if (disk == disks->cend() || size < disk->size) {
                const ByteCount now = disk == disks->cend() ? ByteCount() : disk->size;
                reply(fail(Error::Kind::Unsupported,
                           Tr::tr("The disk has %1 and cannot be made smaller. Choose a larger "
                                  "size.")
                               .arg(now.toText())));
                return;
            }
            if (disk->readOnly) {
                reply(fail(Error::Kind::Unsupported,
                           Tr::tr("The disk is read-only in this run and cannot grow. Shut the "
                                  "machine down first.")));
                return;
            }
            if (size == disk->size) {
                reply({});
                return;
            }
            qmp.execute(QStringLiteral("block_resize"),
                        {{QStringLiteral("node-name"), node},
                         {QStringLiteral("size"), static_cast<qint64>(size.bytes())}},
                        [reply, size](const Result<QJsonValue>& answer) {
                            if (answer)
                                reply({});
                            else
                                reply(fail(resizeError(answer.error(), size)));
                        });
        });
}

} // namespace vitrine::qemu
