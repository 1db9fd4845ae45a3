// SPDX-License-Identifier: Apache-2.0
#include "core/registry/partial_store.h"

#include "core/disk/directory_tree.h"
#include "core/disk/small_file.h"
#include "core/posix/host.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtEndian>

#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

constexpr char magic[8] = {'V', 'I', 'T', 'P', 'A', 'R', 'T', '1'};
constexpr qsizetype headerSize = 64;
constexpr qsizetype recordSize = 32;

quint64 bootTag() {
    static const quint64 tag = [] {
        const QByteArray id = posix::bootId();
        return id.isEmpty() ? quint64{0}
                            : qFromLittleEndian<quint64>(Sha256::ofBytes(id + '\n').raw().data());
    }();
    return tag;
}

quint32 checkOf(const char* bytes, qsizetype size) {
    quint32 hash = 2166136261U; // FNV-1a
    for (qsizetype i = 0; i < size; ++i)
        hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 16777619U;
    return hash;
}

QByteArray headerFor(const ImageManifest& manifest) {
    QByteArray header(headerSize, '\0');
    std::memcpy(header.data(), magic, sizeof magic);
    std::memcpy(header.data() + 8, manifest.digest().raw().data(), Sha256::byteLength);
    qToLittleEndian<quint32>(static_cast<quint32>(manifest.disk().size()), header.data() + 40);
    return header;
}

void encode(const LayerRecord& record, char* bytes) {
    qToLittleEndian<quint64>(bootTag(), bytes);
    qToLittleEndian<quint64>(record.compressed, bytes + 8);
    qToLittleEndian<quint64>(record.plain, bytes + 16);
    qToLittleEndian<quint32>(static_cast<quint32>(record.state), bytes + 24);
    qToLittleEndian<quint32>(checkOf(bytes, 28), bytes + 28);
}

LayerRecord decode(const char* bytes, const DiskLayer& layer) {
    LayerRecord record;
    if (qFromLittleEndian<quint32>(bytes + 28) != checkOf(bytes, 28))
        return record;
    const auto state = qFromLittleEndian<quint32>(bytes + 24);
    const auto compressed = qFromLittleEndian<quint64>(bytes + 8);
    const auto plain = qFromLittleEndian<quint64>(bytes + 16);
    const quint64 tag = qFromLittleEndian<quint64>(bytes);
    if (state > 2 || compressed > layer.blob.size || plain > layer.plainSize)
        return record;
    record.state = static_cast<LayerRecord::State>(state);
    record.compressed = compressed;
    record.plain = plain;
    record.sameBoot = tag == bootTag() && tag != 0;
    return record;
}

// nullopt when the table belongs to something else.
std::optional<std::vector<LayerRecord>> decodeTable(const QByteArray& bytes,
                                                    const ImageManifest& manifest) {
    const qsizetype count = manifest.disk().size();
    if (bytes.size() != headerSize + count * recordSize || !bytes.startsWith(headerFor(manifest)))
        return std::nullopt;
    std::vector<LayerRecord> records;
    records.reserve(static_cast<size_t>(count));
    for (qsizetype i = 0; i < count; ++i)
        records.push_back(
            decode(bytes.constData() + headerSize + i * recordSize, manifest.disk().at(i)));
    return records;
}

FileDescriptor openFile(const QString& path, int flags) {
    return FileDescriptor(
        ::open(QFile::encodeName(path).constData(), flags | O_CLOEXEC | O_NOFOLLOW, 0600));
}

QString storePath(const Library& library, const ImageManifest& manifest) {
    return library.partialPath() + QLatin1Char('/') + manifest.digest().toHex();
}

// The lock counts only while the path still leads to the locked directory: the pull that had it
// before removes the directory when it is done.
bool isStillThere(const DirectoryLock& lock, const QString& path) {
    struct stat held {};
    struct stat present {};
    return ::fstat(lock.descriptor(), &held) == 0 &&
           ::stat(QFile::encodeName(path).constData(), &present) == 0 &&
           held.st_dev == present.st_dev && held.st_ino == present.st_ino;
}

} // namespace

QString PartialStore::imagePath() const {
    return m_path + QLatin1String("/image");
}

QString PartialStore::diskPath() const {
    return imagePath() + QLatin1String("/disk.img");
}

Result<PartialStore> PartialStore::open(const Library& library,
                                        const ImageManifest& manifest,
                                        const std::stop_token& stop,
                                        const std::function<void()>& onWait) {
    const QString path = storePath(library, manifest);
    bool told = false;
    while (true) {
        if (auto made = makeDirectories(path, 0700); !made)
            return fail(made.error());
        auto lock = DirectoryLock::tryLock(path);
        if (!lock && lock.error().kind == Error::Kind::Busy) {
            if (!told && onWait)
                onWait();
            told = true;
            lock = DirectoryLock::lock(path, INT_MAX, [&stop] { return stop.stop_requested(); });
        }
        if (!lock && lock.error().kind == Error::Kind::NotFound)
            continue; // removed between making and locking it
        if (!lock)
            return fail(lock.error());
        if (!isStillThere(*lock, path))
            continue;
        PartialStore store(path, *std::move(lock));
        if (auto ready = store.prepare(manifest); !ready)
            return fail(ready.error());
        return store;
    }
}

Result<> PartialStore::startOver(const ImageManifest& manifest) {
    if (auto emptied = emptyDirectory(m_path); !emptied)
        return emptied;
    if (auto made = makeDirectories(imagePath(), 0700); !made)
        return made;
    const qsizetype count = manifest.disk().size();
    QByteArray table = headerFor(manifest);
    table.append(QByteArray(count * recordSize, '\0'));
    m_records.assign(static_cast<size_t>(count), LayerRecord());
    for (qsizetype i = 0; i < count; ++i)
        encode(LayerRecord(), table.data() + headerSize + i * recordSize);
    m_used = false;
    if (auto written = replaceFile(imagePath() + QLatin1String("/manifest.json"), manifest.bytes());
        !written)
        return written;
    return replaceFile(m_path + QLatin1String("/layers"), table);
}

Result<> PartialStore::prepare(const ImageManifest& manifest) {
    const QString tablePath = m_path + QLatin1String("/layers");
    const qint64 tableSize = headerSize + manifest.disk().size() * recordSize;
    const auto bytes = readSmallFile(tablePath, tableSize);
    const auto stored =
        readSmallFile(imagePath() + QLatin1String("/manifest.json"), manifest.bytes().size());
    auto records = bytes ? decodeTable(*bytes, manifest) : std::nullopt;
    m_disk = openFile(diskPath(), O_RDWR);
    if (records && stored && *stored == manifest.bytes() && m_disk.isValid()) {
        m_records = *std::move(records);
        m_used = true;
    } else {
        if (auto fresh = startOver(manifest); !fresh)
            return fresh;
        m_disk = openFile(diskPath(), O_RDWR | O_CREAT | O_EXCL);
        if (!m_disk.isValid())
            return fail(Error::fromErrno(Tr::tr("Cannot make \"%1\".").arg(diskPath()), errno));
    }
    if (::ftruncate(m_disk.get(), static_cast<off_t>(manifest.diskSize())) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot give \"%1\" its size of %2 bytes.")
                                         .arg(diskPath())
                                         .arg(manifest.diskSize()),
                                     errno));
    m_table = openFile(tablePath, O_RDWR);
    if (!m_table.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot open \"%1\".").arg(tablePath), errno));
    return {};
}

std::vector<LayerRecord> PartialStore::peek(const Library& library, const ImageManifest& manifest) {
    const QString path = storePath(library, manifest);
    const qint64 size = headerSize + manifest.disk().size() * recordSize;
    const auto bytes = readSmallFile(path + QLatin1String("/layers"), size);
    auto records = bytes ? decodeTable(*bytes, manifest) : std::nullopt;
    if (!records || !QFileInfo::exists(path + QLatin1String("/image/disk.img")))
        return std::vector<LayerRecord>(static_cast<size_t>(manifest.disk().size()));
    return *std::move(records);
}

Result<> PartialStore::record(int layer, const LayerRecord& record) {
    m_records[static_cast<size_t>(layer)] = record;
    QByteArray bytes(recordSize, '\0');
    encode(record, bytes.data());
    return writeFully(m_table.get(),
                      bytes,
                      headerSize + qint64{layer} * recordSize,
                      m_path + QLatin1String("/layers"));
}

Result<> PartialStore::discard() {
    m_disk.reset();
    m_table.reset();
    return removeTree(m_path);
}

QStringList partialPullDirectories(const Library& library) {
    QStringList paths;
    for (const QString& place : library.partialPaths()) {
        const auto entries = QDir(place).entryInfoList(
            QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks, QDir::Time);
        for (const QFileInfo& entry : entries) {
            if (Sha256::fromHex(entry.fileName()))
                paths += entry.absoluteFilePath();
        }
    }
    return paths;
}

void collectPartialPulls(const Library& library, int days) {
    const QDateTime limit = QDateTime::currentDateTimeUtc().addDays(-days);
    // Links that a kill left between making a tag and moving it to its place.
    QFileInfoList links;
    for (const QString& place : library.partialPaths())
        links += QDir(place).entryInfoList({QStringLiteral(".tag-*")},
                                           QDir::AllEntries | QDir::Hidden | QDir::System);
    for (const QFileInfo& link : std::as_const(links)) {
        struct stat info {};
        const QByteArray path = QFile::encodeName(link.filePath());
        if (link.isSymLink() && ::lstat(path.constData(), &info) == 0 &&
            info.st_mtime <= limit.toSecsSinceEpoch())
            ::unlink(path.constData());
    }
    const QStringList paths = partialPullDirectories(library);
    for (const QString& path : paths) {
        const QFileInfo table(path + QLatin1String("/layers"));
        const QDateTime used =
            table.exists() ? table.lastModified() : QFileInfo(path).lastModified();
        if (used > limit)
            continue;
        const auto lock = DirectoryLock::tryLock(path);
        if (lock && isStillThere(*lock, path))
            (void)removeTree(path);
    }
}

} // namespace vitrine
