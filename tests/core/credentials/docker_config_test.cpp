// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/credential_helper.h"
#include "core/credentials/docker_config.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {

namespace {

QJsonObject parse(const QByteArray& json) {
    const QJsonDocument document = QJsonDocument::fromJson(json);
    EXPECT_TRUE(document.isObject());
    return document.object();
}

QString s(const char* text) {
    return QString::fromUtf8(text);
}

class DockerConfigOnDisk : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(m_directory.isValid());
        ASSERT_TRUE(QDir(m_directory.path()).mkpath(s("bin")));
        m_environment.insert(s("DOCKER_CONFIG"), m_directory.path());
        m_environment.insert(s("PATH"), m_directory.filePath(s("bin")) + s(":/usr/bin:/bin"));
    }
    void writeConfig(const QByteArray& text) const {
        QFile file(m_directory.filePath(s("config.json")));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    void writeHelper(const char* name, const QByteArray& script) const {
        QFile file(m_directory.filePath(s("bin/docker-credential-") + s(name)));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + script);
        ASSERT_TRUE(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }
    [[nodiscard]] Result<std::optional<Credentials>> find(const char* host) const {
        return DockerConfig(m_environment).find(s(host));
    }
    QTemporaryDir m_directory;
    QProcessEnvironment m_environment;
};

} // namespace

// The table of specification 3.11.
TEST(DockerConfig, HelpersAreFoundByKeyOrByAnExpressionThatMatchesTheWholeHost) {
    const QJsonObject config = parse(
        R"({"credHelpers":{"(.*).dkr.ecr.(.*).amazonaws.com":"ecr-login","gcr.io":"gcloud"}})");
    EXPECT_EQ(DockerConfig::helperFor(config, s("gcr.io")), s("gcloud"));
    EXPECT_EQ(DockerConfig::helperFor(config, s("123.dkr.ecr.eu-west-1.amazonaws.com")),
              s("ecr-login"));
    EXPECT_EQ(DockerConfig::helperFor(config, s("456.dkr.ecr.us-east-1.amazonaws.com")),
              s("ecr-login"));
    EXPECT_EQ(DockerConfig::helperFor(config, s("ghcr.io")), QString());
    EXPECT_EQ(DockerConfig::helperFor(config, s("gcr.io.evil.com")), QString());
    EXPECT_EQ(DockerConfig::helperFor(config, s("evil-gcr.io")), QString());
}

TEST(DockerConfig, AnExactKeyWinsOverAnExpressionAndABrokenExpressionIsPassedOver) {
    const QJsonObject config =
        parse(R"({"credHelpers":{".*":"any","(":"broken","ghcr.io":"own"}})");
    EXPECT_EQ(DockerConfig::helperFor(config, s("ghcr.io")), s("own"));
    EXPECT_EQ(DockerConfig::helperFor(config, s("x.io")), s("any"));
}

TEST(DockerConfig, PasswordsMayHoldColons) {
    const QByteArray auth = QByteArrayLiteral("user:pass:word:").toBase64();
    const QJsonObject config = parse(R"({"auths":{"ghcr.io":{"auth":")" + auth + R"("}}})");
    const auto found = DockerConfig::fromAuths(config, s("ghcr.io"));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->user, s("user"));
    EXPECT_EQ(found->password, s("pass:word:"));
    EXPECT_FALSE(DockerConfig::fromAuths(config, s("other.io")));
}

TEST(DockerConfig, DockerHubHasItsOwnKey) {
    const QByteArray auth = QByteArrayLiteral("u:p").toBase64();
    const QJsonObject config =
        parse(R"({"auths":{"https://index.docker.io/v1/":{"auth":")" + auth + R"("}},
                 "credHelpers":{"https://index.docker.io/v1/":"hub"}})");
    for (const char* host : {"index.docker.io", "registry-1.docker.io", "docker.io"}) {
        EXPECT_TRUE(DockerConfig::fromAuths(config, s(host))) << host;
        EXPECT_EQ(DockerConfig::helperFor(config, s(host)), s("hub"));
        EXPECT_EQ(DockerConfig::serverAddress(s(host)), s("https://index.docker.io/v1/"));
    }
    EXPECT_FALSE(DockerConfig::fromAuths(config, s("ghcr.io")));
}

TEST(DockerConfig, KeysWithASchemeAndPathNameTheSameHost) {
    const QByteArray auth = QByteArrayLiteral("u:p").toBase64();
    const QJsonObject config =
        parse(R"({"auths":{"https://127.0.0.1:5000/v2/":{"auth":")" + auth + R"("}}})");
    EXPECT_TRUE(DockerConfig::fromAuths(config, s("127.0.0.1:5000")));
    EXPECT_FALSE(DockerConfig::fromAuths(config, s("127.0.0.1:5001")));
    EXPECT_FALSE(DockerConfig::fromAuths(config, s("127.0.0.1")));
}

TEST(DockerConfig, IdentityTokensAreTakenWithAndWithoutTheTokenUser) {
    const QByteArray user = QByteArrayLiteral("u:").toBase64();
    const QByteArray token = QByteArrayLiteral("<token>:abc").toBase64();
    const QJsonObject config = parse(R"({"auths":{"a.io":{"auth":")" + user +
                                     R"(","identitytoken":"refresh"},"b.io":{"auth":")" + token +
                                     R"("},"c.io":{},"d.io":{"auth":"!!!"},"e.io":3}})");
    const auto a = DockerConfig::fromAuths(config, s("a.io"));
    ASSERT_TRUE(a);
    EXPECT_EQ(a->identityToken, s("refresh"));
    const auto b = DockerConfig::fromAuths(config, s("b.io"));
    ASSERT_TRUE(b);
    EXPECT_EQ(b->identityToken, s("abc"));
    EXPECT_TRUE(b->password.isEmpty());
    for (const char* host : {"c.io", "d.io", "e.io"})
        EXPECT_FALSE(DockerConfig::fromAuths(config, s(host))) << host;
}

TEST_F(DockerConfigOnDisk, AMissingFileIsNoError) {
    const auto found = find("ghcr.io");
    ASSERT_TRUE(found);
    EXPECT_FALSE(*found);
}

TEST_F(DockerConfigOnDisk, ABrokenFileIsNamed) {
    writeConfig("{ nonsense");
    const auto found = find("ghcr.io");
    ASSERT_FALSE(found);
    EXPECT_TRUE(found.error().message.contains(m_directory.path()));
}

TEST_F(DockerConfigOnDisk, HomeIsUsedWithoutDockerConfig) {
    m_environment.remove(s("DOCKER_CONFIG"));
    m_environment.insert(s("HOME"), s("/home/somebody"));
    EXPECT_EQ(DockerConfig(m_environment).path(), s("/home/somebody/.docker/config.json"));
}

TEST_F(DockerConfigOnDisk, TheStoresHelperIsAskedWithTheHostAndOnlyItsStandardOutputIsRead) {
    writeConfig(R"({"auths":{"ghcr.io":{}},"credsStore":"box"})");
    writeHelper("box", R"sh(
read host
echo "noise before {" >&2
printf '{"ServerURL":"%s","Username":"%s","Secret":"s:%s"}' "$host" "$1" "$host"
echo "} noise after" >&2
)sh");
    const auto found = find("ghcr.io");
    ASSERT_TRUE(found) << found.error().message.toStdString();
    ASSERT_TRUE(*found);
    EXPECT_EQ((*found)->user, s("get"));
    EXPECT_EQ((*found)->password, s("s:ghcr.io"));
    EXPECT_TRUE((*found)->source.contains(s("box")));
}

TEST_F(DockerConfigOnDisk, AHelperThatKnowsNothingLeavesTheQuestionOpen) {
    writeConfig(R"({"credHelpers":{"ghcr.io":"empty"},"credsStore":"box"})");
    writeHelper("empty", "echo 'credentials not found in native keychain'; exit 1\n");
    writeHelper("box", R"sh(echo '{"Username":"<token>","Secret":"abc"}')sh");
    const auto found = find("ghcr.io");
    ASSERT_TRUE(found) << found.error().message.toStdString();
    ASSERT_TRUE(*found);
    EXPECT_EQ((*found)->identityToken, s("abc"));
}

TEST_F(DockerConfigOnDisk, AHelperSeesItsOwnTokensAndNotOurs) {
    m_environment.insert(s("TART_REGISTRY_PASSWORD"), s("one"));
    m_environment.insert(s("AWS_SESSION_TOKEN"), s("two"));
    m_environment.insert(s("HARMLESS"), s("kept"));
    writeConfig(R"({"credsStore":"box"})");
    writeHelper("box", R"sh(
printf '{"Username":"%s","Secret":"%s|%s"}' "$HARMLESS" "$TART_REGISTRY_PASSWORD$AWS_SESSION_TOKEN" "${PATH:+path}"
)sh");
    const auto found = find("ghcr.io");
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->user, s("kept"));
    EXPECT_EQ((*found)->password, s("two|path"));
}

TEST_F(DockerConfigOnDisk, FailingMissingAndTalkativeHelpersAreErrors) {
    writeHelper("fails", "echo 'the reason' >&2; exit 3\n");
    writeHelper("garbage", "echo no json\n");
    writeHelper("endless", "yes\n");
    const auto fails = askCredentialHelper(s("fails"), s("h"), m_environment);
    ASSERT_FALSE(fails);
    EXPECT_TRUE(fails.error().detail.contains(s("the reason")));
    EXPECT_EQ(askCredentialHelper(s("garbage"), s("h"), m_environment).error().kind,
              Error::Kind::Integrity);
    EXPECT_EQ(askCredentialHelper(s("endless"), s("h"), m_environment).error().kind,
              Error::Kind::Integrity);
    EXPECT_EQ(askCredentialHelper(s("missing"), s("h"), m_environment).error().kind,
              Error::Kind::NotFound);
}

TEST_F(DockerConfigOnDisk, AHelperThatHangsIsEnded) {
    writeHelper("hangs", "exec sleep 100\n");
    const auto hangs = askCredentialHelper(s("hangs"), s("h"), m_environment, 200);
    ASSERT_FALSE(hangs);
    EXPECT_EQ(hangs.error().kind, Error::Kind::Timeout);
}

TEST_F(DockerConfigOnDisk, HelperNamesCannotLeaveThePath) {
    for (const char* name : {"", "../x", "a/b", "a b", "x;y", "\xc3\xa9"}) {
        const auto refused = askCredentialHelper(s(name), s("h"), m_environment);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, Error::Kind::InvalidInput) << name;
    }
    m_environment.insert(s("PATH"), s(":."));
    writeHelper("box", "echo '{}'\n");
    EXPECT_EQ(askCredentialHelper(s("box"), s("h"), m_environment).error().kind,
              Error::Kind::NotFound);
}

} // namespace vitrine
