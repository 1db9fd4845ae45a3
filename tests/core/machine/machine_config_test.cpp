// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_config.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonValue>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

// The first vector of the specification, 2.6.
QJsonObject vector() {
    return {{QStringLiteral("version"), 1},
            {QStringLiteral("cpuCountMin"), 2},
            {QStringLiteral("cpuCount"), 2},
            {QStringLiteral("memorySizeMin"), 1},
            {QStringLiteral("memorySize"), 1},
            {QStringLiteral("macAddress"), QStringLiteral("11:22:33:44:55:66")},
            {QStringLiteral("os"), QStringLiteral("linux")}};
}

Result<MachineConfig> read(const QJsonObject& object) {
    return MachineConfig::fromJson(QJsonDocument(object).toJson());
}

Result<MachineConfig> readWith(const char* key, const QJsonValue& value) {
    QJsonObject object = vector();
    object[QLatin1String(key)] = value;
    return read(object);
}

void expectErrorNames(const Result<MachineConfig>& config, const char* key) {
    ASSERT_FALSE(config) << key;
    EXPECT_EQ(config.error().kind, Error::Kind::Integrity);
    EXPECT_TRUE(config.error().message.contains(QLatin1String(key)))
        << config.error().message.toStdString();
}

TEST(MachineConfig, MissingKeysHaveTartsDefaults) {
    const auto config = read(vector());
    ASSERT_TRUE(config);
    EXPECT_EQ(config->system, GuestSystem::Linux);
    EXPECT_EQ(config->architecture, Architecture::Arm64);
    EXPECT_EQ(config->display, (DisplaySize{1024, 768, DisplaySize::Unit::Unset}));
    EXPECT_EQ(config->refit, Refit::Automatic);
    EXPECT_EQ(config->diskFormat, DiskFormat::Raw);
    EXPECT_EQ(config->cpuCount, 2);
    EXPECT_EQ(config->memory.bytes(), 1U);
    EXPECT_EQ(config->macAddress.toText(), QStringLiteral("11:22:33:44:55:66"));
}

TEST(MachineConfig, WithoutASystemItIsAMacThatLacksItsIdentifier) {
    QJsonObject object = vector();
    object.remove(QStringLiteral("os"));
    expectErrorNames(read(object), "ecid");
    object[QStringLiteral("ecid")] = QStringLiteral("YWJj");
    expectErrorNames(read(object), "hardwareModel");
    object[QStringLiteral("hardwareModel")] = QStringLiteral("ZGVm");
    const auto config = read(object);
    ASSERT_TRUE(config);
    EXPECT_EQ(config->system, GuestSystem::Darwin);
    EXPECT_EQ(config->ecid, "abc");
    EXPECT_EQ(config->hardwareModel, "def");
}

TEST(MachineConfig, DisplayVectors) {
    const auto display = [](const char* json) {
        return readWith("display", QJsonDocument::fromJson(json).object());
    };
    expectErrorNames(display(R"({"width":1})"), "display.height");
    expectErrorNames(display(R"({"height":1})"), "display.width");
    const auto config = display(R"({"width":1,"height":2,"unit":"pt"})");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->display, (DisplaySize{1, 2, DisplaySize::Unit::Points}));
    expectErrorNames(display(R"({"width":1,"height":2,"unit":"PT"})"), "display.unit");
    expectErrorNames(display(R"({"width":0,"height":2})"), "display.width");
    expectErrorNames(display(R"({"width":"1","height":2})"), "display.width");
    expectErrorNames(display(R"({"width":1.5,"height":2})"), "display.width");
    expectErrorNames(readWith("display", 5), "display");
}

TEST(MachineConfig, DiskFormatVectors) {
    const auto asif = readWith("diskFormat", QStringLiteral("asif"));
    ASSERT_TRUE(asif);
    EXPECT_EQ(asif->diskFormat, DiskFormat::Asif);
    EXPECT_EQ(*MachineConfig::fromJson(asif->toJson()), *asif);
    const auto other = readWith("diskFormat", QStringLiteral("qcow2"));
    expectErrorNames(other, "diskFormat");
    EXPECT_TRUE(other.error().message.contains(QStringLiteral("qcow2")));
    expectErrorNames(readWith("diskFormat", QStringLiteral("ASIF")), "diskFormat");
    EXPECT_EQ(MachineConfig().diskFormat, DiskFormat::Raw);
}

TEST(MachineConfig, UnknownWordsAreErrors) {
    expectErrorNames(readWith("os", QStringLiteral("windows")), "os");
    expectErrorNames(readWith("os", QStringLiteral("Linux")), "os");
    expectErrorNames(readWith("arch", QStringLiteral("x86_64")), "arch");
    expectErrorNames(readWith("macAddress", QStringLiteral("1:2:3:4:5:6")), "macAddress");
    expectErrorNames(readWith("macAddress", QStringLiteral("11:22:33:44:55")), "macAddress");
    expectErrorNames(readWith("displayRefit", QStringLiteral("yes")), "displayRefit");
}

TEST(MachineConfig, EveryRequiredKeyIsNamedWhenItIsMissingOrOfAWrongType) {
    for (const char* key :
         {"version", "cpuCountMin", "cpuCount", "memorySizeMin", "memorySize", "macAddress"}) {
        QJsonObject object = vector();
        object.remove(QLatin1String(key));
        expectErrorNames(read(object), key);
        expectErrorNames(readWith(key, QJsonValue(QJsonValue::Null)), key);
        expectErrorNames(readWith(key, QJsonArray{1}), key);
        expectErrorNames(readWith(key, true), key);
    }
}

TEST(MachineConfig, NumbersOutOfRangeAreErrors) {
    for (const char* key : {"cpuCount", "memorySize"})
        for (const QJsonValue& value : {QJsonValue(0),
                                        QJsonValue(-1),
                                        QJsonValue(1.5),
                                        QJsonValue(1e300),
                                        QJsonValue(qint64(9223372036854775807LL))})
            expectErrorNames(readWith(key, value), key);
    expectErrorNames(readWith("version", 1e20), "version");
    const QByteArray huge = QJsonDocument(vector()).toJson().replace(
        "\"memorySize\": 1", "\"memorySize\": 18446744073709551616");
    expectErrorNames(MachineConfig::fromJson(huge), "memorySize");
}

TEST(MachineConfig, LargeMemoryIsExact) {
    const auto config = readWith("memorySize", qint64(1125899906842624LL - 4096));
    ASSERT_TRUE(config);
    EXPECT_EQ(config->memory.bytes(), 1125899906842624ULL - 4096);
    EXPECT_EQ(MachineConfig::fromJson(config->toJson())->memory, config->memory);
}

TEST(MachineConfig, Base64MustBeBase64) {
    QJsonObject object = vector();
    object[QStringLiteral("os")] = QStringLiteral("darwin");
    object[QStringLiteral("hardwareModel")] = QStringLiteral("ZGVm");
    for (const char* text : {"", "***", "YWJ", "YW Jj"}) {
        object[QStringLiteral("ecid")] = QLatin1String(text);
        expectErrorNames(read(object), "ecid");
    }
}

TEST(MachineConfig, EscapedSlashesAreRead) {
    const auto config = MachineConfig::fromJson(
        R"({"version":1,"cpuCountMin":4,"cpuCount":4,"memorySizeMin":1,"memorySize":1,
            "macAddress":"aa:bb:cc:dd:ee:ff","ecid":"\/\/\/\/","hardwareModel":"+\/+\/"})");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->ecid, QByteArray::fromHex("ffffff"));
}

TEST(MachineConfig, KeysOfOtherProgramsSurvive) {
    QJsonObject object = vector();
    object[QStringLiteral("zoo")] = QJsonObject{{QStringLiteral("a"), QJsonArray{1, 2.5, false}}};
    object[QStringLiteral("ecid")] = QStringLiteral("not used by linux guests");
    object[QStringLiteral("display")] = QJsonObject{{QStringLiteral("width"), 800},
                                                    {QStringLiteral("height"), 600},
                                                    {QStringLiteral("dpi"), 220}};
    auto config = read(object);
    ASSERT_TRUE(config);
    config->cpuCount = 7;
    config->display.width = 801;
    const QJsonObject written = QJsonDocument::fromJson(config->toJson()).object();
    EXPECT_EQ(written.value(QStringLiteral("zoo")), object.value(QStringLiteral("zoo")));
    EXPECT_EQ(written.value(QStringLiteral("ecid")), object.value(QStringLiteral("ecid")));
    EXPECT_EQ(written.value(QStringLiteral("cpuCount")).toInt(), 7);
    const QJsonObject display = written.value(QStringLiteral("display")).toObject();
    EXPECT_EQ(display.value(QStringLiteral("dpi")).toInt(), 220);
    EXPECT_EQ(display.value(QStringLiteral("width")).toInt(), 801);
}

TEST(MachineConfig, RoundTripsEveryField) {
    MachineConfig config;
    config.system = GuestSystem::Darwin;
    config.architecture = Architecture::Arm64;
    config.ecid = "abc";
    config.hardwareModel = QByteArray("\0\xff", 2);
    config.cpuCountMinimum = 2;
    config.cpuCount = 6;
    config.memoryMinimum = ByteCount::fromMiB(1024);
    config.memory = ByteCount::fromMiB(8192);
    config.macAddress = *MacAddress::fromText(u"aa:BB:cc:dd:ee:01");
    config.display = {1920, 1200, DisplaySize::Unit::Pixels};
    config.refit = Refit::Off;
    config.diskFormat = DiskFormat::Asif;
    config.unknown[QStringLiteral("x")] = 1;
    const QByteArray json = config.toJson();
    EXPECT_TRUE(json.endsWith("}\n"));
    const auto again = MachineConfig::fromJson(json);
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, config);
    const QJsonObject object = QJsonDocument::fromJson(json).object();
    EXPECT_EQ(object.value(QStringLiteral("macAddress")).toString(),
              QStringLiteral("aa:bb:cc:dd:ee:01"));
    EXPECT_EQ(object.value(QStringLiteral("displayRefit")), QJsonValue(false));
}

TEST(MachineConfig, WhatIsNotSetIsNotWritten) {
    const QJsonObject object = QJsonDocument::fromJson(read(vector())->toJson()).object();
    EXPECT_FALSE(object.contains(QStringLiteral("displayRefit")));
    EXPECT_FALSE(object.contains(QStringLiteral("ecid")));
    EXPECT_FALSE(
        object.value(QStringLiteral("display")).toObject().contains(QStringLiteral("unit")));
    for (const char* key : {"version",
                            "os",
                            "arch",
                            "cpuCountMin",
                            "cpuCount",
                            "memorySizeMin",
                            "memorySize",
                            "macAddress",
                            "display",
                            "diskFormat"})
        EXPECT_TRUE(object.contains(QLatin1String(key))) << key;
}

TEST(MachineConfig, DamagedTextIsAnErrorAndNeverACrash) {
    const QByteArray whole = QJsonDocument(vector()).toJson();
    for (qsizetype length = 0; length < whole.trimmed().size(); ++length)
        EXPECT_FALSE(MachineConfig::fromJson(whole.left(length))) << length;
    for (const QByteArray& bytes : {QByteArray("[]"),
                                    QByteArray("null"),
                                    QByteArray("5"),
                                    QByteArray("   "),
                                    QByteArray("{} {}"),
                                    QByteArray("\xff\xfe\0\0", 4),
                                    QByteArray(5000, '['),
                                    QByteArray(5000, '\0'),
                                    "{\"a\":" + QByteArray(100000, '{'),
                                    QByteArray((1 << 20) + 1, ' ')})
        EXPECT_FALSE(MachineConfig::fromJson(bytes));
}

TEST(MachineConfig, PaddedTextIsRead) {
    EXPECT_TRUE(MachineConfig::fromJson(QJsonDocument(vector()).toJson() + QByteArray(900, ' ')));
}

} // namespace
} // namespace vitrine
