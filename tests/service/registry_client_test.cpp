// SPDX-License-Identifier: Apache-2.0
#include "core/registry/registry_client.h"

#include "tests/service/pull_fixture.h"

#include <QDir>

#include <atomic>

namespace vitrine::test {
namespace {

class RegistryClientTest : public PullTest {
protected:
    // The registry's blobs lead to `storage`, a plain server that sends whatever is asked for.
    HttpStub storage{[this](const StubRequest& request, StubConnection& connection) {
        const QByteArray hex = request.path().split('/').last();
        const auto digest = Sha256::fromText(QString::fromLatin1(hex));
        if (failStorage > 0) {
            --failStorage;
            connection.answer(403, {}, "<Error>expired</Error>");
            return;
        }
        connection.answer(200, {}, image.blobs.value(digest.value_or(Sha256()), "nothing"));
    }};
    std::unique_ptr<FaultProxy> redirecting(const QByteArray& location) {
        return std::make_unique<FaultProxy>(
            registry().port(), [location](const StubRequest& request) {
                Fault fault;
                if (request.target.contains("/blobs/")) {
                    fault.status = 307;
                    fault.headers = {
                        {"Location",
                         location + request.target.split('/').last() + "?signed=secret"}};
                }
                return fault;
            });
    }
    QByteArray storageUrl() const { return "http://" + storage.host().toLatin1() + "/bucket/"; }

    // A registry of one manifest.
    static Result<PulledImage> pullManifest(Library& library,
                                            const QByteArray& type,
                                            const QByteArray& bytes,
                                            const QByteArray& digest = {},
                                            const QString& reference = QStringLiteral("x:y")) {
        HttpStub server([&](const StubRequest&, StubConnection& connection) {
            QList<QPair<QByteArray, QByteArray>> headers{{"Content-Type", type}};
            if (!digest.isEmpty())
                headers.append({"Docker-Content-Digest", digest});
            connection.answer(200, headers, bytes);
        });
        return pullImage(library, request(server.host(), reference), JobContext());
    }

    TestImage image = TestImage::make({mixedDisk(2'000'000, 5)});
    std::atomic<int> failStorage{0};
};

TEST_F(RegistryClientTest, ARedirectToAnotherHostCarriesNoAuthorization) {
    push(image, QStringLiteral("moved:latest"));
    std::unique_ptr<FaultProxy> back = redirecting(storageUrl());
    HttpStub front([&](const StubRequest& request, StubConnection& connection) {
        if (request.header("Authorization") != "Basic " + QByteArray("u:p").toBase64()) {
            connection.answer(401, {{"WWW-Authenticate", "Basic realm=\"x\""}}, "{}");
            return;
        }
        if (request.target.contains("/blobs/"))
            connection.answer(
                307,
                {{"Location", storageUrl() + request.target.split('/').last() + "?signed=secret"},
                 {"Set-Cookie", "sid=1"}},
                {});
        else
            connection.answer(200,
                              {{"Content-Type", "application/vnd.oci.image.manifest.v1+json"},
                               {"Set-Cookie", "sid=1"}},
                              image.manifest);
    });
    PullRequest what = request(front.host(), QStringLiteral("moved:latest"));
    what.registry.credentials = [](const QString&) -> Result<std::optional<Credentials>> {
        Credentials login;
        login.user = QStringLiteral("u");
        login.password = QStringLiteral("p");
        return login;
    };
    expectImage(pull(what), image);
    ASSERT_FALSE(storage.requests().isEmpty());
    for (const StubRequest& request : storage.requests()) {
        EXPECT_TRUE(request.header("Authorization").isEmpty());
        EXPECT_TRUE(request.target.endsWith("?signed=secret"));
        EXPECT_TRUE(request.header("Cookie").isEmpty());
    }
    for (const StubRequest& request : front.requests())
        EXPECT_TRUE(request.header("Cookie").isEmpty());
    EXPECT_TRUE(log.filter(QStringLiteral("secret")).isEmpty()) << "signatures stay out of the log";
}

TEST_F(RegistryClientTest, ASignedAddressThatRanOutIsAskedForAgain) {
    push(image, QStringLiteral("moved:latest"));
    const auto proxy = redirecting(storageUrl());
    failStorage = 3;
    expectImage(pull(proxy->host(), QStringLiteral("moved:latest")), image);
}

TEST_F(RegistryClientTest, FiveRedirectsAreFollowedAndSixAreNot) {
    push(image, QStringLiteral("moved:latest"));
    for (const int hops : {5, 6}) {
        FaultProxy proxy(registry().port(), [&](const StubRequest& request) {
            Fault fault;
            const int done = request.target.mid(request.target.indexOf('?') + 1).toInt();
            if (request.target.contains("/blobs/") && done < hops) {
                fault.status = 302;
                fault.headers = {{"Location", request.path() + '?' + QByteArray::number(done + 1)}};
            }
            return fault;
        });
        const auto pulled = pull(proxy.host(), QStringLiteral("moved:latest"));
        if (hops == 5) {
            expectImage(pulled, image);
            ASSERT_TRUE(QDir(library.imagesPath()).removeRecursively());
        } else {
            expectFailure(pulled, Error::Kind::Network);
        }
    }
}

TEST_F(RegistryClientTest, ARedirectFromHttpsToHttpIsRefused) {
    push(image, QStringLiteral("moved:latest"));
    const TestCertificates certificates;
    ASSERT_TRUE(certificates.areMade());
    const auto proxy = redirecting(storageUrl());
    const TlsFront front(certificates, proxy->port());
    ASSERT_TRUE(front.isUp());
    PullRequest what = request(front.host(), QStringLiteral("moved:latest"));
    what.registry.insecure = false;
    what.registry.caFile = certificates.authority();
    expectFailure(pull(what), Error::Kind::Network);
    EXPECT_TRUE(storage.requests().isEmpty());
}

TEST_F(RegistryClientTest, ARedirectToNowhereIsAnError) {
    push(image, QStringLiteral("moved:latest"));
    for (const char* location : {"ftp://x/", "file:///etc/passwd?", "http://:0/", "::"}) {
        const auto proxy = redirecting(location);
        const auto pulled = pull(proxy->host(), QStringLiteral("moved:latest"));
        ASSERT_FALSE(pulled) << location;
    }
}

TEST_F(RegistryClientTest, AnImageThatIsNotThereIsNotFound) {
    expectFailure(pull(registry().host(), QStringLiteral("nothing:here")), Error::Kind::NotFound);
}

TEST_F(RegistryClientTest, AnIndexIsRefusedInPlainWords) {
    const auto pulled =
        pullManifest(library, "application/vnd.oci.image.index.v1+json", R"({"manifests":[]})");
    expectFailure(pulled, Error::Kind::Unsupported);
    EXPECT_TRUE(pulled.error().message.contains(QStringLiteral("platforms")));
}

TEST_F(RegistryClientTest, AContainerImageIsRefusedAsNoMachine) {
    const QByteArray manifest =
        R"({"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":0},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":0}]})";
    expectFailure(pullManifest(library, "application/vnd.oci.image.manifest.v1+json", manifest),
                  Error::Kind::Unsupported);
}

TEST_F(RegistryClientTest, OldDiskLayersAreRefusedWithAHint) {
    for (TestImage::Layer& layer : image.layers)
        layer.mediaType.replace(QLatin1String("disk.v2"), QLatin1String("disk.v1"));
    image.rebuildManifest();
    expectFailure(
        pullManifest(library, "application/vnd.oci.image.manifest.v1+json", image.manifest),
        Error::Kind::Unsupported);
}

TEST_F(RegistryClientTest, AWebPageIsNoRegistry) {
    expectFailure(pullManifest(library, "text/html", "<html>hello</html>"),
                  Error::Kind::Unsupported);
}

TEST_F(RegistryClientTest, AnotherManifestThanTheOneAskedForIsRefused) {
    const QString asked = QLatin1String("x@") + Sha256::ofBytes("other").toText();
    expectFailure(
        pullManifest(
            library, "application/vnd.oci.image.manifest.v1+json", image.manifest, {}, asked),
        Error::Kind::Integrity);
}

TEST_F(RegistryClientTest, AManifestThatBelongsToAnotherDigestFieldIsRefused) {
    expectFailure(pullManifest(library,
                               "application/vnd.oci.image.manifest.v1+json",
                               image.manifest,
                               Sha256::ofBytes("other").toText().toLatin1()),
                  Error::Kind::Integrity);
}

TEST_F(RegistryClientTest, ALayerThatIsLongerThanItSaysDoesNotTouchItsNeighbour) {
    // The blob decodes to more than the annotation says: W4.
    TestImage bad = image;
    bad.layers[1].plainSize -= 65536;
    bad.disk.truncate(bad.disk.size() - 65536);
    bad.rebuildManifest();
    push(bad, QStringLiteral("bad:long"));
    expectFailure(pull(registry().host(), QStringLiteral("bad:long")), Error::Kind::Integrity);
}

TEST_F(RegistryClientTest, ALayerWithAnotherPlainDigestIsRefused) {
    TestImage bad = image;
    bad.layers[1].plainDigest = Sha256::ofBytes("other");
    bad.rebuildManifest();
    push(bad, QStringLiteral("bad:digest"));
    expectFailure(pull(registry().host(), QStringLiteral("bad:digest")), Error::Kind::Integrity);
}

TEST_F(RegistryClientTest, AConfigurationOfNoMachineIsRefused) {
    for (const QByteArray& config : {QByteArray("{}"), QByteArray("no json"), [] {
                                         QByteArray text = TestImage::defaultConfig();
                                         return text.replace(R"("raw")", R"("qcow2")");
                                     }()}) {
        TestImage::Options options;
        options.disk = mixedDisk(100'000, 1);
        options.config = config;
        options.formatLabel.clear();
        const TestImage bad = TestImage::make(options);
        push(bad, QStringLiteral("bad:config"));
        const auto pulled = pull(registry().host(), QStringLiteral("bad:config"));
        expectFailure(pulled, Error::Kind::Unsupported);
        const QString& text = pulled.error().message;
        EXPECT_FALSE(text.contains(QLatin1String("a copy"))) << qPrintable(text);
        EXPECT_TRUE(text.contains(QLatin1String("push it again"))) << qPrintable(text);
        EXPECT_FALSE(QFileInfo::exists(partial(bad))) << "it will never be of use";
    }
}

TEST_F(RegistryClientTest, ALabelThatContradictsTheConfigurationIsRefused) {
    TestImage::Options options;
    options.disk = mixedDisk(100'000, 1);
    options.formatLabel = QStringLiteral("asif");
    const TestImage bad = TestImage::make(options);
    push(bad, QStringLiteral("bad:label"));
    expectFailure(pull(registry().host(), QStringLiteral("bad:label")), Error::Kind::Integrity);
    EXPECT_FALSE(QFileInfo::exists(partial(bad))) << "it will never be of use";
}

TEST_F(RegistryClientTest, AnEndlessAnswerIsNotReadToItsEnd) {
    HttpStub server([](const StubRequest&, StubConnection& connection) {
        connection.write(
            "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.oci.image.manifest.v1+json\r\n"
            "Connection: close\r\n\r\n");
        const QByteArray piece(1 << 20, ' ');
        while (connection.write(piece)) {
        }
    });
    expectFailure(pull(server.host(), QStringLiteral("x:y")), Error::Kind::Integrity);
}

TEST_F(RegistryClientTest, RubbishInsteadOfHttpIsAnError) {
    HttpStub server([](const StubRequest&, StubConnection& connection) {
        connection.write(QByteArray(100'000, '\xff'));
    });
    expectFailure(pull(server.host(), QStringLiteral("x:y")), Error::Kind::Network);
}

} // namespace
} // namespace vitrine::test
