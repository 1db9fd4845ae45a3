// SPDX-License-Identifier: Apache-2.0
#include "qemu/disk_preparation.h"

#include "core/disk/directory_tree.h"
#include "core/disk/file_copy.h"
#include "core/machine/nbd_address.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <algorithm>

namespace vitrine::qemu {
namespace {

using Kind = ExtraDisk::Kind;

const QString copyPrefix = QStringLiteral("run-disk-");

// A copy of ours is locked before it has this name, so an unlocked one belongs to nobody.
void removeLeftCopies(const Library& library) {
    const QDir folder(library.temporaryPath());
    const QStringList names = folder.entryList({copyPrefix + QLatin1Char('*')}, QDir::Files);
    for (const QString& name : names) {
        const QString path = folder.filePath(name);
        if (const auto lock = DirectoryLock::tryLock(path))
            QFile::remove(path);
    }
}

struct Copy {
    QString path;
    DirectoryLock lock;
};

Result<Copy> copyImage(const Library& library, const QString& source, const JobContext& context) {
    const auto folder = library.makeTemporary();
    if (!folder)
        return fail(folder.error());
    const QString inside = folder->path + QStringLiteral("/disk.img");
    const auto finish = [&]() -> Result<Copy> {
        const auto copied = copyDisk(source, inside, context);
        if (!copied)
            return fail(copied.error());
        auto lock = DirectoryLock::tryLock(inside);
        if (!lock)
            return fail(lock.error());
        const QString path = library.temporaryPath() + QLatin1Char('/') + copyPrefix +
                             QUuid::createUuid().toString(QUuid::WithoutBraces).toUpper();
        if (const auto moved = renameWithoutReplacing(inside, path); !moved)
            return fail(moved.error());
        return Copy{path, std::move(*lock)};
    };
    auto copy = finish();
    (void)removeTree(folder->path);
    return copy;
}

// QEMU wants a folder with this one name in it.
Result<> linkAuthorities(const QString& runtimePath) {
    static const QStringList bundles{QStringLiteral("/etc/ssl/certs/ca-certificates.crt"),
                                     QStringLiteral("/etc/pki/tls/certs/ca-bundle.crt"),
                                     QStringLiteral("/etc/ssl/ca-bundle.pem")};
    const auto bundle = std::find_if(bundles.begin(), bundles.end(), [](const QString& path) {
        return QFileInfo(path).isReadable();
    });
    if (bundle == bundles.end())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("An encrypted network disk cannot be verified: this computer has no "
                           "list of certificate authorities. Install the package \"%1\", or name "
                           "a folder with tls-certificates.")
                        .arg(QStringLiteral("ca-certificates")));
    const QString folder = runtimePath + QLatin1Char('/') + QLatin1String(authoritiesFolder);
    if (const auto made = makeDirectories(folder, 0700); !made)
        return made;
    QFile::remove(folder + QStringLiteral("/ca-cert.pem"));
    if (!QFile::link(*bundle, folder + QStringLiteral("/ca-cert.pem")))
        return fail(Error::Kind::Internal, Tr::tr("Cannot make a link in \"%1\".").arg(folder));
    return {};
}

bool needsAuthorities(const PlannedDisk& disk) {
    if (disk.kind != Kind::NetworkDisk)
        return false;
    const auto address = NbdAddress::fromText(disk.path);
    return address && address->encrypted && address->certificates.isEmpty();
}

// The configuration of the machine that a disk belongs to; empty when it belongs to none.
QString ownerOf(const QString& disk) {
    const QFileInfo file(QFileInfo(disk).canonicalFilePath());
    const QString config = file.absolutePath() + QStringLiteral("/config.json");
    return file.fileName() == QLatin1String("disk.img") && QFileInfo::exists(config) ? config
                                                                                     : QString();
}

} // namespace

PreparedDisks::~PreparedDisks() {
    for (const QString& copy : std::as_const(m_copies))
        QFile::remove(copy);
}

QList<int> PreparedDisks::descriptors() const {
    QList<int> list;
    for (const DirectoryLock& lock : m_locks)
        list.append(lock.descriptor());
    return list;
}

Result<PreparedDisks> prepareDisks(const Library& library,
                                   const QString& runtimePath,
                                   LaunchPlan& plan,
                                   const JobContext& context) {
    removeLeftCopies(library);
    PreparedDisks prepared;
    if (std::any_of(plan.disks.cbegin(), plan.disks.cend(), needsAuthorities))
        if (const auto linked = linkAuthorities(runtimePath); !linked)
            return fail(linked.error());
    for (PlannedDisk& disk : plan.disks) {
        if (disk.kind == Kind::CachedImage) {
            auto copy = copyImage(library, disk.path, context);
            if (!copy)
                return fail(copy.error());
            prepared.m_copies.append(copy->path);
            prepared.m_locks.push_back(std::move(copy->lock));
            disk.path = copy->path;
            continue;
        }
        if (disk.kind == Kind::NetworkDisk)
            continue;
        if (const QString config = ownerOf(disk.path); !config.isEmpty()) {
            auto owner = ConfigFile::tryLock(config, ConfigFile::Mode::Shared);
            if (!owner)
                return fail(owner.error().kind,
                            Tr::tr("The disk \"%1\" belongs to another machine. %2")
                                .arg(disk.path, owner.error().message));
            prepared.m_machines.push_back(std::move(*owner));
        }
        if (!disk.options.readOnly) {
            auto lock = DirectoryLock::tryLock(disk.path);
            if (!lock)
                return fail(lock.error().kind == Error::Kind::Busy
                                ? Error{Error::Kind::Busy,
                                        Tr::tr("The disk \"%1\" is in use by another program. Wait "
                                               "until it has finished, or use the disk read-only.")
                                            .arg(disk.path),
                                        {}}
                                : lock.error());
            prepared.m_locks.push_back(std::move(*lock));
        }
    }
    return prepared;
}

} // namespace vitrine::qemu
