// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_changes.h"

#include <optional>

namespace vitrine {

namespace {

const QString cpuKey = QStringLiteral("cpuCount");
const QString memoryKey = QStringLiteral("memorySize");
const QString displayKey = QStringLiteral("display");
const QString refitKey = QStringLiteral("displayRefit");
const QString macKey = QStringLiteral("macAddress");
const QString randomMacKey = QStringLiteral("randomMac");
const QString randomSerialKey = QStringLiteral("randomSerial");
const QString diskKey = QStringLiteral("diskSize");

std::optional<Refit> refitOf(const QString& word) {
    for (const Refit refit : {Refit::Automatic, Refit::On, Refit::Off}) {
        if (refitWord(refit) == word) {
            return refit;
        }
    }
    return std::nullopt;
}

std::optional<ByteCount> bytesOf(const QJsonValue& value) {
    const qint64 bytes = value.toInteger(-1);
    return bytes < 0 ? std::nullopt
                     : std::optional(ByteCount::fromBytes(static_cast<quint64>(bytes)));
}

} // namespace

QString refitWord(Refit refit) {
    switch (refit) {
    case Refit::On:
        return QStringLiteral("on");
    case Refit::Off:
        return QStringLiteral("off");
    case Refit::Automatic:
        break;
    }
    return QStringLiteral("automatic");
}

QJsonObject changesToJson(const MachineChanges& changes) {
    QJsonObject object;
    if (changes.cpuCount) {
        object.insert(cpuKey, *changes.cpuCount);
    }
    if (changes.memory) {
        object.insert(memoryKey, static_cast<qint64>(changes.memory->bytes()));
    }
    if (changes.display) {
        object.insert(displayKey, changes.display->toText());
    }
    if (changes.refit) {
        object.insert(refitKey, refitWord(*changes.refit));
    }
    if (changes.macAddress) {
        object.insert(macKey, changes.macAddress->toText());
    }
    if (changes.randomMac) {
        object.insert(randomMacKey, true);
    }
    if (changes.randomSerial) {
        object.insert(randomSerialKey, true);
    }
    if (changes.diskSize) {
        object.insert(diskKey, static_cast<qint64>(changes.diskSize->bytes()));
    }
    return object;
}

Result<MachineChanges> changesFromJson(const QJsonObject& object) {
    MachineChanges changes;
    for (auto entry = object.begin(); entry != object.end(); ++entry) {
        const QString key = entry.key();
        const QJsonValue value = entry.value();
        bool good = false;
        if (key == cpuKey) {
            const int count = value.toInt(-1);
            good = count >= 0;
            changes.cpuCount = count;
        } else if (key == memoryKey) {
            changes.memory = bytesOf(value);
            good = changes.memory.has_value();
        } else if (key == diskKey) {
            changes.diskSize = bytesOf(value);
            good = changes.diskSize.has_value();
        } else if (key == displayKey) {
            changes.display = DisplaySize::fromText(value.toString());
            good = changes.display.has_value();
        } else if (key == refitKey) {
            changes.refit = refitOf(value.toString());
            good = changes.refit.has_value();
        } else if (key == macKey) {
            changes.macAddress = MacAddress::fromText(value.toString());
            good = changes.macAddress.has_value();
        } else if (key == randomMacKey) {
            good = value.isBool();
            changes.randomMac = value.toBool();
        } else if (key == randomSerialKey) {
            good = value.isBool();
            changes.randomSerial = value.toBool();
        }
        if (!good) {
            return fail(
                Error::Kind::InvalidInput,
                Tr::tr("The machine's process cannot use the change of \"%1\".").arg(key.left(64)));
        }
    }
    return changes;
}

} // namespace vitrine
