// SPDX-License-Identifier: Apache-2.0
#include "core/archive/restore_image_fetch.h"

#include "core/archive/web_request.h"
#include "core/disk/disk_space.h"
#include "core/disk/small_file.h"
#include "core/value/sha256.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr qint64 chunkBytes = 256 * 1024;
constexpr quint64 largestImage = quint64(100) * 1000 * 1000 * 1000; // bytes
constexpr int keptDays = 14;
const QString partialPrefix = QStringLiteral(".vitrine-");

// What a server says of the file: whether what was fetched before is a part of it.
struct Offer {
    QString tag;      // strong ETag
    QString modified; // Last-Modified
    std::optional<quint64> length;
    std::optional<Sha256> digest;

    [[nodiscard]] bool canGoOn() const { return length && (!tag.isEmpty() || !modified.isEmpty()); }
    [[nodiscard]] QByteArray toJson() const {
        return QJsonDocument(
                   QJsonObject{{QStringLiteral("tag"), tag},
                               {QStringLiteral("modified"), modified},
                               {QStringLiteral("length"), QString::number(length.value_or(0))}})
            .toJson();
    }
};

Offer offerOf(const HttpReply& reply) {
    Offer offer;
    offer.tag = QString::fromLatin1(reply.header("ETag"));
    if (offer.tag.startsWith(QLatin1String("W/"))) // it says nothing of bytes
        offer.tag.clear();
    offer.modified = QString::fromLatin1(reply.header("Last-Modified"));
    bool known = false;
    const quint64 length = reply.header("Content-Length").toULongLong(&known);
    if (known)
        offer.length = length;
    offer.digest = Sha256::fromHex(
        QString::fromLatin1(reply.header("x-amz-meta-digest-sha256")).trimmed().toLower());
    return offer;
}

tl::unexpected<Failure> permanently(Error::Kind kind, const QString& message) {
    return failed(Failure::permanent({kind, message, {}}));
}

tl::unexpected<Failure> permanently(const Error& error) {
    return failed(Failure::permanent(error));
}

Failure statusFailure(const HttpReply& reply) {
    const int status = reply.status();
    const Error error{status == 404 ? Error::Kind::NotFound : Error::Kind::Network,
                      Tr::tr("\"%1\" answered with status %2. Check the address.")
                          .arg(reply.url().host())
                          .arg(status),
                      {}};
    if (status != 408 && status != 425 && status != 429 && status < 500)
        return Failure::permanent(error);
    Failure failure = Failure::passing(error);
    failure.retryAfter = parseRetryAfter(reply.header("Retry-After"));
    return failure;
}

// "bytes 100-199/200" for a range from `offset` to the end.
bool isRangeFrom(const QByteArray& contentRange, quint64 offset, quint64 length) {
    return contentRange.simplified().toLower() ==
           QByteArray("bytes ") + QByteArray::number(offset) + '-' +
               QByteArray::number(length - 1) + '/' + QByteArray::number(length);
}

HttpOptions withAuthorities(const QString& caFile) {
    HttpOptions options;
    options.caFile = caFile;
    return options;
}

class Fetch {
public:
    Fetch(const Library& library,
          QUrl url,
          const JobContext& context,
          const RestoreImageFetchOptions& options)
        : m_url(std::move(url))
        , m_context(context)
        , m_options(options)
        , m_cache(library.home() + QStringLiteral("/cache/IPSWs"))
        , m_folder(m_cache + QLatin1Char('/') + partialPrefix +
                   Sha256::ofBytes(m_url.toEncoded()).toHex().left(16))
        , m_client(withAuthorities(options.caFile)) {
        m_progress.step = Tr::tr("Fetching \"%1\"").arg(urlForLog(m_url));
    }

    Result<QString> run() {
        const bool secure = m_url.scheme() == QLatin1String("https") || m_options.plainHttp;
        if (!m_url.isValid() || !isWebAddress(m_url) || !m_url.userInfo().isEmpty() || !secure)
            return fail(about({Error::Kind::InvalidInput,
                               Tr::tr("Its address must be https:// with the name of a computer, "
                                      "without a user name and password."),
                               {}}));
        if (!QDir().mkpath(m_cache))
            return fail(Error::fromErrno(Tr::tr("Cannot make \"%1\".").arg(m_cache), errno));
        RetryBudget budget(m_options.retry);
        for (;;) {
            m_moved = false;
            auto path = attempt();
            if (path)
                return *path;
            if (m_moved)
                budget.progressed();
            const auto wait = budget.next(path.error());
            if (!wait)
                return fail(about(path.error().error));
            m_context.log(QStringLiteral("retrying in %1 ms: %2")
                              .arg(wait->count())
                              .arg(path.error().error.message));
            if (!waitFor(*wait, m_context.stop))
                return fail(Error::cancelled());
        }
    }

private:
    [[nodiscard]] Error about(Error error) const {
        if (!error.isCancelled())
            error.message = Tr::tr("The restore image \"%1\" cannot be fetched. %2")
                                .arg(urlForLog(m_url), error.message);
        return error;
    }
    [[nodiscard]] QString dataPath() const { return m_folder + QStringLiteral("/data"); }
    [[nodiscard]] QString aboutPath() const { return m_folder + QStringLiteral("/about.json"); }
    [[nodiscard]] QString placeOf(const Sha256& digest) const {
        return m_cache + QLatin1Char('/') + digest.toText() + QStringLiteral(".ipsw");
    }

    Attempt<QString> attempt() {
        auto head = askFollowing(m_client, {"HEAD", m_url, {}, {}}, m_context.stop);
        if (!head)
            return failed(head.error());
        Offer offer;
        const int status = (*head)->status();
        if (status == 200)
            offer = offerOf(**head);
        else if (status != 405 && status != 501) // it knows GET only
            return failed(statusFailure(**head));
        head->reset();
        if (offer.length.value_or(1) == 0 || offer.length.value_or(0) > largestImage)
            return permanently(Error::Kind::Integrity,
                               Tr::tr("No restore image has the length that the server tells."));
        if (offer.digest && QFileInfo(placeOf(*offer.digest)).isFile()) {
            (void)Library::touch(placeOf(*offer.digest));
            return placeOf(*offer.digest);
        }
        if (auto opened = open(offer); !opened)
            return failed(opened.error());
        if (offer.length)
            if (auto room = checkSpace(*offer.length); !room)
                return failed(room.error());
        if (!offer.length || m_done < *offer.length)
            if (auto fetched = fetch(offer); !fetched)
                return failed(fetched.error());
        return finish(offer);
    }

    // The partial data that the offer fits, behind which it goes on, else from the beginning.
    Attempt<> open(const Offer& offer) {
        if (!m_lock) {
            collectOld();
            if (::mkdir(QFile::encodeName(m_folder).constData(), 0700) != 0 && errno != EEXIST)
                return permanently(
                    Error::fromErrno(Tr::tr("Cannot make \"%1\".").arg(m_folder), errno));
            auto lock = DirectoryLock::tryLock(m_folder);
            if (!lock && lock.error().kind == Error::Kind::Busy)
                return permanently(Error::Kind::Busy,
                                   Tr::tr("It is being fetched already. Wait until that has "
                                          "finished."));
            if (!lock)
                return permanently(lock.error());
            m_lock.emplace(std::move(*lock));
            m_data = FileDescriptor(::open(QFile::encodeName(dataPath()).constData(),
                                           O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                                           0644));
            if (!m_data.isValid())
                return permanently(
                    Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(dataPath()), errno));
        }
        const auto before = readSmallFile(aboutPath());
        const bool same = offer.canGoOn() && before && *before == offer.toJson();
        struct stat info {};
        if (!same || ::fstat(m_data.get(), &info) != 0 ||
            static_cast<quint64>(info.st_size) > *offer.length)
            return startOver(offer);
        if (static_cast<quint64>(info.st_size) != m_done)
            return hashAgain(static_cast<quint64>(info.st_size));
        return {};
    }

    Attempt<> startOver(const Offer& offer) {
        m_done = 0;
        m_hasher = {};
        if (::ftruncate(m_data.get(), 0) != 0)
            return permanently(
                Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(dataPath()), errno));
        if (const auto written = replaceFile(aboutPath(), offer.toJson()); !written)
            return permanently(written.error());
        return {};
    }

    // Of an earlier run.
    Attempt<> hashAgain(quint64 length) {
        m_hasher = {};
        m_done = 0;
        QByteArray chunk(chunkBytes, Qt::Uninitialized);
        while (m_done < length) {
            if (m_context.cancelled())
                return permanently(Error::cancelled());
            const ssize_t count = ::pread(m_data.get(),
                                          chunk.data(),
                                          static_cast<size_t>(chunk.size()),
                                          static_cast<off_t>(m_done));
            if (count < 0 && errno == EINTR)
                continue;
            if (count <= 0)
                return permanently(
                    Error::fromErrno(Tr::tr("Cannot read \"%1\".").arg(dataPath()), errno));
            m_hasher.add(chunk.constData(), static_cast<size_t>(count));
            m_done += static_cast<quint64>(count);
        }
        return {};
    }

    Attempt<> checkSpace(quint64 length) {
        const auto space = volumeSpace(m_cache);
        const ByteCount needed = ByteCount::fromBytes(length - m_done);
        if (!space || space->available >= needed)
            return {};
        return permanently(Error::Kind::DiskFull,
                           Tr::tr("%1 are to be fetched and %2 are free. Make room and try again.")
                               .arg(needed.toText(), space->available.toText()));
    }

    Attempt<> fetch(const Offer& offer) {
        HttpRequest request{"GET", m_url, {}, {}};
        if (m_done > 0) {
            request.headers.append({"Range", "bytes=" + QByteArray::number(m_done) + '-'});
            request.headers.append(
                {"If-Range", (offer.tag.isEmpty() ? offer.modified : offer.tag).toLatin1()});
        }
        auto reply = askFollowing(m_client, std::move(request), m_context.stop);
        if (!reply)
            return failed(reply.error());
        const int status = (*reply)->status();
        const bool goesOn = m_done > 0 && status == 206;
        if (goesOn && !isRangeFrom((*reply)->header("Content-Range"), m_done, *offer.length))
            return permanently(Error::Kind::Integrity,
                               Tr::tr("The server sent another part of the file than it was asked "
                                      "for."));
        if (!goesOn) {
            if (status != 200)
                return failed(statusFailure(**reply));
            if (auto again = startOver(offer); !again)
                return again;
        }
        m_progress.total = offer.length;
        QByteArray chunk(chunkBytes, Qt::Uninitialized);
        for (;;) {
            const auto count = (*reply)->read(chunk.data(), chunk.size(), m_context.stop);
            if (!count)
                return failed(count.error());
            if (*count == 0)
                break;
            if (m_done + static_cast<quint64>(*count) > offer.length.value_or(largestImage))
                return permanently(Error::Kind::Integrity,
                                   Tr::tr("The server sends more than it said."));
            const auto written = writeFully(
                m_data.get(), chunk.left(*count), static_cast<qint64>(m_done), dataPath());
            if (!written)
                return permanently(written.error());
            m_hasher.add(chunk.constData(), static_cast<size_t>(*count));
            m_done += static_cast<quint64>(*count);
            m_moved = true;
            m_progress.done = m_done;
            m_context.report(m_progress);
        }
        if (offer.length && m_done < *offer.length)
            return failed(Failure::passing({Error::Kind::Network,
                                            Tr::tr("The server ended before the end of the file."),
                                            {}}));
        return {};
    }

    Attempt<QString> finish(const Offer& offer) {
        const Sha256 digest = m_hasher.finish();
        m_done = 0; // what is hashed belongs to the hasher that just ended
        if (offer.digest && digest != *offer.digest) {
            removePartial();
            return permanently(Error::Kind::Integrity,
                               Tr::tr("What came has not the digest that the server names. It was "
                                      "thrown away; fetch it again."));
        }
        if (const auto synced = syncFile(m_data.get(), dataPath()); !synced)
            return permanently(synced.error());
        const QString place = placeOf(digest);
        // The same bytes may have come another way meanwhile.
        if (!QFileInfo::exists(place) && std::rename(QFile::encodeName(dataPath()).constData(),
                                                     QFile::encodeName(place).constData()) != 0)
            return permanently(Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(place), errno));
        if (const auto synced = syncDirectory(m_cache); !synced)
            return permanently(synced.error());
        removePartial();
        return place;
    }

    void removePartial() const { QDir(m_folder).removeRecursively(); }

    void collectOld() const {
        const QDateTime oldest = QDateTime::currentDateTime().addDays(-keptDays);
        const QFileInfoList folders = QDir(m_cache).entryInfoList(
            {partialPrefix + QLatin1Char('*')}, QDir::Dirs | QDir::Hidden | QDir::NoSymLinks);
        for (const QFileInfo& folder : folders) {
            const QFileInfo data(folder.filePath() + QStringLiteral("/data"));
            const QDateTime used = data.exists() ? data.lastModified() : folder.lastModified();
            if (folder.filePath() == m_folder || used > oldest)
                continue;
            if (const auto lock = DirectoryLock::tryLock(folder.filePath()))
                QDir(folder.filePath()).removeRecursively();
        }
    }

    QUrl m_url;
    const JobContext& m_context;
    const RestoreImageFetchOptions& m_options;
    QString m_cache;
    QString m_folder;
    HttpClient m_client;
    Progress m_progress;
    std::optional<DirectoryLock> m_lock;
    FileDescriptor m_data;
    Sha256Hasher m_hasher;
    quint64 m_done = 0; // bytes in the data, all of them hashed
    bool m_moved = false;
};

} // namespace

Result<QString> fetchRestoreImage(const Library& library,
                                  const QUrl& url,
                                  const JobContext& context,
                                  const RestoreImageFetchOptions& options) {
    return Fetch(library, url, context, options).run();
}

} // namespace vitrine
