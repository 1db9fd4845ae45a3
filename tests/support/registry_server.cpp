// SPDX-License-Identifier: Apache-2.0
#include "tests/support/registry_server.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSslCertificate>
#include <QStandardPaths>
#include <QTcpSocket>
#include <QUrlQuery>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vitrine::test {
namespace {

constexpr int startMilliseconds = 20000;

bool writeFile(const QString& path, const QString& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) >= 0;
}

// True when the process serves the port. The wait between two tries ends at once when it dies.
bool waitForPort(QProcess& process, int port) {
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < startMilliseconds) {
        QTcpSocket socket;
        socket.connectToHost(QStringLiteral("127.0.0.1"), static_cast<quint16>(port));
        if (socket.waitForConnected(200))
            return process.state() == QProcess::Running;
        if (process.state() == QProcess::NotRunning || process.waitForFinished(20))
            return false;
    }
    return false;
}

void stop(QProcess& process) {
    if (process.state() == QProcess::NotRunning)
        return;
    process.terminate();
    if (!process.waitForFinished(5000)) {
        process.kill();
        process.waitForFinished(5000);
    }
}

QByteArray base64Url(const QByteArray& bytes) {
    return bytes.toBase64(QByteArray::Base64UrlEncoding | QByteArray::OmitTrailingEquals);
}

QByteArray readFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// RS256.
QByteArray sign(const QByteArray& text, const QString& keyPath) {
    const QByteArray pem = readFile(keyPath);
    BIO* const memory = BIO_new_mem_buf(pem.constData(), static_cast<int>(pem.size()));
    EVP_PKEY* const key = PEM_read_bio_PrivateKey(memory, nullptr, nullptr, nullptr);
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    size_t size = 0;
    QByteArray signature;
    const auto* const data = reinterpret_cast<const unsigned char*>(text.constData());
    const auto length = static_cast<size_t>(text.size());
    if (key != nullptr && EVP_DigestSignInit(context, nullptr, EVP_sha256(), nullptr, key) == 1 &&
        EVP_DigestSign(context, nullptr, &size, data, length) == 1) {
        signature.resize(static_cast<qsizetype>(size));
        if (EVP_DigestSign(
                context, reinterpret_cast<unsigned char*>(signature.data()), &size, data, length) !=
            1)
            signature.clear();
        signature.truncate(static_cast<qsizetype>(size));
    }
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    BIO_free(memory);
    return signature;
}

} // namespace

int freePort() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    int port = 0;
    if (::bind(fd, generic, size) == 0 && ::getsockname(fd, generic, &size) == 0)
        port = ntohs(address.sin_port);
    ::close(fd);
    return port;
}

RegistryServer::RegistryServer(const QString& auth, const QString& store)
    : m_store(store.isEmpty() ? m_directory.filePath(QStringLiteral("store")) : store)
    , m_port(freePort()) {
    QString config = QStringLiteral("version: 0.1\n"
                                    "log: {level: error, accesslog: {disabled: true}}\n"
                                    "storage: {filesystem: {rootdirectory: %1}}\n"
                                    "http: {addr: '127.0.0.1:%2', relativeurls: true}\n")
                         .arg(m_store)
                         .arg(m_port);
    if (!auth.isEmpty())
        config += QLatin1String("auth:\n") + auth;
    const QString path = m_directory.filePath(QStringLiteral("config.yml"));
    if (!writeFile(path, config))
        return;
    m_process.setStandardErrorFile(m_directory.filePath(QStringLiteral("log")));
    m_process.start(QStringLiteral("docker-registry"), {QStringLiteral("serve"), path});
    m_up = m_process.waitForStarted() && waitForPort(m_process, m_port);
}

RegistryServer::~RegistryServer() {
    stop(m_process);
}

TestCertificates::TestCertificates() {
    const auto openssl = [this](const QString& arguments) {
        QProcess process;
        process.setWorkingDirectory(m_directory.path());
        process.start(QStringLiteral("openssl"), QProcess::splitCommand(arguments));
        return process.waitForFinished(startMilliseconds) && process.exitCode() == 0;
    };
    m_made =
        openssl(QStringLiteral("req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem "
                               "-days 2 -subj \"/CN=Test authority\"")) &&
        openssl(QStringLiteral("req -newkey rsa:2048 -nodes -keyout server.key -out server.csr "
                               "-subj /CN=localhost")) &&
        writeFile(m_directory.filePath(QStringLiteral("server.ext")),
                  QStringLiteral("subjectAltName=DNS:localhost,IP:127.0.0.1\n")) &&
        openssl(QStringLiteral("x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial "
                               "-out server.pem -days 2 -extfile server.ext"));
}

TlsFront::TlsFront(const TestCertificates& certificates, int upstreamPort)
    : m_port(freePort()) {
    const QString config =
        QStringLiteral("daemon off; master_process off; pid %1/pid; error_log %1/error.log;\n"
                       "events {}\n"
                       "http {\n"
                       "  access_log off; client_max_body_size 0;\n"
                       "  client_body_temp_path %1/body; proxy_temp_path %1/proxy;\n"
                       "  fastcgi_temp_path %1/fastcgi; uwsgi_temp_path %1/uwsgi;\n"
                       "  scgi_temp_path %1/scgi;\n"
                       "  server {\n"
                       "    listen 127.0.0.1:%2 ssl;\n"
                       "    ssl_certificate %3; ssl_certificate_key %4;\n"
                       "    location / {\n"
                       "      proxy_pass http://127.0.0.1:%5;\n"
                       "      proxy_set_header Host $http_host;\n"
                       "      proxy_set_header X-Forwarded-Proto https;\n"
                       "      proxy_buffering off;\n"
                       "    }\n"
                       "  }\n"
                       "}\n")
            .arg(m_directory.path())
            .arg(m_port)
            .arg(certificates.certificate(), certificates.key())
            .arg(upstreamPort);
    const QString path = m_directory.filePath(QStringLiteral("nginx.conf"));
    if (!writeFile(path, config))
        return;
    // An ordinary user's PATH may lack /usr/sbin.
    QString program = QStandardPaths::findExecutable(QStringLiteral("nginx"));
    if (program.isEmpty())
        program = QStringLiteral("/usr/sbin/nginx");
    m_process.start(program,
                    {QStringLiteral("-e"),
                     m_directory.filePath(QStringLiteral("error.log")),
                     QStringLiteral("-p"),
                     m_directory.path(),
                     QStringLiteral("-c"),
                     path});
    m_up = m_process.waitForStarted() && waitForPort(m_process, m_port);
}

TlsFront::~TlsFront() {
    stop(m_process);
}

TokenServer::TokenServer(const TestCertificates& certificates)
    : m_certificates(certificates)
    , m_http(std::make_unique<HttpStub>(
          [this](const StubRequest& request, StubConnection& connection) {
              answer(request, connection);
          })) {}

QString TokenServer::authBlock() const {
    return QStringLiteral("  token:\n"
                          "    realm: http://%1/token?account=test\n"
                          "    service: test registry\n"
                          "    issuer: test issuer\n"
                          "    rootcertbundle: %2\n")
        .arg(m_http->host(), m_certificates.authority());
}

QByteArray TokenServer::token(const QByteArray& scope) const {
    const QList<QByteArray> parts = scope.split(':'); // repository:name:actions
    QJsonArray access;
    if (parts.size() == 3) {
        QJsonArray actions;
        const QList<QByteArray> names = parts.at(2).split(',');
        for (const QByteArray& name : names)
            actions.append(QString::fromLatin1(name));
        access.append(QJsonObject{{QStringLiteral("type"), QString::fromLatin1(parts.at(0))},
                                  {QStringLiteral("name"), QString::fromLatin1(parts.at(1))},
                                  {QStringLiteral("actions"), actions}});
    }
    const QList<QSslCertificate> chain = QSslCertificate::fromPath(m_certificates.certificate());
    const QJsonObject header{{QStringLiteral("typ"), QStringLiteral("JWT")},
                             {QStringLiteral("alg"), QStringLiteral("RS256")},
                             {QStringLiteral("x5c"),
                              QJsonArray{QString::fromLatin1(chain.value(0).toDer().toBase64())}}};
    const qint64 now = QDateTime::currentSecsSinceEpoch();
    const QJsonObject claims{{QStringLiteral("iss"), QStringLiteral("test issuer")},
                             {QStringLiteral("aud"), QStringLiteral("test registry")},
                             {QStringLiteral("sub"), QString::fromLatin1(user)},
                             {QStringLiteral("exp"), now + lifetime},
                             {QStringLiteral("nbf"), now - 5},
                             {QStringLiteral("iat"), now},
                             {QStringLiteral("access"), access}};
    const auto part = [](const QJsonObject& object) {
        return base64Url(QJsonDocument(object).toJson(QJsonDocument::Compact));
    };
    const QByteArray text = part(header) + '.' + part(claims);
    return text + '.' + base64Url(sign(text, m_certificates.key()));
}

void TokenServer::answer(const StubRequest& request, StubConnection& connection) {
    const bool post = request.method == "POST";
    const QUrlQuery query(QString::fromLatin1(
        post ? request.body : request.target.mid(request.target.indexOf('?') + 1)));
    const auto item = [&query](const char* key) {
        return query.queryItemValue(QLatin1String(key), QUrl::FullyDecoded).toUtf8();
    };
    const QByteArray login = request.header("Authorization");
    const bool allowed = post              ? item("refresh_token") == refreshToken
                         : login.isEmpty() ? allowAnonymous.load()
                                           : login == "Basic " + (user + ':' + password).toBase64();
    if (!allowed) {
        connection.answer(401, {}, R"({"details":"incorrect username or password"})");
        return;
    }
    const QByteArray text = token(item("scope"));
    connection.answer(200,
                      {{"Content-Type", "application/json"}},
                      (post ? R"({"access_token":")" : R"({"token":")") + text +
                          R"(","expires_in":)" + QByteArray::number(lifetime.load()) + '}');
}

} // namespace vitrine::test
