// SPDX-License-Identifier: Apache-2.0
#include "tests/service/pull_fixture.h"

#include <QProcess>

#include <atomic>

namespace vitrine::test {
namespace {

const TestImage& smallImage() {
    static const TestImage image = [] {
        TestImage::Options options;
        options.disk = mixedDisk(3'000'000, 5);
        options.layerSize = 512 * 1024;
        return TestImage::make(options);
    }();
    return image;
}

Credentials login(const QString& user, const QString& password) {
    Credentials credentials;
    credentials.user = user;
    credentials.password = password;
    credentials.source = QStringLiteral("the test");
    return credentials;
}

std::function<Result<std::optional<Credentials>>(const QString&)> always(const Credentials& given) {
    return [given](const QString&) -> Result<std::optional<Credentials>> { return given; };
}

// Every registry of these tests serves the store that the open one was filled through.
class RegistryAuthTest : public PullTest {
protected:
    static void SetUpTestSuite() {
        PullTest::SetUpTestSuite();
        s_certificates = new TestCertificates();
    }
    static void TearDownTestSuite() {
        delete s_certificates;
        PullTest::TearDownTestSuite();
    }
    void SetUp() override {
        PullTest::SetUp();
        ASSERT_TRUE(s_certificates->areMade());
        push(smallImage(), QStringLiteral("private:latest"));
    }
    static const TestCertificates& certificates() { return *s_certificates; }

    // htpasswd with user "reader", password "pass:word".
    std::unique_ptr<RegistryServer> basicRegistry() {
        const QString path = directory.filePath(QStringLiteral("htpasswd"));
        QProcess process;
        process.start(
            QStringLiteral("htpasswd"),
            {QStringLiteral("-Bbc"), path, QStringLiteral("reader"), QStringLiteral("pass:word")});
        EXPECT_TRUE(process.waitForFinished() && process.exitCode() == 0);
        return std::make_unique<RegistryServer>(
            QStringLiteral("  htpasswd: {realm: test, path: %1}\n").arg(path), registry().store());
    }
    static PullRequest privateImage(const QString& host) {
        return request(host, QStringLiteral("private:latest"));
    }

private:
    static inline TestCertificates* s_certificates = nullptr;
};

TEST_F(RegistryAuthTest, BasicOverTlsNeedsTheCertificateAuthorityAndThePassword) {
    const auto server = basicRegistry();
    ASSERT_TRUE(server->isUp());
    const TlsFront front(certificates(), server->port());
    ASSERT_TRUE(front.isUp());
    PullRequest what = privateImage(front.host());
    what.registry.insecure = false;

    expectFailure(pull(what), Error::Kind::Network); // unknown authority
    EXPECT_TRUE(log.filter(QStringLiteral("/blobs/")).isEmpty());
    what.registry.caFile = QStringLiteral("/nonexistent.pem");
    expectFailure(pull(what), Error::Kind::InvalidInput);
    what.registry.caFile = certificates().authority();
    expectFailure(pull(what), Error::Kind::Unauthorized); // nobody
    what.registry.credentials = always(login(QStringLiteral("reader"), QStringLiteral("wrong")));
    const auto wrong = pull(what);
    expectFailure(wrong, Error::Kind::Unauthorized);
    EXPECT_TRUE(wrong.error().message.contains(QStringLiteral("the test")));
    what.registry.credentials =
        always(login(QStringLiteral("reader"), QStringLiteral("pass:word")));
    const auto plan = planPull(library, what, context());
    ASSERT_TRUE(plan) << qPrintable(plan.error().message);
    EXPECT_EQ(plan->credentialsSource, QStringLiteral("the test"));
    expectImage(pull(what), smallImage());
}

TEST_F(RegistryAuthTest, LoginsAreValidated) {
    const auto server = basicRegistry();
    ASSERT_TRUE(server->isUp());
    RegistryOptions options;
    options.insecure = true;
    options.retry.delayScale = 0.01;
    options.credentials = always(login(QStringLiteral("reader"), QStringLiteral("pass:word")));
    EXPECT_TRUE(validateLogin(server->host(), options));
    EXPECT_TRUE(validateLogin(registry().host(), options)); // open to all
    options.credentials = always(login(QStringLiteral("reader"), QStringLiteral("wrong")));
    const auto wrong = validateLogin(server->host(), options);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, Error::Kind::Unauthorized);
    const auto nowhere = validateLogin(QStringLiteral("127.0.0.1:1"), options);
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().kind, Error::Kind::Network);
}

TEST_F(RegistryAuthTest, AFailingCredentialSourceIsTheError) {
    const auto server = basicRegistry();
    ASSERT_TRUE(server->isUp());
    PullRequest what = privateImage(server->host());
    what.registry.credentials = [](const QString&) -> Result<std::optional<Credentials>> {
        return fail(Error::Kind::Permission, QStringLiteral("locked"));
    };
    expectFailure(pull(what), Error::Kind::Permission);
}

class TokenTest : public RegistryAuthTest {
protected:
    void SetUp() override {
        RegistryAuthTest::SetUp();
        tokens = std::make_unique<TokenServer>(certificates());
        server = std::make_unique<RegistryServer>(tokens->authBlock(), registry().store());
        ASSERT_TRUE(server->isUp());
        what = privateImage(server->host());
        what->registry.credentials =
            always(login(QStringLiteral("reader"), QStringLiteral("secret:with:colons")));
    }
    std::unique_ptr<TokenServer> tokens;
    std::unique_ptr<RegistryServer> server;
    std::optional<PullRequest> what;
};

TEST_F(TokenTest, OneTokenServesAllWorkers) {
    expectImage(pull(*what), smallImage());
    const auto requests = tokens->http().requests();
    ASSERT_EQ(requests.size(), 1);
    // The realm's own query stays, the scope is the registry's.
    EXPECT_TRUE(requests.first().target.contains("account=test"));
    EXPECT_TRUE(requests.first().target.contains("service=test%20registry"));
    EXPECT_TRUE(requests.first().target.contains("scope=repository%3Aprivate%3Apull"));
    EXPECT_FALSE(requests.first().header("Authorization").startsWith("Bearer"));
}

TEST_F(TokenTest, AnonymousTokensAreFetchedToo) {
    tokens->allowAnonymous = true;
    what->registry.credentials = {};
    expectImage(pull(*what), smallImage());
    const auto plan = planPull(library, *what, context());
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->credentialsSource.isEmpty());
}

TEST_F(TokenTest, AShortTokenIsRenewedOnTheWay) {
    tokens->lifetime = 1;
    expectImage(pull(*what), smallImage());
}

TEST_F(TokenTest, ARefreshTokenIsPosted) {
    Credentials refresh;
    refresh.identityToken = QStringLiteral("refresh me");
    refresh.source = QStringLiteral("the test");
    what->registry.credentials = always(refresh);
    expectImage(pull(*what), smallImage());
    EXPECT_EQ(tokens->http().requests().first().method, "POST");
}

TEST_F(TokenTest, AWrongPasswordNamesRealmAndScope) {
    what->registry.credentials = always(login(QStringLiteral("reader"), QStringLiteral("no")));
    const auto pulled = pull(*what);
    expectFailure(pulled, Error::Kind::Unauthorized);
    EXPECT_TRUE(pulled.error().message.contains(tokens->http().host()));
    EXPECT_TRUE(pulled.error().message.contains(QStringLiteral("repository:private:pull")));
    EXPECT_EQ(tokens->http().requests().size(), 1) << "a refusal is not repeated";
}

TEST_F(TokenTest, AnonymousWithoutRightsIsAskedToSignIn) {
    what->registry.credentials = {};
    expectFailure(pull(*what), Error::Kind::Unauthorized);
}

// A registry that wants a token from wherever the test says.
class RealmTest : public RegistryAuthTest {
protected:
    std::unique_ptr<HttpStub> registryWith(const QByteArray& challenge) {
        return std::make_unique<HttpStub>(
            [challenge](const StubRequest& request, StubConnection& connection) {
                if (request.header("Authorization") == "Bearer good")
                    connection.answer(404, {}, "{}");
                else
                    connection.answer(401, {{"WWW-Authenticate", challenge}}, "{}");
            });
    }
    HttpStub realm{[](const StubRequest&, StubConnection& connection) {
        connection.answer(200, {}, R"({"token":"good"})");
    }};
    QByteArray localhostRealm() const {
        return "Bearer realm=\"http://localhost:" + QByteArray::number(realm.port()) +
               "/token\",service=\"s\",scope=\"x\"";
    }
};

TEST_F(RealmTest, AForeignRealmIsAskedForOnceAndMayBeRefused) {
    const auto server = registryWith(localhostRealm());
    PullRequest what = privateImage(server->host());
    what.registry.credentials = always(login(QStringLiteral("u"), QStringLiteral("p")));
    QStringList asked;
    bool allow = false;
    what.registry.consentToRealm = [&](const QString& host, const QString& other) {
        asked += host + QLatin1Char('>') + other;
        return allow;
    };
    expectFailure(pull(what), Error::Kind::Unauthorized);
    EXPECT_TRUE(realm.requests().isEmpty());
    EXPECT_EQ(asked, QStringList(server->host() + QLatin1String(">localhost")));
    allow = true;
    expectFailure(pull(what), Error::Kind::NotFound); // signed in, no such image
    EXPECT_EQ(asked.size(), 2);
    EXPECT_TRUE(realm.requests().first().header("Authorization").startsWith("Basic "));
}

TEST_F(RealmTest, WithoutAnyoneToAskAForeignRealmGetsNoCredentials) {
    const auto server = registryWith(localhostRealm());
    PullRequest what = privateImage(server->host());
    what.registry.credentials = always(login(QStringLiteral("u"), QStringLiteral("p")));
    expectFailure(pull(what), Error::Kind::NotFound);
    EXPECT_TRUE(realm.requests().first().header("Authorization").isEmpty());
}

TEST_F(RealmTest, CredentialsBoundToTheRegistryGoToNoOtherOrigin) {
    const auto server =
        registryWith("Bearer realm=\"http://" + realm.host().toLatin1() + "/token\"");
    PullRequest what = privateImage(server->host());
    Credentials bound = login(QStringLiteral("u"), QStringLiteral("p"));
    bound.registryOriginOnly = true;
    what.registry.credentials = always(bound);
    what.registry.consentToRealm = [](const QString&, const QString&) { return true; };
    expectFailure(pull(what), Error::Kind::NotFound);
    EXPECT_TRUE(realm.requests().first().header("Authorization").isEmpty());
}

TEST_F(RealmTest, AnUnencryptedRealmIsRefusedByASecureRegistry) {
    const auto server = registryWith(
        "Bearer realm=\"http://localhost:" + QByteArray::number(realm.port()) + "/t\"");
    const TlsFront front(certificates(), server->port());
    ASSERT_TRUE(front.isUp());
    PullRequest what = privateImage(front.host());
    what.registry.insecure = false;
    what.registry.caFile = certificates().authority();
    what.registry.credentials = always(login(QStringLiteral("u"), QStringLiteral("p")));
    expectFailure(pull(what), Error::Kind::Network);
    EXPECT_TRUE(realm.requests().isEmpty());
}

TEST_F(RealmTest, BearerIsPreferredAmongSeveralChallenges) {
    const auto server = registryWith("Negotiate, Basic realm=\"x\", Bearer realm=\"http://" +
                                     realm.host().toLatin1() + "/token\" , scope = \"y\"");
    expectFailure(pull(privateImage(server->host())), Error::Kind::NotFound);
    EXPECT_TRUE(realm.requests().first().target.contains("scope=y"));
}

TEST_F(RealmTest, ChallengesThatNobodyKnowsAreAnError) {
    for (const char* challenge : {"",
                                  "Negotiate",
                                  "Bearer service=\"x\"",
                                  "Bearer realm=\"ftp://x/\"",
                                  "Bearer realm=\"no address\"",
                                  "Bearer realm=\"unended"}) {
        const auto server = registryWith(challenge);
        const auto pulled = pull(privateImage(server->host()));
        ASSERT_FALSE(pulled) << challenge;
        EXPECT_TRUE(pulled.error().kind == Error::Kind::Unauthorized ||
                    pulled.error().kind == Error::Kind::Network)
            << challenge;
    }
}

TEST_F(RealmTest, ARefusedTokenIsNotTriedForever) {
    HttpStub server([this](const StubRequest&, StubConnection& connection) {
        connection.answer(401, {{"WWW-Authenticate", localhostRealm()}}, "{}");
    });
    expectFailure(pull(privateImage(server.host())), Error::Kind::Unauthorized);
    EXPECT_EQ(server.requests().size(), 2);
}

} // namespace
} // namespace vitrine::test
