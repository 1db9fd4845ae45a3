// SPDX-License-Identifier: Apache-2.0
// Runs inside tests/support/with_keyring.sh: a real gnome-keyring in a D-Bus session of its own.
#include "core/credentials/credential_store.h"
#include "core/credentials/secret_store.h"

#include <QCoreApplication>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace vitrine {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

} // namespace

TEST(SecretStore, LoginsAreStoredFoundReplacedAndRemoved) {
    EXPECT_FALSE(*SecretStore::find(s("a.example")));
    const StoredLogin login{s("admin"), QString::fromUtf8("p\u00e4ss:\"wörd")};
    const auto stored = SecretStore::store(s("a.example"), login);
    ASSERT_TRUE(stored) << stored.error().message.toStdString()
                        << stored.error().detail.toStdString();
    EXPECT_EQ(**SecretStore::find(s("a.example")), login);
    EXPECT_EQ(**SecretStore::find(s("A.Example")), login);
    ASSERT_TRUE(SecretStore::store(s("a.example"), {s("other"), s("x")}));
    EXPECT_EQ((**SecretStore::find(s("a.example"))).user, s("other"));
    EXPECT_FALSE(*SecretStore::find(s("b.example")));
    EXPECT_TRUE(*SecretStore::remove(s("a.example")));
    EXPECT_FALSE(*SecretStore::remove(s("a.example")));
    EXPECT_FALSE(*SecretStore::find(s("a.example")));
}

TEST(SecretStore, AnyNumberOfThreadsMayAskAtOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([i] {
            const QString host = QStringLiteral("host%1.example").arg(i);
            const StoredLogin login{s("user"), host};
            EXPECT_TRUE(SecretStore::store(host, login));
            const auto found = SecretStore::find(host);
            EXPECT_TRUE(found && *found && **found == login);
            EXPECT_TRUE(SecretStore::remove(host));
        });
    }
    for (std::thread& thread : threads)
        thread.join();
}

TEST(SecretStore, WhatLoginStoresIsWhatAPullFinds) {
    ASSERT_TRUE(storeCredentials(StoreKind::SecretService, s("c.example"), s("u"), s("p")));
    const QTemporaryDir directory;
    CredentialFinder::Options options;
    options.environment = QProcessEnvironment();
    options.environment.insert(s("DOCKER_CONFIG"), directory.path());
    options.storePath = directory.filePath(s("none.json"));
    const auto found = CredentialFinder(options).find(s("c.example"));
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->user, s("u"));
    EXPECT_EQ((*found)->password, s("p"));
    EXPECT_TRUE(*removeCredentials(s("c.example")));
    EXPECT_FALSE(*removeCredentials(s("c.example")));
}

TEST(SecretStore, ASessionWithoutASecretServiceNamesBothWaysOut) {
    // Another process of this program, with a bus address that leads nowhere.
    if (qEnvironmentVariableIsSet("VITRINE_TEST_NO_BUS")) {
        const auto stored = SecretStore::store(s("d.example"), {s("u"), s("p")});
        ASSERT_FALSE(stored);
        EXPECT_EQ(stored.error().kind, Error::Kind::Unsupported)
            << stored.error().detail.toStdString();
        EXPECT_TRUE(stored.error().message.contains(s("docker login")));
        EXPECT_TRUE(stored.error().message.contains(s("--store=file")));
        return;
    }
    for (const char* address : {"", "unix:path=/nonexistent/bus"}) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(s("VITRINE_TEST_NO_BUS"), s("1"));
        environment.insert(s("DBUS_SESSION_BUS_ADDRESS"), s(address));
        environment.insert(s("XDG_RUNTIME_DIR"), s("/nonexistent"));
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QCoreApplication::applicationFilePath(),
                      {s("--gtest_filter=SecretStore.ASessionWithoutASecretService*")});
        ASSERT_TRUE(process.waitForFinished(60000));
        EXPECT_EQ(process.exitCode(), 0) << process.readAll().toStdString();
    }
}

} // namespace vitrine
