// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_request_file.h"

#include "core/channel/local_socket.h"
#include "core/disk/directory_tree.h"
#include "core/disk/small_file.h"
#include "core/library/runtime_directory.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QUuid>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vitrine {

namespace {

constexpr int version = 1;
constexpr int longestLimit = 86400; // s, as of --timeout
constexpr qsizetype idLength = 32;
const QString folderPrefix = QStringLiteral("start-");
const QString requestName = QStringLiteral("request.json");

template <class Request>
auto switchesOf(Request& request) {
    return std::array{std::pair("verbose", &request.verbose),
                      std::pair("discardState", &request.discardState),
                      std::pair("recovery", &request.recovery),
                      std::pair("capturesSystemKeys", &request.capturesSystemKeys)};
}

Error wrongKey(const QString& key) {
    return {Error::Kind::Integrity,
            Tr::tr("What \"vitrinectl run\" handed over is damaged: \"%1\" is missing, wrong or "
                   "not known. Run it again.")
                .arg(key),
            {}};
}

QString folderOf(const QString& libraryHome, const QString& id) {
    return RuntimeDirectory::basePath(libraryHome) + QLatin1Char('/') + folderPrefix + id;
}

bool isPrivate(const struct stat& info) {
    return info.st_uid == ::geteuid() && (info.st_mode & 077) == 0;
}

Result<> makePrivate(const QString& folder) {
    const QByteArray path = QFile::encodeName(folder);
    if (::mkdir(path.constData(), 0700) != 0 && errno != EEXIST)
        return fail(
            Error::fromErrno(Tr::tr("Cannot create the folder \"%1\".").arg(folder), errno));
    struct stat info {};
    if (::lstat(path.constData(), &info) != 0 || !S_ISDIR(info.st_mode) || !isPrivate(info))
        return fail(Error::Kind::Permission,
                    Tr::tr("The folder \"%1\" is not private to you. Remove it, or make it yours "
                           "with mode 0700, and try again.")
                        .arg(folder));
    return {};
}

Error notPrivate(const QString& path) {
    return {Error::Kind::Permission,
            Tr::tr("The file \"%1\" that \"vitrinectl run\" is to hand over is not a file of yours "
                   "alone, so nothing was started. Run it again.")
                .arg(path),
            {}};
}

// The open file of a request, checked.
Result<QByteArray> readPrivate(int file, const QString& path) {
    struct stat info {};
    if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || !isPrivate(info) ||
        info.st_nlink > 1)
        return fail(notPrivate(path));
    return readSmallFile(file, path);
}

Result<Hypervisor::RunRequest>
parse(const Library& library, const QByteArray& text, const QString& name) {
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isObject())
        return fail(Error::Kind::Integrity,
                    Tr::tr("What \"vitrinectl run\" handed over is damaged. Run it again."));
    auto request = runRequestFromJson(library, document.object());
    if (request && request->name != name)
        return fail(wrongKey(QStringLiteral("name")));
    return request;
}

} // namespace

QJsonObject toJson(const Hypervisor::RunRequest& request) {
    QJsonObject object{{QStringLiteral("version"), version},
                       {QStringLiteral("library"), request.library.home()},
                       {QStringLiteral("name"), request.name},
                       {QStringLiteral("options"), request.options.toJson()},
                       {QStringLiteral("forceOffAfterSeconds"), request.forceOffAfterSeconds}};
    for (const auto& [key, value] : switchesOf(request))
        object[QLatin1String(key)] = *value;
    return object;
}

Result<Hypervisor::RunRequest> runRequestFromJson(const Library& library,
                                                  const QJsonObject& object) {
    QJsonObject left = object;
    const auto take = [&left](const char* key) { return left.take(QLatin1String(key)); };
    if (const QJsonValue given = take("version"); given.toInt() != version)
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("\"vitrinectl run\" and this window are of different versions. Quit Vitrine and "
                   "run the machine again, or install both anew."),
            QStringLiteral("version %1 of the request").arg(given.toVariant().toString()));
    const QString home = take("library").toString();
    if (home.isEmpty() ||
        QFileInfo(home).canonicalFilePath() != QFileInfo(library.home()).canonicalFilePath())
        return fail(wrongKey(QStringLiteral("library")));
    Hypervisor::RunRequest request{library, take("name").toString(), {}};
    if (!MachineName::fromText(request.name))
        return fail(wrongKey(QStringLiteral("name")));
    const QJsonValue options = take("options");
    if (!options.isObject())
        return fail(wrongKey(QStringLiteral("options")));
    auto read = RunOptions::fromJson(options.toObject());
    if (!read)
        return fail(read.error());
    request.options = *std::move(read);
    request.forceOffAfterSeconds = take("forceOffAfterSeconds").toInt(-1);
    if (request.forceOffAfterSeconds < 0 || request.forceOffAfterSeconds > longestLimit)
        return fail(wrongKey(QStringLiteral("forceOffAfterSeconds")));
    for (const auto& [key, value] : switchesOf(request)) {
        const QJsonValue given = take(key);
        if (!given.isBool())
            return fail(wrongKey(QLatin1String(key)));
        *value = given.toBool();
    }
    if (!left.isEmpty())
        return fail(wrongKey(left.keys().constFirst()));
    return request;
}

Result<RunRequestFile> RunRequestFile::write(const Hypervisor::RunRequest& request) {
    const QString& home = request.library.home();
    const QString base = RuntimeDirectory::basePath(home);
    const QString folder = folderOf(home, QUuid::createUuid().toString(QUuid::Id128));
    // The base may be in a folder of this user's in /var/tmp.
    const bool isElsewhere = !base.startsWith(home);
    for (const QString& path : {isElsewhere ? QFileInfo(base).path() : base, base, folder})
        if (auto made = makePrivate(path); !made)
            return fail(made.error());
    auto lock = DirectoryLock::tryLock(folder);
    if (!lock) {
        (void)removeTree(folder);
        return fail(lock.error());
    }
    RunRequestFile made(folder, *std::move(lock));
    const FileDescriptor file(::open(QFile::encodeName(made.path()).constData(),
                                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                     0600));
    if (!file.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(made.path()), errno));
    const QByteArray text = QJsonDocument(toJson(request)).toJson();
    if (text.size() > maximumSmallFile)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The run options are too long to be handed to the window. Store them "
                           "with \"vitrinectl set\", or run the machine with --no-graphics."));
    if (auto written = writeFully(file.get(), text, 0, made.path()); !written)
        return fail(written.error());
    return made;
}

RunRequestFile::RunRequestFile(RunRequestFile&& other) noexcept
    : m_folder(std::exchange(other.m_folder, {}))
    , m_lock(std::move(other.m_lock)) {}

RunRequestFile::~RunRequestFile() {
    remove();
}

void RunRequestFile::remove() {
    if (!m_folder.isEmpty())
        (void)removeTree(std::exchange(m_folder, {}));
}

bool RunRequestFile::takeBack() const {
    return !m_folder.isEmpty() && ::unlink(QFile::encodeName(path()).constData()) == 0;
}

bool RunRequestFile::isId(const QString& text) {
    return text.size() == idLength && std::all_of(text.begin(), text.end(), [](QChar c) {
               return (c >= QLatin1Char('0') && c <= QLatin1Char('9')) ||
                      (c >= QLatin1Char('a') && c <= QLatin1Char('f'));
           });
}

std::optional<QString> RunRequestFile::idOf(const QString& libraryHome, const QString& path) {
    const QFileInfo file(path);
    const QFileInfo folder(file.absolutePath());
    if (file.fileName() != requestName || !folder.fileName().startsWith(folderPrefix))
        return std::nullopt;
    const QString id = folder.fileName().sliced(folderPrefix.size());
    const QString base = QFileInfo(RuntimeDirectory::basePath(libraryHome)).canonicalFilePath();
    if (!isId(id) || base.isEmpty() || QFileInfo(folder.absolutePath()).canonicalFilePath() != base)
        return std::nullopt;
    return id;
}

std::optional<RunRequestFile::Taken>
RunRequestFile::take(const Library& library, const QString& id, const QString& name) {
    const QString folder = folderOf(library.home(), id);
    struct stat info {};
    // Without a private folder there is nobody who may be answered.
    if (!isId(id) || ::lstat(QFile::encodeName(folder).constData(), &info) != 0 ||
        !S_ISDIR(info.st_mode) || !isPrivate(info))
        return std::nullopt;
    const auto address = SocketAddress::of(folder + QStringLiteral("/answer.sock"));
    const auto connected = address ? connectToLocalSocket(address->text())
                                   : Result<int>(tl::unexpected(address.error()));
    if (!connected)
        return std::nullopt;
    Taken taken;
    taken.answer = FileDescriptor(*connected);
    if (!checkPeerIsThisUser(taken.answer.get()))
        return std::nullopt;
    const QString path = folder + QLatin1Char('/') + requestName;
    const QByteArray file = QFile::encodeName(path);
    const FileDescriptor open(
        ::open(file.constData(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!open.isValid()) {
        if (errno != ENOENT)
            taken.request = Result<Hypervisor::RunRequest>(tl::unexpected(notPrivate(path)));
        return taken;
    }
    const auto text = readPrivate(open.get(), path);
    // Whoever removes it has it.
    if (::unlink(file.constData()) != 0)
        return taken;
    taken.request = text ? parse(library, *text, name)
                         : Result<Hypervisor::RunRequest>(tl::unexpected(text.error()));
    return taken;
}

} // namespace vitrine
