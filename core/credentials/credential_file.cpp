// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/credential_file.h"

#include "core/posix/files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr qint64 maximumSize = 1 << 20;

QString hostsKey() {
    return QStringLiteral("hosts");
}

// Hosts are compared without case.
QString keyOf(const QString& host) {
    return host.toLower();
}

class Descriptor final {
public:
    explicit Descriptor(int fd)
        : m_fd(fd) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] bool isValid() const { return m_fd >= 0; }
    void close() {
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = -1;
    }

private:
    int m_fd;
};

int openRetrying(const QByteArray& path, int flags, mode_t mode = 0) {
    int fd = -1;
    do {
        fd = ::open(path.constData(), flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

} // namespace

Result<QJsonObject> CredentialFile::read() const {
    const auto problem = [this] { return Tr::tr("Cannot read the logins in \"%1\".").arg(m_path); };
    const Descriptor file(openRetrying(QFile::encodeName(m_path), O_RDONLY | O_NONBLOCK));
    if (!file.isValid()) {
        if (errno == ENOENT || errno == ENOTDIR)
            return QJsonObject();
        return fail(Error::fromErrno(problem(), errno));
    }
    struct stat status {};
    if (::fstat(file.get(), &status) != 0)
        return fail(Error::fromErrno(problem(), errno));
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
        (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return fail(Error::Kind::Permission,
                    problem() + QLatin1Char(' ') +
                        Tr::tr("It must be a file of yours that nobody else can read. Run: chmod "
                               "600 \"%1\"")
                            .arg(m_path));
    QByteArray text;
    if (status.st_size <= maximumSize) {
        text.resize(static_cast<qsizetype>(maximumSize) + 1);
        qsizetype size = 0;
        while (size < text.size()) {
            const ssize_t n = ::read(
                file.get(), text.data() + size, static_cast<std::size_t>(text.size() - size));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return fail(Error::fromErrno(problem(), errno));
            if (n == 0)
                break;
            size += n;
        }
        text.resize(size);
    }
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isObject())
        return fail(Error::Kind::Integrity,
                    problem() + QLatin1Char(' ') +
                        Tr::tr("It is damaged. Move it away and sign in again."));
    return document.object();
}

Result<std::optional<StoredLogin>> CredentialFile::find(const QString& host) const {
    const auto root = read();
    if (!root)
        return fail(root.error());
    const QJsonObject entry = root->value(hostsKey()).toObject().value(keyOf(host)).toObject();
    StoredLogin login{entry.value(QLatin1String("user")).toString(),
                      entry.value(QLatin1String("password")).toString()};
    if (login.user.isEmpty() || login.password.isEmpty())
        return std::nullopt;
    return login;
}

Result<> CredentialFile::write(const QJsonObject& root) const {
    const auto problem = [this] {
        return Tr::tr("Cannot write the logins to \"%1\".").arg(m_path);
    };
    const QByteArray temporary = QFile::encodeName(
        m_path + QLatin1Char('.') + QString::number(::getpid()) + QLatin1String(".new"));
    ::unlink(temporary.constData()); // of an earlier process with this pid; the lock is held
    const auto giveUp = [&](int errorNumber) {
        ::unlink(temporary.constData());
        return fail(Error::fromErrno(problem(), errorNumber));
    };
    Descriptor file(
        openRetrying(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!file.isValid())
        return fail(Error::fromErrno(problem(), errno));
    const QByteArray text = QJsonDocument(root).toJson();
    qsizetype done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(
            file.get(), text.constData() + done, static_cast<std::size_t>(text.size() - done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return giveUp(errno);
        done += n;
    }
    if (::fchmod(file.get(), S_IRUSR | S_IWUSR) != 0 || !posix::flush(file.get()))
        return giveUp(errno);
    file.close();
    if (::rename(temporary.constData(), QFile::encodeName(m_path).constData()) != 0)
        return giveUp(errno);
    const Descriptor folder(
        openRetrying(QFile::encodeName(QFileInfo(m_path).absolutePath()), O_RDONLY | O_DIRECTORY));
    if (folder.isValid())
        (void)posix::flush(folder.get());
    return {};
}

Result<> CredentialFile::edit(const std::function<void(QJsonObject& hosts)>& change) const {
    const QString folder = QFileInfo(m_path).absolutePath();
    if (!QDir().mkpath(folder))
        return fail(Error::Kind::Permission,
                    Tr::tr("Cannot create the folder \"%1\" for logins. Check the owner and mode "
                           "of the folder above it.")
                        .arg(folder));
    const QString lockPath = m_path + QLatin1String(".lock");
    const Descriptor lock(openRetrying(
        QFile::encodeName(lockPath), O_RDWR | O_CREAT | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    int locked = -1;
    if (lock.isValid()) {
        do { // held by others for milliseconds only
            locked = ::flock(lock.get(), LOCK_EX);
        } while (locked != 0 && errno == EINTR);
    }
    if (locked != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot lock \"%1\".").arg(lockPath), errno));
    auto root = read();
    if (!root)
        return fail(root.error());
    QJsonObject hosts = root->value(hostsKey()).toObject();
    change(hosts);
    root->insert(QLatin1String("version"), 1);
    root->insert(hostsKey(), hosts);
    return write(*root);
}

Result<> CredentialFile::store(const QString& host, const StoredLogin& login) const {
    return edit([&](QJsonObject& hosts) {
        hosts.insert(keyOf(host),
                     QJsonObject{{QStringLiteral("user"), login.user},
                                 {QStringLiteral("password"), login.password}});
    });
}

Result<bool> CredentialFile::remove(const QString& host) const {
    const auto root = read();
    if (!root)
        return fail(root.error());
    if (!root->value(hostsKey()).toObject().contains(keyOf(host)))
        return false;
    bool removed = false;
    const auto edited = edit([&](QJsonObject& hosts) {
        removed = hosts.contains(keyOf(host));
        hosts.remove(keyOf(host));
    });
    if (!edited)
        return fail(edited.error());
    return removed;
}

} // namespace vitrine
