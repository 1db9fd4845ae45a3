// SPDX-License-Identifier: Apache-2.0
#include "core/library/library.h"

#include "core/disk/directory_tree.h"
#include "core/library/foreign_volume.h"
#include "core/library/last_used.h"
#include "core/library/machine_reader.h"
#include "core/library/unnamed_folders.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>
#include <QUrl>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int maximumNamespaceDepth = 32;

enum class EntryKind { Folder, Link, Other };
struct Entry {
    QByteArray name;
    EntryKind kind = EntryKind::Other;
};

Result<QList<Entry>> entriesOf(const QString& path) {
    QList<Entry> entries;
    DIR* directory = ::opendir(QFile::encodeName(path).constData());
    if (!directory) {
        if (errno == ENOENT)
            return entries;
        return fail(Error::fromErrno(Tr::tr("Cannot read the folder \"%1\".").arg(path), errno));
    }
    while (const dirent* item = ::readdir(directory)) {
        if (std::strcmp(item->d_name, ".") == 0 || std::strcmp(item->d_name, "..") == 0)
            continue;
        Entry entry{item->d_name, EntryKind::Other};
        unsigned char type = item->d_type;
        if (type == DT_UNKNOWN) { // file systems that do not say
            struct stat info {};
            if (::fstatat(::dirfd(directory), item->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0)
                type = S_ISDIR(info.st_mode) ? DT_DIR : S_ISLNK(info.st_mode) ? DT_LNK : DT_REG;
        }
        if (type == DT_DIR)
            entry.kind = EntryKind::Folder;
        else if (type == DT_LNK)
            entry.kind = EntryKind::Link;
        entries.append(entry);
    }
    ::closedir(directory);
    return entries;
}

// A name that is not UTF-8 has no text that leads back to it: what is reached by the text would be
// missing, or something else.
bool hasText(const QByteArray& name) {
    return QFile::encodeName(QFile::decodeName(name)) == name;
}

// Bytes that are no printable ASCII as \xNN.
QString escaped(const QByteArray& name) {
    QString text;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\')
            text += QLatin1String("\\\\");
        else if (byte < 0x20 || byte >= 0x7F)
            text += QStringLiteral("\\x%1").arg(byte, 2, 16, QLatin1Char('0'));
        else
            text += QLatin1Char(c);
    }
    return text;
}

bool exists(const QString& path) {
    struct stat info {};
    return ::lstat(QFile::encodeName(path).constData(), &info) == 0;
}

bool isFolder(const QString& path) {
    struct stat info {};
    return ::stat(QFile::encodeName(path).constData(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Whether an entry of vms/ is no machine but something that is kept beside them.
bool isKeptBeside(const QString& path, const QString& name) {
    if (!MachineName::isReserved(name))
        return false;
    for (const char* file : {"/config.json", "/disk.img", "/nvram.bin"})
        if (exists(path + QLatin1String(file)))
            return false; // another program gave a machine this name
    return true;
}

enum class Behind { Folder, File, Nothing, Silence };

// What a link in vms/ leads to; it may be a volume that hangs.
Behind behindLink(const QString& path) {
    return HangGuard::call<Behind>(path,
                                   [path] {
                                       struct stat info {};
                                       if (::stat(QFile::encodeName(path).constData(), &info) != 0)
                                           return Behind::Nothing;
                                       return S_ISDIR(info.st_mode) ? Behind::Folder : Behind::File;
                                   })
        .value_or(Behind::Silence);
}

void sortByName(QList<MachineInfo>& list) {
    std::sort(list.begin(), list.end(), [](const MachineInfo& a, const MachineInfo& b) {
        return a.name < b.name;
    });
}

MachineInfo brokenLink(const QString& path, const QString& name) {
    MachineInfo info;
    info.name = name;
    info.directory = path;
    info.state = MachineState::Broken;
    info.brokenReason =
        Tr::tr("It is a link to a folder that does not exist. Connect the volume, or delete the "
               "link.");
    return info;
}

// A machine that another program gave a name which no command can take.
void checkName(MachineInfo& machine) {
    const auto name = MachineName::fromText(machine.name);
    if (name || machine.holderPid != 0 || machine.state == MachineState::RunningElsewhere)
        return;
    machine.state = MachineState::Broken;
    machine.brokenReason =
        name.error().message + QLatin1Char(' ') + Tr::tr("Rename its folder in the library.");
    machine.config.reset();
}

// Every tag and digest below `folder`. `relative` is its encoded path below cache/OCIs.
void readImages(const MachineReader& reader,
                const QString& folder,
                const QByteArray& relative,
                int depth,
                QList<MachineInfo>& images) {
    const auto entries = entriesOf(folder);
    if (!entries || depth > maximumNamespaceDepth)
        return; // a folder that cannot be read hides only what is in it
    for (const Entry& entry : *entries) {
        if (entry.name.startsWith('.'))
            continue; // no part of a reference begins so: the library's own, or a volume's Trash
        if (!hasText(entry.name))
            continue;
        const QString name = QFile::decodeName(entry.name);
        const QString path = folder + QLatin1Char('/') + name;
        const bool isDigest = entry.name.startsWith("sha256:");
        if (entry.kind == EntryKind::Folder && !isDigest) {
            readImages(reader,
                       path,
                       relative.isEmpty() ? entry.name : relative + '/' + entry.name,
                       depth + 1,
                       images);
            continue;
        }
        if (entry.kind == EntryKind::Other || depth < 2)
            continue;
        const bool isTag = entry.kind == EntryKind::Link;
        const QString text = QUrl::fromPercentEncoding(relative + (isTag ? ':' : '@') + entry.name);
        const auto target = isTag ? Library::tagTarget(path) : std::optional<QString>(path);
        if (!target)
            continue; // dangling: the next collection removes it
        MachineInfo info = reader.read(*target, text);
        info.isImage = true;
        info.byDigest = !isTag;
        images.append(std::move(info));
    }
}

void namespaceFolders(const QString& folder, int depth, QStringList& folders) {
    folders.append(folder);
    const auto entries = entriesOf(folder);
    if (!entries || depth > maximumNamespaceDepth)
        return;
    for (const Entry& entry : *entries)
        if (entry.kind == EntryKind::Folder && !entry.name.startsWith("sha256:") &&
            !entry.name.startsWith('.') && hasText(entry.name))
            namespaceFolders(
                folder + QLatin1Char('/') + QFile::decodeName(entry.name), depth + 1, folders);
}

// A folder could not be made where what is there can still be read. Whoever writes makes the
// folder that it needs, and fails with the same error.
bool isOnlyForReading(const Error& error) {
    return error.kind == Error::Kind::Permission || error.kind == Error::Kind::Unsupported ||
           error.kind == Error::Kind::DiskFull;
}

Error noSuchMachine(const QString& name) {
    return Error{
        Error::Kind::NotFound,
        Tr::tr("There is no machine \"%1\". Look at the list for the names there are.").arg(name),
        {}};
}

Error noSuchImage(const QString& name) {
    return Error{Error::Kind::NotFound,
                 Tr::tr("The image \"%1\" is not on this computer. Pull it first.").arg(name),
                 {}};
}

} // namespace

QString Library::defaultHome() {
    const QString own = qEnvironmentVariable("VITRINE_HOME");
    if (!own.isEmpty())
        return own;
    // As for Tart, an empty TART_HOME is a value, not an absence.
    if (qEnvironmentVariableIsSet("TART_HOME"))
        return qEnvironmentVariable("TART_HOME");
#ifdef Q_OS_MACOS
    return QDir::homePath() + QStringLiteral("/.tart");
#else
    return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
           QStringLiteral("/vitrine");
#endif
}

Result<Library> Library::open(const QString& home) {
    if (home.isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("The path of the library is empty. Set VITRINE_HOME or TART_HOME to a "
                           "folder, or unset them."));
    const Library library(QDir::cleanPath(QDir().absoluteFilePath(home)));
    if (auto made = makeDirectories(library.home()); !made)
        return fail(made.error());
    for (const QString& folder :
         {library.home() + QStringLiteral("/cache"), library.temporaryPath()})
        if (auto made = makeDirectories(folder); !made && !isOnlyForReading(made.error()))
            return fail(made.error());
    return library;
}

QString Library::machinesPath() const {
    return m_home + QStringLiteral("/vms");
}
QString Library::imagesPath() const {
    return m_home + QStringLiteral("/cache/OCIs");
}
QString Library::temporaryPath() const {
    return m_home + QStringLiteral("/tmp");
}
QString Library::machinePath(const MachineName& name) const {
    return machinesPath() + QLatin1Char('/') + name.text();
}
QString Library::hostPath(const QString& host) const {
    QString encoded = host;
    encoded.replace(QLatin1Char(':'), QLatin1String("%3A"));
    return imagesPath() + QLatin1Char('/') + encoded;
}
QString Library::imagePath(const ImageReference& reference) const {
    return hostPath(reference.host()) + QLatin1Char('/') + reference.repository() +
           QLatin1Char('/') + reference.reference();
}

Result<QList<MachineInfo>> Library::machines() const {
    const auto entries = entriesOf(machinesPath());
    if (!entries)
        return fail(entries.error());
    const MachineReader reader(m_home);
    QList<MachineInfo> machines;
    machines.reserve(entries->size());
    for (const Entry& entry : *entries) {
        if (entry.kind == EntryKind::Other || !hasText(entry.name))
            continue; // unnamedFolders() tells of those
        const QString name = QFile::decodeName(entry.name);
        const QString path = machinesPath() + QLatin1Char('/') + name;
        if (isKeptBeside(path, name))
            continue;
        if (entry.kind == EntryKind::Folder)
            machines.append(reader.read(path, name));
        else if (const auto behind = behindLink(path); behind == Behind::Folder)
            machines.append(reader.read(path, name));
        else if (behind == Behind::Nothing)
            machines.append(brokenLink(path, name));
        else if (behind == Behind::Silence)
            machines.append(reader.read(path, name)); // says that it does not answer
        else
            continue;
        checkName(machines.last());
    }
    sortByName(machines);
    return machines;
}

QStringList unnamedFolders(const Library& library) {
    QStringList names;
    if (const auto entries = entriesOf(library.machinesPath()))
        for (const Entry& entry : *entries)
            if (entry.kind != EntryKind::Other && !hasText(entry.name))
                names.append(escaped(entry.name));
    names.sort();
    return names;
}

Result<QList<MachineInfo>> Library::images() const {
    if (const auto entries = entriesOf(imagesPath()); !entries)
        return fail(entries.error());
    QList<MachineInfo> images;
    readImages(MachineReader(m_home), imagesPath(), {}, 0, images);
    sortByName(images);
    return images;
}

QStringList Library::foldersToWatch() const {
    QStringList folders{m_home, m_home + QStringLiteral("/cache"), machinesPath()};
    namespaceFolders(imagesPath(), 0, folders);
    return folders;
}

bool Library::isMachine(const MachineName& name) const {
    const QString path = machinePath(name);
    return exists(path) && !isKeptBeside(path, name.text());
}

Result<MachineInfo> Library::machine(const MachineName& name) const {
    const QString path = machinePath(name);
    if (!isMachine(name))
        return fail(noSuchMachine(name.text()));
    if (behindLink(path) == Behind::Nothing)
        return brokenLink(path, name.text());
    return MachineReader(m_home).read(path, name.text());
}

Result<MachineInfo> Library::image(const ImageReference& reference) const {
    const QString path = imagePath(reference);
    struct stat info {};
    if (::lstat(QFile::encodeName(path).constData(), &info) != 0)
        return fail(noSuchImage(reference.toText()));
    const bool wantsLink = !reference.isByDigest();
    if (wantsLink != S_ISLNK(info.st_mode))
        return fail(noSuchImage(reference.toText()));
    const auto target = wantsLink ? tagTarget(path) : std::optional<QString>(path);
    if (!target)
        return fail(noSuchImage(reference.toText()));
    MachineInfo image = MachineReader(m_home).read(*target, reference.toText());
    image.isImage = true;
    image.byDigest = reference.isByDigest();
    return image;
}

Result<MachineInfo> Library::find(const QString& nameOrReference) const {
    if (ImageReference::isReference(nameOrReference)) {
        const auto reference = ImageReference::fromText(nameOrReference);
        if (!reference)
            return fail(reference.error());
        return image(*reference);
    }
    const auto name = MachineName::fromText(nameOrReference);
    if (!name)
        return fail(name.error());
    return machine(*name);
}

MachineState Library::stateOf(const QString& machineDirectory, qint64* holderPid) const {
    return MachineReader(m_home).stateOf(machineDirectory, holderPid);
}

std::optional<QString> Library::tagTarget(const QString& linkPath) {
    const QByteArray name = QFile::encodeName(linkPath);
    QByteArray text(4096, '\0');
    const ssize_t length =
        ::readlink(name.constData(), text.data(), static_cast<size_t>(text.size()));
    if (length <= 0 || length >= text.size())
        return std::nullopt;
    text.truncate(static_cast<qsizetype>(length));
    const QString folder = QFileInfo(linkPath).path();
    const QString target = QDir::cleanPath(QDir(folder).absoluteFilePath(QFile::decodeName(text)));
    if (isFolder(target))
        return target;
    const QString last = QFileInfo(target).fileName();
    const QString neighbour = folder + QLatin1Char('/') + last;
    if (last.startsWith(QLatin1String("sha256:")) && isFolder(neighbour))
        return neighbour;
    return std::nullopt;
}

Result<> Library::touch(const QString& directory) {
    return recordUse(directory, QDateTime::currentDateTime());
}

Result<DirectoryLock> Library::globalLock(int timeoutMilliseconds) const {
    return DirectoryLock::lock(m_home, timeoutMilliseconds);
}

} // namespace vitrine
