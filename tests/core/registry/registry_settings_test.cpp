// SPDX-License-Identifier: Apache-2.0
#include "core/registry/registry_settings.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

class RegistrySettingsTest : public testing::Test {
protected:
    void write(const char* text) {
        QFile out(path);
        ASSERT_TRUE(out.open(QIODevice::WriteOnly));
        out.write(text);
    }
    QTemporaryDir directory;
    QString path = directory.filePath(s("vitrine/registries.json"));
    RegistrySettingsFile file{path};
};

TEST_F(RegistrySettingsTest, NothingSetIsTheDefault) {
    EXPECT_EQ(file.find(s("ghcr.io")).value(), RegistrySettings());
    EXPECT_TRUE(file.all()->isEmpty());
    EXPECT_FALSE(file.remove(s("ghcr.io")).value());
}

TEST_F(RegistrySettingsTest, WhatWasSetIsFoundAgainWhateverTheCase) {
    ASSERT_TRUE(file.store(s("Registry.LAN:5000"), {true, {}, s("socks5://127.0.0.1:1080")}));
    ASSERT_TRUE(file.store(s("other.lan"), {false, {}, s("none")}));
    const auto found = file.find(s("registry.lan:5000"));
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->insecure);
    EXPECT_EQ(found->proxy, s("socks5://127.0.0.1:1080"));
    EXPECT_EQ(file.all()->size(), 2);
    EXPECT_TRUE(file.remove(s("REGISTRY.lan:5000")).value());
    EXPECT_EQ(file.find(s("registry.lan:5000")).value(), RegistrySettings());
    EXPECT_EQ(file.find(s("other.lan"))->proxy, s("none"));
}

TEST_F(RegistrySettingsTest, KeysOfNewerProgramsSurvive) {
    ASSERT_TRUE(file.store(s("a.lan"), {true, {}, {}}));
    write(R"({"version":1,"later":7,"hosts":{"a.lan":{"insecure":true,"mirror":"b.lan"}}})");
    ASSERT_TRUE(file.store(s("a.lan"), {false, {}, {}}));
    QFile in(path);
    ASSERT_TRUE(in.open(QIODevice::ReadOnly));
    const QByteArray text = in.readAll();
    EXPECT_TRUE(text.contains("mirror"));
    EXPECT_TRUE(text.contains("later"));
}

TEST_F(RegistrySettingsTest, ADamagedFileIsToldAndLeftAlone) {
    ASSERT_TRUE(file.store(s("a.lan"), {true, {}, {}}));
    write(R"({"hosts": )");
    const auto found = file.find(s("a.lan"));
    ASSERT_FALSE(found);
    EXPECT_TRUE(found.error().message.contains(path));
    EXPECT_FALSE(file.store(s("b.lan"), {}));
    QFile in(path);
    ASSERT_TRUE(in.open(QIODevice::ReadOnly));
    EXPECT_EQ(in.readAll(), R"({"hosts": )");
}

TEST_F(RegistrySettingsTest, AWrongValueNamesHostAndKey) {
    ASSERT_TRUE(file.store(s("a.lan"), {true, {}, {}}));
    for (const char* text : {R"({"hosts":{"a.lan":{"insecure":"yes"}}})",
                             R"({"hosts":{"a.lan":{"ca":3}}})",
                             R"({"hosts":{"a.lan":{"proxy":"ftp://x"}}})"}) {
        write(text);
        const auto found = file.find(s("a.lan"));
        ASSERT_FALSE(found) << text;
        EXPECT_TRUE(found.error().message.contains(s("a.lan"))) << text;
    }
}

TEST_F(RegistrySettingsTest, ProxiesAreChecked) {
    for (const char* good : {"", "none", "http://proxy:3128", "socks5://u:p@127.0.0.1:1080"})
        EXPECT_TRUE(checkProxy(s(good))) << good;
    for (const char* bad : {"proxy", "http://proxy", "https://p:1", "http://:80", "http://p:1/x"})
        EXPECT_FALSE(checkProxy(s(bad))) << bad;
}

TEST_F(RegistrySettingsTest, ACertificateFileMustHoldOne) {
    const QString junk = directory.filePath(s("junk.pem"));
    QFile out(junk);
    ASSERT_TRUE(out.open(QIODevice::WriteOnly));
    out.write("no certificate");
    out.close();
    EXPECT_FALSE(file.store(s("a.lan"), {false, junk, {}}));
    EXPECT_FALSE(file.store(s("a.lan"), {false, s("relative.pem"), {}}));
    EXPECT_FALSE(file.store(s("a.lan"), {false, directory.filePath(s("missing.pem")), {}}));
    EXPECT_TRUE(file.all()->isEmpty());
}

TEST_F(RegistrySettingsTest, SettingsFillWhatTheCallerLeftOpen) {
    ASSERT_TRUE(file.store(s("a.lan"), {true, {}, s("none")}));
    RegistryOptions options;
    EXPECT_FALSE(withSettings(options, s("a.lan"))->insecure); // no file named
    options.settingsFile = path;
    EXPECT_TRUE(withSettings(options, s("a.lan"))->insecure);
    EXPECT_EQ(withSettings(options, s("a.lan"))->proxy, s("none"));
    EXPECT_FALSE(withSettings(options, s("b.lan"))->insecure);
    options.proxy = s("http://given:1");
    EXPECT_EQ(withSettings(options, s("a.lan"))->proxy, s("http://given:1"));
}

} // namespace
} // namespace vitrine
