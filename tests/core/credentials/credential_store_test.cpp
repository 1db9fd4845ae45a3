// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/credential_file.h"
#include "core/credentials/credential_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace vitrine {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

class CredentialFinding : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(m_directory.isValid());
        m_options.environment = QProcessEnvironment();
        m_options.environment.insert(s("DOCKER_CONFIG"), m_directory.filePath(s("docker")));
        m_options.storePath = m_directory.filePath(s("credentials.json"));
        m_options.useSecretService = false;
        m_options.notice = [this](const QString& line) { m_notices.append(line); };
    }
    [[nodiscard]] std::optional<Credentials> find(const char* host) const {
        const auto found = CredentialFinder(m_options).find(s(host));
        EXPECT_TRUE(found);
        return found ? *found : std::nullopt;
    }
    void setEnvironment(const char* host, const char* user, const char* password) {
        const auto set = [this](const char* name, const char* value) {
            if (value)
                m_options.environment.insert(s(name), s(value));
        };
        set("TART_REGISTRY_HOSTNAME", host);
        set("TART_REGISTRY_USERNAME", user);
        set("TART_REGISTRY_PASSWORD", password);
    }
    QTemporaryDir m_directory;
    CredentialFinder::Options m_options;
    QStringList m_notices;
};

} // namespace

TEST_F(CredentialFinding, NothingAnywhereMeansAnonymous) {
    EXPECT_FALSE(find("ghcr.io"));
    EXPECT_TRUE(m_notices.isEmpty());
}

TEST_F(CredentialFinding, EnvironmentWithAHostServesOnlyThatHost) {
    setEnvironment("ghcr.io", "u", "p");
    m_options.commandLineHost = s("evil.example");
    ASSERT_TRUE(find("ghcr.io"));
    EXPECT_EQ(find("ghcr.io")->password, s("p"));
    EXPECT_FALSE(find("evil.example"));
}

TEST_F(CredentialFinding, EnvironmentWithoutAHostServesTheHostOfTheCommandLineOnly) {
    setEnvironment(nullptr, "u", "p");
    EXPECT_FALSE(find("ghcr.io")); // the window has no command line
    m_options.commandLineHost = s("ghcr.io");
    EXPECT_TRUE(find("ghcr.io"));
    EXPECT_FALSE(find("auth.docker.io"));
}

TEST_F(CredentialFinding, HalfAnEnvironmentIsNone) {
    setEnvironment("ghcr.io", "u", nullptr);
    EXPECT_FALSE(find("ghcr.io"));
}

TEST_F(CredentialFinding, ABrokenSourceIsReportedAndTheNextIsTried) {
    ASSERT_TRUE(QDir(m_directory.path()).mkpath(s("docker")));
    QFile config(m_directory.filePath(s("docker/config.json")));
    ASSERT_TRUE(config.open(QIODevice::WriteOnly));
    config.write("nonsense");
    config.close();
    ASSERT_TRUE(CredentialFile(m_options.storePath).store(s("GHCR.io"), {s("u"), s("p")}));
    const auto found = find("ghcr.io");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->user, s("u"));
    EXPECT_EQ(m_notices.size(), 1);
}

TEST(CredentialFile, LoginsAreStoredReplacedAndRemoved) {
    const QTemporaryDir directory;
    const CredentialFile file(directory.filePath(s("a/b/credentials.json")));
    EXPECT_FALSE(*file.remove(s("ghcr.io")));
    ASSERT_TRUE(file.store(s("ghcr.io"), {s("u"), s("p")}));
    ASSERT_TRUE(file.store(s("127.0.0.1:5000"), {s("v"), QString::fromUtf8("p\u00e4ss:w\"rd")}));
    ASSERT_TRUE(file.store(s("ghcr.io"), {s("u2"), s("p2")}));
    EXPECT_EQ(**file.find(s("ghcr.io")), (StoredLogin{s("u2"), s("p2")}));
    EXPECT_EQ((**file.find(s("127.0.0.1:5000"))).password, QString::fromUtf8("p\u00e4ss:w\"rd"));
    EXPECT_TRUE(*file.remove(s("ghcr.io")));
    EXPECT_FALSE(*file.find(s("ghcr.io")));
    EXPECT_TRUE(*file.find(s("127.0.0.1:5000")));
    EXPECT_EQ(QDir(directory.filePath(s("a/b"))).entryList(QDir::Files | QDir::Hidden),
              (QStringList{s("credentials.json"), s("credentials.json.lock")}));
}

TEST(CredentialFile, OnlyItsOwnerCanReadItWhateverTheUmask) {
    const QTemporaryDir directory;
    const CredentialFile file(directory.filePath(s("credentials.json")));
    const mode_t old = ::umask(0);
    const auto stored = file.store(s("h"), {s("u"), s("p")});
    ::umask(old);
    ASSERT_TRUE(stored);
    struct stat status {};
    ASSERT_EQ(::stat(QFile::encodeName(file.path()).constData(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST(CredentialFile, AFileThatOthersCanReadIsRefused) {
    const QTemporaryDir directory;
    const CredentialFile file(directory.filePath(s("credentials.json")));
    ASSERT_TRUE(file.store(s("h"), {s("u"), s("p")}));
    ASSERT_EQ(::chmod(QFile::encodeName(file.path()).constData(), 0644), 0);
    const auto found = file.find(s("h"));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().kind, Error::Kind::Permission);
    EXPECT_TRUE(found.error().message.contains(s("chmod 600")));
}

TEST(CredentialFile, ADamagedFileIsNeverOverwritten) {
    const QTemporaryDir directory;
    const CredentialFile file(directory.filePath(s("credentials.json")));
    QFile raw(file.path());
    ASSERT_TRUE(raw.open(QIODevice::WriteOnly));
    raw.write("{ broken");
    raw.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    raw.close();
    EXPECT_EQ(file.store(s("h"), {s("u"), s("p")}).error().kind, Error::Kind::Integrity);
    ASSERT_TRUE(raw.open(QIODevice::ReadOnly));
    EXPECT_EQ(raw.readAll(), QByteArrayLiteral("{ broken"));
}

TEST(CredentialFile, ManyWritersLoseNothing) {
    const QTemporaryDir directory;
    const CredentialFile file(directory.filePath(s("credentials.json")));
    std::vector<std::thread> writers;
    for (int i = 0; i < 8; ++i) {
        writers.emplace_back([&file, i] {
            for (int j = 0; j < 5; ++j) {
                EXPECT_TRUE(file.store(QStringLiteral("h%1-%2").arg(i).arg(j), {s("u"), s("p")}));
            }
        });
    }
    for (std::thread& writer : writers)
        writer.join();
    for (int i = 0; i < 8; ++i) {
        for (int j = 0; j < 5; ++j) {
            EXPECT_TRUE(*file.find(QStringLiteral("h%1-%2").arg(i).arg(j)));
        }
    }
}

TEST(WithoutSecrets, RegistryVariablesPasswordsAndTokensGo) {
    QProcessEnvironment environment;
    for (const char* name : {"TART_REGISTRY_USERNAME",
                             "TART_REGISTRY_HOSTNAME",
                             "A_PASSWORD",
                             "B_TOKEN",
                             "PATH",
                             "TOKENS",
                             "PASSWORD_FILE"})
        environment.insert(s(name), s("x"));
    EXPECT_EQ(withoutSecrets(environment).toStringList().join(QLatin1Char(' ')).count(s("=x")), 3);
    EXPECT_TRUE(withoutSecrets(environment).contains(s("PATH")));
}

TEST(WithoutSecrets, AProcessKeepsThemFromItsChildrenAndStillSignsIn) {
    ASSERT_TRUE(qputenv("TART_REGISTRY_HOSTNAME", "kept.example"));
    ASSERT_TRUE(qputenv("TART_REGISTRY_USERNAME", "somebody"));
    ASSERT_TRUE(qputenv("TART_REGISTRY_PASSWORD", "secret"));
    ASSERT_TRUE(qputenv("SOME_TOKEN", "secret"));
    keepSecretsFromChildren();
    QProcess child;
    child.start(s("env"), QStringList());
    ASSERT_TRUE(child.waitForFinished());
    const QByteArray inherited = child.readAllStandardOutput();
    EXPECT_TRUE(inherited.contains("PATH="));
    EXPECT_FALSE(inherited.contains("secret"));
    EXPECT_FALSE(inherited.contains("TART_REGISTRY_"));
    CredentialFinder::Options options;
    options.useSecretService = false;
    const auto found = CredentialFinder(options).find(s("kept.example"));
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->password, s("secret"));
}

TEST(ForCredentialHelper, OnlyOurOwnVariablesGo) {
    QProcessEnvironment environment;
    for (const char* name : {"TART_REGISTRY_PASSWORD", "AWS_SESSION_TOKEN", "PATH"})
        environment.insert(s(name), s("x"));
    EXPECT_EQ(forCredentialHelper(environment).keys(),
              (QStringList{s("AWS_SESSION_TOKEN"), s("PATH")}));
}

} // namespace vitrine
