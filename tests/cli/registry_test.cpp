// SPDX-License-Identifier: Apache-2.0
// `login`, `pull`, `clone` and `logout` against Debian's docker-registry with htpasswd.
#include "tests/cli/command_line_support.h"

#include "tests/support/image_push.h"
#include "tests/support/mac_machine.h"
#include "tests/support/registry_server.h"
#include "tests/support/test_image.h"

#include <QJsonObject>

namespace vitrine::test {

namespace {

class RegistryCommands : public CommandLine {
protected:
    void SetUp() override {
        TestImage::Options options;
        options.disk = mixedDisk(6'000'000, 8);
        options.layerSize = 1 << 20;
        m_image = TestImage::make(options);
        const RegistryServer open({}, m_home.filePath(s("store")));
        ASSERT_TRUE(open.isUp());
        ImagePush target(open.host(), s("user/guest"));
        const auto pushed = target.image(m_image, s("latest"));
        ASSERT_TRUE(pushed) << pushed.error().message.toStdString();

        QProcess process;
        process.start(s("htpasswd"),
                      {s("-Bbc"), m_home.filePath(s("htpasswd")), s("reader"), s("pass:word")});
        ASSERT_TRUE(process.waitForFinished() && process.exitCode() == 0);
        m_registry =
            std::make_unique<RegistryServer>(QStringLiteral("  htpasswd: {realm: test, path: %1}\n")
                                                 .arg(m_home.filePath(s("htpasswd"))),
                                             m_home.filePath(s("store")));
        ASSERT_TRUE(m_registry->isUp());
    }
    [[nodiscard]] QString reference() const { return m_registry->host() + s("/user/guest:latest"); }
    Finished login(const char* password, const QStringList& more = {}) {
        return run(QStringList{s("login"),
                               m_registry->host(),
                               s("--insecure"),
                               s("--store=file"),
                               s("--username"),
                               s("reader"),
                               s("--password-stdin")} +
                       more,
                   QByteArray(password) + '\n');
    }
    Finished pull(const QStringList& more = {}) {
        return run(QStringList{s("pull"), s("--insecure"), reference()} + more);
    }

    TestImage m_image;
    std::unique_ptr<RegistryServer> m_registry;
};

} // namespace

TEST_F(RegistryCommands, AWrongLoginIsRefusedAndNotKept) {
    const Finished wrong = login("wrong");
    EXPECT_EQ(wrong.code, 1);
    EXPECT_FALSE(wrong.err.isEmpty());
    EXPECT_FALSE(QFile::exists(m_home.filePath(s("config/vitrine/credentials.json"))));
    const Finished anonymous = pull();
    EXPECT_EQ(anonymous.code, 1);
    EXPECT_EQ(run({"list", "--quiet"}).out, QByteArray());
}

TEST_F(RegistryCommands, LoginPullCloneAndLogout) {
    ASSERT_EQ(login("pass:word").code, 0);
    const Finished pulled = pull();
    ASSERT_EQ(pulled.code, 0) << pulled.err.toStdString();
    EXPECT_TRUE(pulled.out.isEmpty());
    EXPECT_TRUE(pulled.err.contains(reference().toUtf8()));
    EXPECT_FALSE(pulled.err.contains('\r')); // no terminal: plain lines
    EXPECT_TRUE(pulled.err.contains("100 %")) << pulled.err.toStdString();

    const QString byDigest = m_registry->host() + s("/user/guest@") + m_image.digest().toText();
    EXPECT_EQ(run({s("fqn"), reference()}).out, byDigest.toUtf8() + '\n');
    EXPECT_EQ(run({"list", "--quiet"}).out, (reference() + s("\n") + byDigest + s("\n")).toUtf8());
    EXPECT_TRUE(pull().err.contains("here already"));

    ASSERT_EQ(run({s("logout"), m_registry->host()}).code, 0);
    // The image is here, so the clone needs no network and no login.
    ASSERT_EQ(run({s("clone"), reference(), s("machine")}).code, 0);
    EXPECT_EQ(read(m_small.library.machinesPath() + s("/machine/disk.img")), m_image.disk);
    EXPECT_EQ(run({s("delete"), reference()}).code, 0);
    EXPECT_EQ(run({"list", "--quiet"}).out, QByteArray("machine\n"));
    EXPECT_EQ(pull().code, 1);
}

TEST_F(RegistryCommands, WhatWasSetForARegistryHoldsForEveryCommand) {
    ASSERT_EQ(login("pass:word").code, 0);
    const QString host = m_registry->host();
    const Finished refused = run({s("pull"), reference()}); // https
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("\"vitrinectl registry " + host.toUtf8() + " --insecure\""))
        << refused.err.toStdString();
    ASSERT_EQ(run({s("registry"), host, s("--insecure")}).code, 0);
    EXPECT_TRUE(run({s("registry")}).out.contains(host.toUtf8()));
    EXPECT_TRUE(run({s("registry"), host}).out.contains("http\n"));
    const Finished pulled = run({s("pull"), reference()});
    EXPECT_EQ(pulled.code, 0) << pulled.err.toStdString();
    // A proxy that nobody answers on is really asked.
    ASSERT_EQ(run({s("delete"), reference()}).code, 0);
    ASSERT_EQ(run({s("registry"), host, s("--proxy"), s("http://127.0.0.1:9")}).code, 0);
    EXPECT_EQ(run({s("registry"), host, s("--no-insecure"), s("--forget")}).code, 64);
    const QJsonObject set =
        QJsonDocument::fromJson(run({s("registry"), host, s("--format"), s("json")}).out).object();
    EXPECT_EQ(set[s("Proxy")].toString(), s("http://127.0.0.1:9"));
    ASSERT_EQ(run({s("registry"), host, s("--forget")}).code, 0);
    // "Does not exist" (2) is said of machines and cached images only.
    EXPECT_EQ(run({s("pull"), s("--insecure"), host + s("/nothing/there:latest")}).code, 1);
    EXPECT_EQ(run({s("pull"), reference()}).code, 1);
    EXPECT_EQ(run({s("registry"), host, s("--proxy"), s("nonsense")}).code, 64);
    EXPECT_EQ(run({s("registry"), host, s("--ca"), s("/nonexistent.pem")}).code, 64);
}

TEST_F(RegistryCommands, APrivateAuthorityIsTrustedOnceItIsSet) {
    const TestCertificates certificates;
    ASSERT_TRUE(certificates.areMade());
    const TlsFront front(certificates, m_registry->port());
    ASSERT_TRUE(front.isUp());
    const auto signIn = [&] {
        return run({s("login"),
                    front.host(),
                    s("--store=file"),
                    s("--username"),
                    s("reader"),
                    s("--password-stdin")},
                   "pass:word\n");
    };
    const Finished unknown = signIn();
    EXPECT_EQ(unknown.code, 1);
    EXPECT_TRUE(
        unknown.err.contains("\"vitrinectl registry " + front.host().toUtf8() + " --ca FILE\""))
        << unknown.err.toStdString();
    ASSERT_EQ(run({s("registry"), front.host(), s("--ca"), certificates.authority()}).code, 0);
    EXPECT_EQ(signIn().code, 0);
    ASSERT_EQ(run({s("registry"), front.host(), s("--forget")}).code, 0);
    EXPECT_EQ(signIn().code, 1);
    // Where Podman keeps it.
    const QString folder = m_home.filePath(s("config/containers/certs.d/") + front.host());
    ASSERT_TRUE(QDir().mkpath(folder));
    ASSERT_TRUE(QFile::copy(certificates.authority(), folder + s("/ca.crt")));
    EXPECT_EQ(signIn().code, 0);
}

TEST_F(RegistryCommands, CloneFetchesAnImageThatIsNotHere) {
    ASSERT_EQ(login("pass:word").code, 0);
    const Finished cloned =
        run({s("clone"), s("--insecure"), s("--progress"), s("json"), reference(), s("machine")});
    ASSERT_EQ(cloned.code, 0) << cloned.out.toStdString();
    EXPECT_EQ(read(m_small.library.machinesPath() + s("/machine/disk.img")), m_image.disk);
    bool complete = false;
    for (const QByteArray& line : cloned.out.trimmed().split('\n')) {
        const QJsonObject update = QJsonDocument::fromJson(line).object();
        const qint64 done = update[s("done")].toInteger(-1);
        complete = complete || (done > 0 && done == update[s("total")].toInteger());
    }
    EXPECT_TRUE(complete);
}

TEST_F(RegistryCommands, TheEnvironmentsLoginServesItsHostOnly) {
    m_environment.insert(s("TART_REGISTRY_USERNAME"), s("reader"));
    m_environment.insert(s("TART_REGISTRY_PASSWORD"), s("pass:word"));
    m_environment.insert(s("TART_REGISTRY_HOSTNAME"), s("ghcr.io"));
    EXPECT_EQ(pull().code, 1);
    m_environment.remove(s("TART_REGISTRY_HOSTNAME"));
    EXPECT_EQ(pull().code, 0);
}

TEST_F(RegistryCommands, AMacImageArrivesAsItWasPushed) {
    TestImage::Options options;
    options.disk = mixedDisk(3'000'000, 9);
    options.layerSize = 1 << 20;
    options.config = MacMachine::config();
    options.nvram = MacMachine::nvram();
    const TestImage image = TestImage::make(options);
    const RegistryServer open({}, m_home.filePath(s("mac-store")));
    ASSERT_TRUE(open.isUp());
    const QString mac = open.host() + s("/user/mac:latest");
    ASSERT_TRUE(ImagePush(open.host(), s("user/mac")).image(image, s("latest")));
    const Finished pulled = run({s("pull"), s("--insecure"), mac});
    ASSERT_EQ(pulled.code, 0) << pulled.err.toStdString();
    const auto found = m_small.library.find(mac);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->config->system, GuestSystem::Darwin);
    EXPECT_EQ(found->config->ecid, MacMachine::ecid());
    EXPECT_EQ(found->config->hardwareModel, MacMachine::hardwareModel());
    EXPECT_EQ(read(found->directory + s("/config.json")), MacMachine::config());
    EXPECT_EQ(read(found->directory + s("/nvram.bin")), MacMachine::nvram());
    EXPECT_EQ(read(found->directory + s("/disk.img")), image.disk);

    ASSERT_EQ(run({s("clone"), mac, s("machine")}).code, 0);
    const QString machine = m_small.library.machinesPath() + s("/machine");
    EXPECT_EQ(read(machine + s("/nvram.bin")), MacMachine::nvram());
    EXPECT_EQ(MacMachine::bytesOf(read(machine + s("/config.json")), "hardwareModel"),
              MacMachine::hardwareModel());
    EXPECT_EQ(run({"run", "machine", "--no-graphics"}).code, 1);
}

} // namespace vitrine::test
