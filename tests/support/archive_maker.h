// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

#include <archive.h>
#include <archive_entry.h>

namespace vitrine::test {

// A tar archive in memory, with whatever names and links a test wants.
class ArchiveMaker final {
public:
    enum class Compression { Gzip, None };
    explicit ArchiveMaker(Compression compression = Compression::Gzip)
        : m_archive(archive_write_new()) {
        if (compression == Compression::Gzip)
            archive_write_add_filter_gzip(m_archive);
        archive_write_set_format_gnutar(m_archive);
        archive_write_set_bytes_in_last_block(m_archive, 1);
        archive_write_open(m_archive, &m_bytes, nullptr, &append, nullptr);
    }
    ~ArchiveMaker() { archive_write_free(m_archive); }
    ArchiveMaker(const ArchiveMaker&) = delete;
    ArchiveMaker& operator=(const ArchiveMaker&) = delete;

    ArchiveMaker&
    file(const QByteArray& name, const QByteArray& content, unsigned int mode = 0644) {
        archive_entry* const entry = make(name, AE_IFREG, mode);
        archive_entry_set_size(entry, content.size());
        archive_write_header(m_archive, entry);
        archive_write_data(m_archive, content.constData(), static_cast<size_t>(content.size()));
        archive_entry_free(entry);
        return *this;
    }
    ArchiveMaker& folder(const QByteArray& name, unsigned int mode = 0755) {
        return write(make(name, AE_IFDIR, mode));
    }
    ArchiveMaker& symlink(const QByteArray& name, const QByteArray& to) {
        archive_entry* const entry = make(name, AE_IFLNK, 0777);
        archive_entry_set_symlink(entry, to.constData());
        return write(entry);
    }
    ArchiveMaker& hardLink(const QByteArray& name, const QByteArray& to) {
        archive_entry* const entry = make(name, AE_IFREG, 0644);
        archive_entry_set_hardlink(entry, to.constData());
        return write(entry);
    }
    ArchiveMaker& device(const QByteArray& name, unsigned int type) {
        archive_entry* const entry = make(name, type, 0666);
        archive_entry_set_rdev(entry, 0x800);
        return write(entry);
    }
    // Ends it.
    [[nodiscard]] QByteArray bytes() const {
        archive_write_close(m_archive);
        return m_bytes;
    }

private:
    static archive_entry* make(const QByteArray& name, unsigned int type, unsigned int mode) {
        archive_entry* const entry = archive_entry_new();
        archive_entry_set_pathname(entry, name.constData());
        archive_entry_set_filetype(entry, type);
        archive_entry_set_perm(entry, mode);
        archive_entry_set_mtime(entry, 1000000000, 0);
        return entry;
    }
    ArchiveMaker& write(archive_entry* entry) {
        archive_write_header(m_archive, entry);
        archive_entry_free(entry);
        return *this;
    }
    static la_ssize_t append(archive*, void* client, const void* bytes, size_t size) {
        static_cast<QByteArray*>(client)->append(static_cast<const char*>(bytes),
                                                 static_cast<qsizetype>(size));
        return static_cast<la_ssize_t>(size);
    }

    archive* m_archive;
    QByteArray m_bytes;
};

} // namespace vitrine::test
