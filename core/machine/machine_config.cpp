// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_config.h"

#include "core/disk/small_file.h"
#include "core/machine/restore_advice.h"

#include <QJsonDocument>
#include <QJsonValue>
#include <QSet>
#include <QSysInfo>

#include <limits>

namespace vitrine {

namespace {

constexpr qint64 maximumCpuCount = 4096;
constexpr qint64 maximumMemory = 1LL << 50; // bytes; above every host, below every overflow

const QString versionKey = QStringLiteral("version");
const QString osKey = QStringLiteral("os");
const QString archKey = QStringLiteral("arch");
const QString ecidKey = QStringLiteral("ecid");
const QString hardwareModelKey = QStringLiteral("hardwareModel");
const QString cpuCountMinKey = QStringLiteral("cpuCountMin");
const QString cpuCountKey = QStringLiteral("cpuCount");
const QString memorySizeMinKey = QStringLiteral("memorySizeMin");
const QString memorySizeKey = QStringLiteral("memorySize");
const QString macAddressKey = QStringLiteral("macAddress");
const QString displayKey = QStringLiteral("display");
const QString widthKey = QStringLiteral("width");
const QString heightKey = QStringLiteral("height");
const QString unitKey = QStringLiteral("unit");
const QString displayRefitKey = QStringLiteral("displayRefit");
const QString diskFormatKey = QStringLiteral("diskFormat");

QString typeName(const QJsonValue& value) {
    switch (value.type()) {
    case QJsonValue::Bool:
        return Tr::tr("true or false");
    case QJsonValue::Double:
        return Tr::tr("a number");
    case QJsonValue::String:
        return Tr::tr("a text");
    case QJsonValue::Array:
        return Tr::tr("a list");
    case QJsonValue::Object:
        return Tr::tr("an object");
    default:
        return Tr::tr("nothing");
    }
}

// Collects the first error, so that reading is one straight list.
class Reader final {
public:
    Reader(const QJsonObject& object, QString prefix)
        : m_object(object)
        , m_prefix(std::move(prefix)) {}

    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

    // null counts as absent, as for Tart.
    [[nodiscard]] bool has(const QString& key) const {
        const QJsonValue value = m_object.value(key);
        return !value.isUndefined() && !value.isNull();
    }

    qint64 integer(const QString& key, qint64 minimum, qint64 maximum) {
        const QJsonValue value = required(key);
        if (m_error)
            return minimum;
        if (!value.isDouble()) {
            wrongType(key, value, Tr::tr("a whole number"));
            return minimum;
        }
        constexpr qint64 odd = std::numeric_limits<qint64>::min();
        const qint64 number = value.toInteger(odd);
        if (number == odd || number < minimum || number > maximum) {
            refuse(key,
                   Tr::tr("The key \"%1\" of config.json is %2. It must be a whole number from %3 "
                          "to %4.")
                       .arg(m_prefix + key, value.toVariant().toString())
                       .arg(minimum)
                       .arg(maximum));
            return minimum;
        }
        return number;
    }

    QString text(const QString& key) {
        const QJsonValue value = required(key);
        if (!m_error && !value.isString())
            wrongType(key, value, Tr::tr("a text"));
        return value.toString();
    }

    // One of a few words; `absent` when the key is missing.
    template <class T>
    T word(const QString& key, T absent, std::initializer_list<std::pair<const char*, T>> words) {
        if (!has(key))
            return absent;
        const QString given = text(key);
        if (m_error)
            return absent;
        QStringList accepted;
        for (const auto& [name, value] : words) {
            if (given == QLatin1String(name))
                return value;
            accepted.append(QLatin1Char('"') + QLatin1String(name) + QLatin1Char('"'));
        }
        refuse(key,
               Tr::tr("The key \"%1\" of config.json is \"%2\". Known values are %3.")
                   .arg(m_prefix + key, given, accepted.join(QStringLiteral(", "))));
        return absent;
    }

    bool boolean(const QString& key) {
        const QJsonValue value = required(key);
        if (!m_error && !value.isBool())
            wrongType(key, value, Tr::tr("true or false"));
        return value.toBool();
    }

    QByteArray base64(const QString& key) {
        const QString given = text(key);
        if (m_error)
            return {};
        const QByteArray encoded = given.toLatin1();
        const QByteArray decoded = QByteArray::fromBase64(encoded);
        if (decoded.isEmpty() || decoded.toBase64() != encoded) {
            refuse(key,
                   Tr::tr("The key \"%1\" of config.json is not Base64 text.").arg(m_prefix + key) +
                       QLatin1Char(' ') + restoreAdvice());
            return {};
        }
        return decoded;
    }

    QJsonObject object(const QString& key) {
        const QJsonValue value = required(key);
        if (!m_error && !value.isObject())
            wrongType(key, value, Tr::tr("an object"));
        return value.toObject();
    }

    void refuse(const QString& key, const QString& sentence) {
        if (!m_error)
            m_error = Error{Error::Kind::Integrity,
                            sentence,
                            QStringLiteral("config.json key %1%2").arg(m_prefix, key)};
    }

private:
    QJsonValue required(const QString& key) {
        if (!has(key))
            refuse(key,
                   Tr::tr("The key \"%1\" of config.json is missing.").arg(m_prefix + key) +
                       QLatin1Char(' ') + restoreAdvice());
        return m_object.value(key);
    }
    void wrongType(const QString& key, const QJsonValue& value, const QString& wanted) {
        refuse(key,
               Tr::tr("The key \"%1\" of config.json is %2. It must be %3.")
                   .arg(m_prefix + key, typeName(value), wanted));
    }

    const QJsonObject& m_object;
    QString m_prefix;
    std::optional<Error> m_error;
};

QJsonObject without(QJsonObject object, const QStringList& keys) {
    for (const QString& key : keys)
        object.remove(key);
    return object;
}

std::optional<Error> readDisplay(const QJsonObject& object, MachineConfig& config) {
    Reader reader(object, displayKey + QLatin1Char('.'));
    config.display.width = static_cast<int>(reader.integer(widthKey, 1, 16384));
    config.display.height = static_cast<int>(reader.integer(heightKey, 1, 16384));
    config.display.unit =
        reader.word(unitKey,
                    DisplaySize::Unit::Unset,
                    {{"pt", DisplaySize::Unit::Points}, {"px", DisplaySize::Unit::Pixels}});
    config.unknownDisplay = without(object, {widthKey, heightKey, unitKey});
    return reader.error();
}

} // namespace

QString toText(GuestSystem system) {
    return system == GuestSystem::Darwin ? QStringLiteral("darwin") : QStringLiteral("linux");
}

QString toText(Architecture architecture) {
    return architecture == Architecture::Arm64 ? QStringLiteral("arm64") : QStringLiteral("amd64");
}

QString toText(DiskFormat format) {
    return format == DiskFormat::Raw ? QStringLiteral("raw") : QStringLiteral("asif");
}

Architecture hostArchitecture() {
    const QString name = QSysInfo::currentCpuArchitecture();
    return name.startsWith(QLatin1String("arm")) || name.startsWith(QLatin1String("aarch64"))
               ? Architecture::Arm64
               : Architecture::Amd64;
}

QString restoreAdvice() {
    return Tr::tr("Restore the file from a copy.");
}

Result<MachineConfig> MachineConfig::fromJson(const QByteArray& json) {
    if (json.trimmed().isEmpty())
        return fail(Error::Kind::Integrity,
                    Tr::tr("config.json is empty.") + QLatin1Char(' ') + restoreAdvice());
    if (json.size() > maximumSmallFile)
        return fail(Error::Kind::Integrity,
                    Tr::tr("config.json is larger than 1 MB.") + QLatin1Char(' ') +
                        restoreAdvice());
    QJsonParseError parsing{};
    const QJsonDocument document = QJsonDocument::fromJson(json, &parsing);
    if (parsing.error != QJsonParseError::NoError)
        return fail(Error::Kind::Integrity,
                    //: %1 is a position in bytes, %2 the parser's own words
                    Tr::tr("config.json cannot be read: it is damaged at byte %1 (%2).")
                            .arg(parsing.offset)
                            .arg(parsing.errorString()) +
                        QLatin1Char(' ') + restoreAdvice());
    if (!document.isObject())
        return fail(Error::Kind::Integrity,
                    Tr::tr("config.json holds no object.") + QLatin1Char(' ') + restoreAdvice());

    const QJsonObject object = document.object();
    Reader reader(object, {});
    MachineConfig config;
    config.version = static_cast<int>(reader.integer(
        versionKey, std::numeric_limits<int>::min() + 1, std::numeric_limits<int>::max()));
    config.system = reader.word(osKey,
                                GuestSystem::Darwin,
                                {{"darwin", GuestSystem::Darwin}, {"linux", GuestSystem::Linux}});
    config.architecture =
        reader.word(archKey,
                    Architecture::Arm64,
                    {{"arm64", Architecture::Arm64}, {"amd64", Architecture::Amd64}});
    QStringList known{versionKey,
                      osKey,
                      archKey,
                      cpuCountMinKey,
                      cpuCountKey,
                      memorySizeMinKey,
                      memorySizeKey,
                      macAddressKey,
                      displayKey,
                      displayRefitKey,
                      diskFormatKey};
    if (config.system == GuestSystem::Darwin) {
        config.ecid = reader.base64(ecidKey);
        config.hardwareModel = reader.base64(hardwareModelKey);
        known << ecidKey << hardwareModelKey;
    }
    config.cpuCountMinimum = static_cast<int>(reader.integer(cpuCountMinKey, 0, maximumCpuCount));
    config.cpuCount = static_cast<int>(reader.integer(cpuCountKey, 1, maximumCpuCount));
    config.memoryMinimum = ByteCount::fromBytes(
        static_cast<quint64>(reader.integer(memorySizeMinKey, 0, maximumMemory)));
    config.memory =
        ByteCount::fromBytes(static_cast<quint64>(reader.integer(memorySizeKey, 1, maximumMemory)));
    const QString mac = reader.text(macAddressKey);
    if (const auto address = MacAddress::fromText(mac))
        config.macAddress = *address;
    else
        reader.refuse(macAddressKey,
                      Tr::tr("The key \"macAddress\" of config.json is \"%1\". It must be six "
                             "groups of two hexadecimal digits with \":\" between them.")
                          .arg(mac));
    std::optional<Error> displayError;
    if (reader.has(displayKey)) {
        const QJsonObject display = reader.object(displayKey);
        if (!reader.error())
            displayError = readDisplay(display, config);
    }
    if (!displayError && reader.has(displayRefitKey))
        config.refit = reader.boolean(displayRefitKey) ? Refit::On : Refit::Off;
    config.diskFormat = reader.word(
        diskFormatKey, DiskFormat::Raw, {{"raw", DiskFormat::Raw}, {"asif", DiskFormat::Asif}});
    if (displayError)
        return fail(*displayError);
    if (reader.error())
        return fail(*reader.error());
    config.unknown = without(object, known);
    return config;
}

QByteArray MachineConfig::toJson() const {
    QJsonObject object = unknown;
    object[versionKey] = version;
    object[osKey] = toText(system);
    object[archKey] = toText(architecture);
    if (system == GuestSystem::Darwin) {
        object[ecidKey] = QString::fromLatin1(ecid.toBase64());
        object[hardwareModelKey] = QString::fromLatin1(hardwareModel.toBase64());
    }
    object[cpuCountMinKey] = cpuCountMinimum;
    object[cpuCountKey] = cpuCount;
    object[memorySizeMinKey] = static_cast<qint64>(memoryMinimum.bytes());
    object[memorySizeKey] = static_cast<qint64>(memory.bytes());
    object[macAddressKey] = macAddress.toText();
    QJsonObject displayObject = unknownDisplay;
    displayObject[widthKey] = display.width;
    displayObject[heightKey] = display.height;
    if (display.unit != DisplaySize::Unit::Unset)
        displayObject[unitKey] =
            display.unit == DisplaySize::Unit::Points ? QStringLiteral("pt") : QStringLiteral("px");
    object[displayKey] = displayObject;
    if (refit != Refit::Automatic)
        object[displayRefitKey] = refit == Refit::On;
    object[diskFormatKey] = vitrine::toText(diskFormat);
    return QJsonDocument(object).toJson(QJsonDocument::Indented);
}

} // namespace vitrine
