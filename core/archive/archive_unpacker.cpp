// SPDX-License-Identifier: Apache-2.0
#include "core/archive/archive_unpacker.h"

#include "core/disk/file_descriptor.h"
#include "core/value/byte_count.h"

#include <QFile>
#include <QList>

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

using Parts = QList<QByteArray>;

// Names of an archive are anything; errors show them on one line.
QString shown(const QByteArray& name) {
    QString text = QString::fromUtf8(name.left(200)).simplified();
    for (QChar& c : text)
        if (c.category() == QChar::Other_Control || c.category() == QChar::Other_Format)
            c = QLatin1Char('?');
    return text;
}

Error refused(const QByteArray& name, const QString& reason) {
    //: %1: name of a file in an archive, %2: whole sentence
    return {Error::Kind::Integrity,
            Tr::tr("It was not unpacked because of \"%1\" in it. %2").arg(shown(name), reason),
            {}};
}

Error cannotWrite(const QByteArray& name, int errorNumber) {
    return Error::fromErrno(Tr::tr("\"%1\" of the archive cannot be written.").arg(shown(name)),
                            errorNumber);
}

Error goesThroughALink(const QByteArray& name) {
    return refused(name, Tr::tr("Its path leads through a link or a file of the archive."));
}

// The parts of a path below the folder; empty parts and "." are dropped.
Result<Parts> partsOf(const QByteArray& name, int depth) {
    if (name.startsWith('/'))
        return fail(refused(name, Tr::tr("Its path does not start in the archive's own folder.")));
    Parts parts;
    const QList<QByteArray> words = name.split('/');
    for (const QByteArray& word : words) {
        if (word.isEmpty() || word == ".")
            continue;
        if (word == "..")
            return fail(refused(name, Tr::tr("Its path leads out of the archive's folder.")));
        parts.append(word);
    }
    if (parts.size() > depth)
        return fail(refused(name, Tr::tr("Its folders are nested too deep.")));
    return parts;
}

// ".." only in front, and not more often than the link lies deep: what comes after it goes down,
// through links of which the same is true.
bool staysInside(const QByteArray& target, qsizetype folderDepth) {
    if (target.isEmpty() || target.startsWith('/'))
        return false;
    qsizetype up = 0;
    bool down = false;
    const QList<QByteArray> words = target.split('/');
    for (const QByteArray& word : words) {
        if (word.isEmpty() || word == ".")
            continue;
        if (word != "..")
            down = true;
        else if (down || ++up > folderDepth)
            return false;
    }
    return true;
}

class Unpacker final {
public:
    Unpacker(const ArchiveSource& source, const UnpackLimits& limits, const JobContext& context)
        : m_source(source)
        , m_limits(limits)
        , m_context(context) {}

    Result<> run(const QString& folder);

private:
    static la_ssize_t readCallback(archive*, void* client, const void** buffer);
    [[nodiscard]] Error readError(archive* reader) const;
    Result<> unpack(archive* reader, archive_entry* entry);
    Result<FileDescriptor> openFolder(const Parts& parts, const QByteArray& name, bool make) const;
    Result<> makeFolder(const Parts& parts, const QByteArray& name, mode_t mode);
    Result<> makeFile(archive* reader, archive_entry* entry, int parent, const Parts& parts);
    Result<> makeLink(const char* target, int parent, const Parts& parts) const;
    Result<> makeHardLink(const char* target, int parent, const Parts& parts) const;
    // What has the name already goes, unless it is a folder.
    static Result<> clear(int parent, const Parts& parts);
    Result<> setFolderModes() const;

    struct Mode {
        Parts parts;
        mode_t mode;
    };
    const ArchiveSource& m_source;
    const UnpackLimits& m_limits;
    const JobContext& m_context;
    FileDescriptor m_root;
    QByteArray m_chunk;
    std::optional<Error> m_sourceError;
    QList<Mode> m_folderModes; // set last: a folder may be read-only
    quint64 m_bytes = 0;
    quint64 m_entries = 0;
};

la_ssize_t Unpacker::readCallback(archive* reader, void* client, const void** buffer) {
    auto* const self = static_cast<Unpacker*>(client);
    auto chunk = self->m_context.cancelled() ? fail(Error::cancelled()) : self->m_source();
    if (!chunk) {
        self->m_sourceError = chunk.error();
        archive_set_error(reader, EIO, "source");
        return ARCHIVE_FATAL;
    }
    self->m_chunk = *std::move(chunk);
    *buffer = self->m_chunk.constData();
    return self->m_chunk.size();
}

Error Unpacker::readError(archive* reader) const {
    if (m_sourceError)
        return *m_sourceError;
    return {Error::Kind::Integrity,
            Tr::tr("It is damaged, or no tar archive that is compressed with gzip."),
            QString::fromUtf8(archive_error_string(reader)).left(300)};
}

Result<FileDescriptor>
Unpacker::openFolder(const Parts& parts, const QByteArray& name, bool make) const {
    FileDescriptor folder(::fcntl(m_root.get(), F_DUPFD_CLOEXEC, 0));
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    for (const QByteArray& part : parts) {
        int next = ::openat(folder.get(), part.constData(), flags);
        if (next < 0 && errno == ENOENT && make) {
            if (::mkdirat(folder.get(), part.constData(), 0700) != 0)
                return fail(cannotWrite(name, errno));
            next = ::openat(folder.get(), part.constData(), flags);
            if (next >= 0)
                ::fchmod(next, 0755); // whatever the umask; its own entry may say another one
        }
        if (next < 0)
            return fail(errno == ELOOP || errno == ENOTDIR ? goesThroughALink(name)
                                                           : cannotWrite(name, errno));
        folder = FileDescriptor(next);
    }
    return folder;
}

Result<> Unpacker::clear(int parent, const Parts& parts) {
    if (::unlinkat(parent, parts.last().constData(), 0) == 0 || errno == ENOENT)
        return {};
    const QByteArray name = parts.join('/');
    return fail(errno == EISDIR || errno == EPERM
                    ? refused(name, Tr::tr("It is a folder and something else at once."))
                    : cannotWrite(name, errno));
}

Result<> Unpacker::makeFolder(const Parts& parts, const QByteArray& name, mode_t mode) {
    const auto made = openFolder(parts, name, true);
    if (!made)
        return fail(made.error());
    m_folderModes.append({parts, static_cast<mode_t>((mode & 0777U) | 0700U)});
    return {};
}

Result<> Unpacker::makeFile(archive* reader, archive_entry* entry, int parent, const Parts& parts) {
    const QByteArray name = parts.join('/');
    if (const auto cleared = clear(parent, parts); !cleared)
        return cleared;
    const FileDescriptor file(::openat(parent,
                                       parts.last().constData(),
                                       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                       0600));
    if (!file.isValid())
        return fail(cannotWrite(name, errno));
    while (true) {
        const void* block = nullptr;
        size_t size = 0;
        la_int64_t offset = 0;
        const int status = archive_read_data_block(reader, &block, &size, &offset);
        if (status == ARCHIVE_EOF)
            break;
        if (status != ARCHIVE_OK)
            return fail(readError(reader));
        if (m_context.cancelled())
            return fail(Error::cancelled());
        const char* bytes = static_cast<const char*>(block);
        while (size > 0) {
            const ssize_t written = ::pwrite(file.get(), bytes, size, offset);
            if (written < 0 && errno == EINTR)
                continue;
            if (written <= 0)
                return fail(cannotWrite(name, errno));
            bytes += written;
            offset += written;
            size -= static_cast<size_t>(written);
        }
    }
    // The end of a sparse file may be a hole.
    if (::ftruncate(file.get(), archive_entry_size(entry)) != 0 ||
        ::fchmod(file.get(), (archive_entry_mode(entry) & 0777U) | 0600U) != 0)
        return fail(cannotWrite(name, errno));
    const timespec times[2] = {{0, UTIME_OMIT}, {archive_entry_mtime(entry), 0}};
    (void)::futimens(file.get(), times); // a time that the file system does not know
    return {};
}

Result<> Unpacker::makeLink(const char* target, int parent, const Parts& parts) const {
    const QByteArray name = parts.join('/');
    if (target == nullptr || !staysInside(QByteArray(target), parts.size() - 1))
        return fail(refused(name, Tr::tr("It is a link that leads out of the archive's folder.")));
    if (const auto cleared = clear(parent, parts); !cleared)
        return cleared;
    if (::symlinkat(target, parent, parts.last().constData()) != 0)
        return fail(cannotWrite(name, errno));
    return {};
}

Result<> Unpacker::makeHardLink(const char* target, int parent, const Parts& parts) const {
    const QByteArray name = parts.join('/');
    auto other = partsOf(QByteArray(target), m_limits.depth);
    if (!other)
        return fail(other.error());
    if (other->isEmpty() || *other == parts)
        return fail(refused(name, Tr::tr("It is a link to nothing.")));
    const QByteArray last = other->takeLast();
    const auto folder = openFolder(*other, name, false);
    if (!folder)
        return fail(folder.error());
    struct stat status {};
    if (::fstatat(folder->get(), last.constData(), &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
        return fail(refused(name, Tr::tr("It is a link to nothing.")));
    if (const auto cleared = clear(parent, parts); !cleared)
        return cleared;
    if (::linkat(folder->get(), last.constData(), parent, parts.last().constData(), 0) != 0)
        return fail(cannotWrite(name, errno));
    return {};
}

Result<> Unpacker::unpack(archive* reader, archive_entry* entry) {
    const char* text = archive_entry_pathname(entry);
    if (text == nullptr)
        text = archive_entry_pathname_utf8(entry);
    if (text == nullptr)
        return fail(refused({}, Tr::tr("A file in it has no name that this computer can read.")));
    const QByteArray name(text);
    auto parts = partsOf(name, m_limits.depth);
    if (!parts)
        return fail(parts.error());
    const char* const hardLink = archive_entry_hardlink(entry);
    const mode_t type = archive_entry_filetype(entry);
    if (parts->isEmpty()) {
        if (type == AE_IFDIR && hardLink == nullptr)
            return {}; // "./", the folder itself
        return fail(refused(name, Tr::tr("It has no name.")));
    }
    if (hardLink == nullptr && type == AE_IFDIR)
        return makeFolder(*parts, name, archive_entry_mode(entry));
    if (hardLink == nullptr && type != AE_IFREG && type != AE_IFLNK)
        return fail(refused(name, Tr::tr("It is a device, and those cannot be shared.")));
    const auto parent = openFolder(parts->first(parts->size() - 1), name, true);
    if (!parent)
        return fail(parent.error());
    if (hardLink != nullptr)
        return makeHardLink(hardLink, parent->get(), *parts);
    if (type == AE_IFLNK)
        return makeLink(archive_entry_symlink(entry), parent->get(), *parts);
    const la_int64_t size = archive_entry_size(entry);
    if (size < 0 || static_cast<quint64>(size) > m_limits.bytes - m_bytes)
        return fail(Error::Kind::Integrity,
                    Tr::tr("It was not unpacked because its files are larger than %1 together.")
                        .arg(ByteCount::fromBytes(m_limits.bytes).toText()));
    m_bytes += static_cast<quint64>(size);
    return makeFile(reader, entry, parent->get(), *parts);
}

// The innermost first: after one became unreadable nothing below it could be changed.
Result<> Unpacker::setFolderModes() const {
    for (auto folder = m_folderModes.crbegin(); folder != m_folderModes.crend(); ++folder) {
        const auto opened = openFolder(folder->parts, folder->parts.last(), false);
        if (!opened)
            return fail(opened.error());
        if (::fchmod(opened->get(), folder->mode) != 0)
            return fail(cannotWrite(folder->parts.join('/'), errno));
    }
    return {};
}

Result<> Unpacker::run(const QString& folder) {
    m_root = FileDescriptor(::open(QFile::encodeName(folder).constData(),
                                   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!m_root.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot open \"%1\".").arg(folder), errno));
    const std::unique_ptr<archive, int (*)(archive*)> reader(archive_read_new(),
                                                             &archive_read_free);
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_format_tar(reader.get());
    if (archive_read_open(reader.get(), this, nullptr, &readCallback, nullptr) != ARCHIVE_OK)
        return fail(readError(reader.get()));
    while (true) {
        archive_entry* entry = nullptr;
        const int status = archive_read_next_header(reader.get(), &entry);
        if (status == ARCHIVE_EOF)
            break;
        if (status != ARCHIVE_OK && status != ARCHIVE_WARN)
            return fail(readError(reader.get()));
        if (m_context.cancelled())
            return fail(Error::cancelled());
        if (++m_entries > m_limits.entries)
            return fail(Error::Kind::Integrity,
                        Tr::tr("It was not unpacked because it holds more than %1 files.")
                            .arg(m_limits.entries));
        if (const auto unpacked = unpack(reader.get(), entry); !unpacked)
            return unpacked;
    }
    if (m_entries == 0)
        return fail(Error::Kind::Integrity, Tr::tr("There is nothing in it."));
    return setFolderModes();
}

} // namespace

Result<> unpackArchive(const ArchiveSource& source,
                       const QString& folder,
                       const UnpackLimits& limits,
                       const JobContext& context) {
    return Unpacker(source, limits, context).run(folder);
}

} // namespace vitrine
