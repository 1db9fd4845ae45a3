// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_modules.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <archive.h>
#include <archive_entry.h>

#include <memory>
#include <utility>

namespace vitrine::qemu {

namespace {

constexpr qint64 largestList = 64 << 20;      // bytes of modules.dep
constexpr qsizetype largestModule = 64 << 20; // bytes, unpacked
constexpr qsizetype pieceSize = 256 * 1024;   // bytes read at once

// "kernel/fs/fuse/virtiofs.ko.xz" → "virtiofs"
QString nameOf(const QString& path) {
    QString name = path.mid(path.lastIndexOf(QLatin1Char('/')) + 1);
    name.truncate(name.indexOf(QLatin1Char('.')) < 0 ? name.size()
                                                     : name.indexOf(QLatin1Char('.')));
    return name.replace(QLatin1Char('-'), QLatin1Char('_'));
}

// Below the folder: these lists may come with a root file system of any origin.
bool isInside(const QString& path) {
    return !path.isEmpty() && !path.startsWith(QLatin1Char('/')) &&
           !path.split(QLatin1Char('/')).contains(QStringLiteral(".."));
}

QStringList linesOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    return QString::fromUtf8(file.read(largestList)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
}

struct ReadsArchive {
    void operator()(archive* handle) const { archive_read_free(handle); }
};

} // namespace

Result<KernelModules> KernelModules::open(const QString& folder) {
    KernelModules modules;
    modules.m_folder = QDir::cleanPath(QDir::current().absoluteFilePath(folder));
    const QString list = modules.m_folder + QStringLiteral("/modules.dep");
    if (!QFileInfo(list).isReadable()) {
        return fail(Error::Kind::NotFound,
                    Tr::tr("The folder \"%1\" has no list of modules that can be read "
                           "(modules.dep). \"make modules_install\" or depmod makes it.")
                        .arg(modules.m_folder));
    }
    for (const QString& line : linesOf(list)) {
        const qsizetype colon = line.indexOf(QLatin1Char(':'));
        const QString path = line.left(colon).trimmed();
        if (colon <= 0 || !isInside(path)) {
            continue;
        }
        const QString name = nameOf(path);
        modules.m_files.insert(name, path);
        QStringList needed;
        for (const QString& other :
             line.mid(colon + 1).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
            if (isInside(other)) {
                needed.append(other);
            }
        }
        modules.m_dependencies.insert(name, needed);
    }
    for (const QString& line : linesOf(modules.m_folder + QStringLiteral("/modules.builtin"))) {
        modules.m_builtIn.insert(nameOf(line.trimmed()));
    }
    return modules;
}

QString KernelModules::findFolder(const QString& folder, const QString& version) {
    QStringList places{folder};
    if (!version.isEmpty()) {
        places = {folder + QStringLiteral("/lib/modules/") + version,
                  folder + QLatin1Char('/') + version,
                  folder};
    }
    for (const QString& place : std::as_const(places)) {
        if (QFileInfo::exists(place + QStringLiteral("/modules.dep"))) {
            return QDir::cleanPath(place);
        }
    }
    return {};
}

bool KernelModules::has(const QString& name) const {
    const QString plain = nameOf(name);
    return m_builtIn.contains(plain) || m_files.contains(plain);
}

KernelModules::Selection KernelModules::select(const QStringList& names) const {
    Selection selection;
    const auto add = [&](const QString& path) {
        const QString file = m_folder + QLatin1Char('/') + path;
        if (!selection.files.contains(file)) {
            selection.files.append(file);
        }
    };
    for (const QString& name : names) {
        const QString plain = nameOf(name);
        if (m_builtIn.contains(plain)) {
            continue;
        }
        const auto found = m_files.constFind(plain);
        if (found == m_files.constEnd()) {
            selection.missing.append(name);
            continue;
        }
        const QStringList needed = m_dependencies.value(plain);
        for (auto path = needed.crbegin(); path != needed.crend(); ++path) {
            add(*path);
        }
        add(*found);
    }
    return selection;
}

Result<QByteArray> KernelModules::load(const QString& file) {
    const std::unique_ptr<archive, ReadsArchive> reader(archive_read_new());
    archive_read_support_filter_xz(reader.get());
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_zstd(reader.get());
    archive_read_support_format_raw(reader.get());
    const auto failed = [&] {
        return fail(Error::Kind::Integrity,
                    Tr::tr("The kernel's module \"%1\" cannot be read or unpacked.").arg(file),
                    QString::fromLocal8Bit(archive_error_string(reader.get())));
    };
    archive_entry* entry = nullptr;
    if (archive_read_open_filename(reader.get(), QFile::encodeName(file).constData(), pieceSize) !=
            ARCHIVE_OK ||
        archive_read_next_header(reader.get(), &entry) != ARCHIVE_OK) {
        return failed();
    }
    QByteArray bytes;
    QByteArray piece(pieceSize, Qt::Uninitialized);
    for (;;) {
        const la_ssize_t size =
            archive_read_data(reader.get(), piece.data(), static_cast<size_t>(piece.size()));
        if (size == 0) {
            return bytes;
        }
        if (size < 0 || bytes.size() + size > largestModule) {
            return failed();
        }
        bytes.append(piece.constData(), size);
    }
}

} // namespace vitrine::qemu
