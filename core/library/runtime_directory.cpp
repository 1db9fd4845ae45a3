// SPDX-License-Identifier: Apache-2.0
#include "core/library/runtime_directory.h"

#include "core/disk/directory_tree.h"
#include "core/disk/small_file.h"
#include "core/library/short_folder.h"
#include "core/posix/descriptors.h"
#include "core/posix/host.h"
#include "core/value/sha256.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int aliveTimeout = 5000;           // milliseconds, contract 2
constexpr qsizetype maximumSocketPath = 100; // bytes; sun_path takes 107 on Linux, 103 on macOS
constexpr qsizetype longestShortPath = 40;   // bytes; of a folder that a socket is reached through
constexpr qint64 oldLog = 24 * 60 * 60;      // seconds
constexpr qint64 oldRequest = 60;            // seconds; its maker has locked it by then
const QString startPrefix = QStringLiteral("start-");

const QString& hostId() {
    static const QString id = [] {
        const QByteArray told = posix::hostId();
        return told.isEmpty() ? QSysInfo::machineHostName() : QString::fromLatin1(told);
    }();
    return id;
}

const QString& bootId() {
    static const QString id = [] {
        const QByteArray told = posix::bootId();
        return QString::fromLatin1(told.isEmpty() ? QSysInfo::bootUniqueId() : told);
    }();
    return id;
}

QString identityOf(quint64 device, quint64 inode) {
    return QStringLiteral("%1\n%2\n%3\n%4\n").arg(hostId(), bootId()).arg(device).arg(inode);
}

QString machineFile(const QString& directory) {
    return directory + QStringLiteral("/machine");
}

// Owner and mode of a folder that must be ours alone. NotFound when missing.
Result<> checkPrivate(const QString& path) {
    struct stat info {};
    if (::lstat(QFile::encodeName(path).constData(), &info) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot use the folder \"%1\".").arg(path), errno));
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
        return fail(Error::Kind::Permission,
                    Tr::tr("The folder \"%1\" is not private to you. Remove it, or make it yours "
                           "with mode 0700, and try again.")
                        .arg(path));
    return {};
}

Result<> makePrivate(const QString& path) {
    if (::mkdir(QFile::encodeName(path).constData(), 0700) != 0 && errno != EEXIST)
        return fail(Error::fromErrno(Tr::tr("Cannot create the folder \"%1\".").arg(path), errno));
    return checkPrivate(path);
}

// What the file `machine` says, without the path. Empty when there is none.
QString storedIdentity(const QString& directory) {
    const auto text = readSmallFile(machineFile(directory), 65536);
    return text ? QString::fromUtf8(*text).section(QLatin1Char('\n'), 0, 3) + QLatin1Char('\n')
                : QString();
}

Result<> checkIdentity(const QString& directory, const QString& identity) {
    const QString stored = storedIdentity(directory);
    if (!stored.isEmpty() && stored != identity)
        return fail(Error::Kind::Internal,
                    Tr::tr("The folder \"%1\" belongs to another machine. Remove it when that "
                           "machine is stopped and try again.")
                        .arg(directory));
    return {};
}

} // namespace

QString RuntimeDirectory::basePath(const QString& libraryHome) {
    if (posix::isForeignVolume(QFile::encodeName(libraryHome).constData()))
        return QStringLiteral("/var/tmp/vitrine-%1/run").arg(::geteuid());
    return libraryHome + QStringLiteral("/run");
}

QString RuntimeDirectory::nameFor(quint64 device, quint64 inode) {
    return Sha256::ofBytes(identityOf(device, inode).toUtf8()).toHex().left(12);
}

Result<RuntimeDirectory> RuntimeDirectory::locate(const QString& libraryHome,
                                                  const QString& machineDirectory) {
    struct stat info {};
    if (::stat(QFile::encodeName(machineDirectory).constData(), &info) != 0)
        return fail(Error::fromErrno(
            Tr::tr("Cannot open the machine's folder \"%1\".").arg(machineDirectory), errno));
    RuntimeDirectory directory;
    directory.m_machineDirectory = machineDirectory;
    directory.m_identity = identityOf(info.st_dev, info.st_ino);
    directory.m_path = basePath(libraryHome) + QLatin1Char('/') + nameFor(info.st_dev, info.st_ino);
    if (const auto checked = checkPrivate(directory.m_path); !checked) {
        if (checked.error().kind == Error::Kind::NotFound)
            return directory;
        return fail(checked.error());
    }
    if (const auto checked = checkIdentity(directory.m_path, directory.m_identity); !checked)
        return fail(checked.error());
    return directory;
}

Result<DirectoryLock> RuntimeDirectory::claim() const {
    const QString base = QFileInfo(m_path).path();
    if (base.startsWith(QLatin1String("/var/tmp/")))
        if (auto made = makePrivate(QFileInfo(base).path()); !made)
            return fail(made.error());
    for (const QString& folder : {base, m_path})
        if (auto made = makePrivate(folder); !made)
            return fail(made.error());
    auto alive = DirectoryLock::lock(m_path, aliveTimeout);
    if (!alive) {
        if (alive.error().kind != Error::Kind::Busy)
            return alive;
        return fail(Error::Kind::Busy,
                    Tr::tr("Programs of the last run of \"%1\" have not ended yet. Wait a moment "
                           "and try again.")
                        .arg(QFileInfo(m_machineDirectory).fileName()));
    }
    if (const auto checked = checkIdentity(m_path, m_identity); !checked)
        return fail(checked.error());
    if (auto emptied = emptyDirectory(m_path); !emptied)
        return fail(emptied.error());
    const QString text = m_identity + m_machineDirectory + QLatin1Char('\n');
    if (auto written = replaceFile(machineFile(m_path), text.toUtf8()); !written)
        return fail(written.error());
    return alive;
}

QString RuntimeDirectory::controlSocket() const {
    return m_path + QStringLiteral("/vitrine.sock");
}
QString RuntimeDirectory::qmpSocket() const {
    return m_path + QStringLiteral("/qmp.sock");
}
QString RuntimeDirectory::displaySocket() const {
    return m_path + QStringLiteral("/vnc.sock");
}
QString RuntimeDirectory::serialSocket() const {
    return m_path + QStringLiteral("/serial.sock");
}

QString RuntimeDirectory::consoleSocket() const {
    return m_path + QStringLiteral("/console.sock");
}
QString RuntimeDirectory::agentSocket() const {
    return m_path + QStringLiteral("/agent.sock");
}
QString RuntimeDirectory::logFile() const {
    return m_path + QStringLiteral("/log");
}

bool RuntimeDirectory::isAlive() const {
    return DirectoryLock::isHeld(m_path);
}

QStringList RuntimeDirectory::collect(const QString& libraryHome) {
    QStringList removed;
    const QDateTime now = QDateTime::currentDateTimeUtc();
    const QFileInfoList entries = QDir(basePath(libraryHome))
                                      .entryInfoList(QDir::Dirs | QDir::Files | QDir::Hidden |
                                                     QDir::NoDotAndDotDot | QDir::System);
    for (const QFileInfo& entry : entries) {
        const QString path = entry.absoluteFilePath();
        const qint64 age = entry.lastModified().secsTo(now);
        const bool isStart = entry.fileName().startsWith(startPrefix);
        if (!entry.isDir() || entry.isSymLink()) {
            if (age > oldLog && isStart && removeTree(path))
                removed.append(path);
            continue;
        }
        const bool old = age > (isStart ? oldRequest : oldLog);
        const QString stored = storedIdentity(path);
        const bool ofThisHost = stored.section(QLatin1Char('\n'), 0, 0) == hostId();
        const bool ofThisBoot = stored.section(QLatin1Char('\n'), 1, 1) == bootId();
        // Without a file `machine` it was left by a start that was killed at once.
        if (stored.isEmpty() ? !old : (!ofThisHost || ofThisBoot))
            continue;
        const auto lock = DirectoryLock::tryLock(path);
        if (lock && removeTree(path))
            removed.append(path);
    }
    return removed;
}

Result<SocketAddress> SocketAddress::of(const QString& path) {
    SocketAddress address;
    if (QFile::encodeName(path).size() <= maximumSocketPath) {
        address.m_text = path;
        return address;
    }
    const QFileInfo info(path);
    address.m_folder = FileDescriptor(
        posix::openFolderForPath(QFile::encodeName(info.absolutePath()).constData()));
    if (!address.m_folder.isValid())
        return fail(Error::fromErrno(
            Tr::tr("Cannot open the folder \"%1\".").arg(info.absolutePath()), errno));
    QString through = QFile::decodeName(posix::pathThrough(address.m_folder.get()));
    if (through.isEmpty() || QFile::encodeName(through).size() > longestShortPath) {
        auto link = shortFolder(info.absolutePath());
        if (!link)
            return fail(link.error());
        through = *link;
    }
    address.m_text = through + QLatin1Char('/') + info.fileName();
    if (QFile::encodeName(address.m_text).size() > maximumSocketPath)
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("The name of the socket \"%1\" is too long. Choose a shorter one.").arg(path));
    return address;
}

} // namespace vitrine
