// SPDX-License-Identifier: Apache-2.0
#include "core/disk/file_copy.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_descriptor.h"
#include "core/posix/files.h"

#include <QByteArray>
#include <QFile>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <vector>

namespace vitrine {

namespace {

constexpr quint64 rangeStep = 16ULL << 20; // bytes between two looks at the stop token
constexpr quint64 bufferSize = 1ULL << 20;
constexpr quint64 zeroBlock = 4096; // smallest hole that is looked for inside data

struct Extent {
    quint64 start = 0;
    quint64 end = 0;
};

bool isZero(const char* data, quint64 size) {
    return size == 0 || (data[0] == 0 && std::memcmp(data, data + 1, size - 1) == 0);
}

class DiskCopy final {
public:
    DiskCopy(QString source, QString target, const JobContext& context)
        : m_source(std::move(source))
        , m_target(std::move(target))
        , m_context(context) {}

    Result<CopyMethod> run(CopyMethod first) {
        if (m_context.cancelled())
            return fail(Error::cancelled());
        if (auto opened = openBoth(); !opened)
            return fail(opened.error());
        auto method = copy(first);
        if (method)
            if (auto synced = syncFile(m_to.get(), m_target); !synced)
                method = fail(synced.error());
        if (method && m_context.cancelled())
            method = fail(Error::cancelled());
        const bool isOurs = m_to.isValid();
        m_to.reset();
        if (!method && isOurs)
            ::unlink(QFile::encodeName(m_target).constData());
        return method;
    }

private:
    Result<> openBoth() {
        m_from = FileDescriptor(::open(QFile::encodeName(m_source).constData(),
                                       O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        if (!m_from.isValid())
            return fail(Error::fromErrno(Tr::tr("Cannot open \"%1\".").arg(m_source), errno));
        struct stat info {};
        if (::fstat(m_from.get(), &info) != 0)
            return fail(readError(errno));
        if (!S_ISREG(info.st_mode))
            return fail(Error::Kind::Unsupported,
                        Tr::tr("\"%1\" is not a regular file and cannot be copied. Move it away "
                               "and put the right file in its place.")
                            .arg(m_source));
        m_size = static_cast<quint64>(info.st_size);
        m_allocated = static_cast<quint64>(info.st_blocks) * 512;
        m_to = FileDescriptor(::open(QFile::encodeName(m_target).constData(),
                                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                     0600));
        if (!m_to.isValid())
            return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(m_target), errno));
        return {};
    }

    Result<CopyMethod> copy(CopyMethod first) {
        m_progress.step = Tr::tr("Copying the disk");
        if (first == CopyMethod::Reflink) {
            int target = m_to.release();
            const bool cloned =
                posix::cloneInto(m_from.get(), target, QFile::encodeName(m_target).constData());
            const int error = errno;
            m_to = FileDescriptor(target);
            if (cloned) {
                report(m_allocated, m_allocated);
                return CopyMethod::Reflink;
            }
            if (!m_to.isValid() || !posix::meansOtherWay(error))
                return fail(writeError(error));
        }
        while (::ftruncate(m_to.get(), static_cast<off_t>(m_size)) != 0)
            if (errno != EINTR)
                return fail(errno == EFBIG ? tooBig() : writeError(errno));
        const auto extents = dataExtents();
        if (!extents)
            return fail(extents.error());
        quint64 total = 0;
        for (const Extent& extent : *extents)
            total += extent.end - extent.start;
        report(0, total);
        auto method = first == CopyMethod::Sparse ? CopyMethod::Sparse : CopyMethod::CopyFileRange;
        for (Extent extent : *extents) {
            if (method == CopyMethod::CopyFileRange)
                if (auto copied = copyRange(extent, method); !copied)
                    return fail(copied.error());
            if (method == CopyMethod::Sparse)
                if (auto copied = copySparse(extent); !copied)
                    return fail(copied.error());
        }
        return method;
    }

    // Where SEEK_DATA is unknown, the file system shows the whole file as one extent.
    Result<std::vector<Extent>> dataExtents() {
        std::vector<Extent> extents;
        quint64 position = 0;
        while (position < m_size) {
            if (m_context.cancelled())
                return fail(Error::cancelled());
            const off_t start = ::lseek(m_from.get(), static_cast<off_t>(position), SEEK_DATA);
            if (start < 0 && errno == ENXIO)
                break;
            // ENOTTY: volumes of macOS that have no such question, exFAT's and SMB's among them.
            if (start < 0 &&
                (errno == EINVAL || errno == EOPNOTSUPP || errno == ENOTSUP || errno == ENOTTY)) {
                extents.push_back({position, m_size});
                break;
            }
            const off_t end = start < 0 ? start : ::lseek(m_from.get(), start, SEEK_HOLE);
            if (end < 0)
                return fail(readError(errno));
            extents.push_back(
                {static_cast<quint64>(start), std::min(static_cast<quint64>(end), m_size)});
            position = static_cast<quint64>(end);
        }
        return extents;
    }

    // Moves the beginning of `extent` on. Sets `method` to Sparse when the kernel refuses this way.
    Result<> copyRange(Extent& extent, CopyMethod& method) {
        while (extent.start < extent.end) {
            if (m_context.cancelled())
                return fail(Error::cancelled());
            const ssize_t n = posix::copyRange(m_from.get(),
                                               m_to.get(),
                                               extent.start,
                                               std::min(rangeStep, extent.end - extent.start));
            if (n < 0 && errno == EINTR)
                continue;
            // Zero: some file systems of the kernel's own making report no data this way.
            if (n == 0 || (n < 0 && posix::meansOtherWay(errno))) {
                method = CopyMethod::Sparse;
                return {};
            }
            if (n < 0)
                return fail(writeError(errno));
            moved(extent, static_cast<quint64>(n));
        }
        return {};
    }

    Result<> copySparse(Extent extent) {
        if (m_buffer.isEmpty())
            m_buffer.resize(static_cast<qsizetype>(bufferSize));
        while (extent.start < extent.end) {
            if (m_context.cancelled())
                return fail(Error::cancelled());
            // Up to the next whole buffer, so that the blocks below lie on block borders.
            const quint64 wanted =
                std::min(extent.end, (extent.start / bufferSize + 1) * bufferSize) - extent.start;
            const ssize_t n =
                ::pread(m_from.get(), m_buffer.data(), wanted, static_cast<off_t>(extent.start));
            if (n < 0 && errno == EINTR)
                continue;
            if (n < 0)
                return fail(readError(errno));
            if (n == 0)
                return fail(Error::Kind::Integrity,
                            Tr::tr("\"%1\" became shorter while it was copied. Stop what changes "
                                   "it and try again.")
                                .arg(m_source));
            if (auto written = writeData(extent.start, static_cast<quint64>(n)); !written)
                return written;
            moved(extent, static_cast<quint64>(n));
        }
        return {};
    }

    Result<> writeData(quint64 offset, quint64 size) {
        const char* data = m_buffer.constData();
        quint64 from = 0;
        while (from < size) {
            const auto blockEnd = [&](quint64 at) {
                return std::min(size, ((offset + at) / zeroBlock + 1) * zeroBlock - offset);
            };
            quint64 to = from;
            while (to < size && !isZero(data + to, blockEnd(to) - to))
                to = blockEnd(to);
            while (from < to) {
                const ssize_t n =
                    ::pwrite(m_to.get(), data + from, to - from, static_cast<off_t>(offset + from));
                if (n < 0 && errno == EINTR)
                    continue;
                if (n <= 0)
                    return fail(writeError(n == 0 ? ENOSPC : errno));
                from += static_cast<quint64>(n);
            }
            while (from < size && isZero(data + from, blockEnd(from) - from))
                from = blockEnd(from);
        }
        return {};
    }

    void moved(Extent& extent, quint64 size) {
        // Begins writing now, so that the fsync at the end is short and can be reached at all
        // after a cancel.
        posix::startWriteBack(m_to.get(), extent.start, size);
        extent.start += size;
        report(m_progress.done + size, *m_progress.total);
    }

    void report(quint64 done, quint64 total) {
        m_progress.done = done;
        m_progress.total = total;
        m_context.report(m_progress);
    }

    [[nodiscard]] Error readError(int errorNumber) const {
        return Error::fromErrno(Tr::tr("Cannot read \"%1\".").arg(m_source), errorNumber);
    }
    [[nodiscard]] Error writeError(int errorNumber) const {
        return Error::fromErrno(Tr::tr("Cannot copy \"%1\" to \"%2\".").arg(m_source, m_target),
                                errorNumber);
    }
    [[nodiscard]] Error tooBig() const {
        return Error{Error::Kind::Unsupported,
                     Tr::tr("Cannot copy \"%1\". The volume of \"%2\" takes no file of %3. Use "
                            "another volume.")
                         .arg(m_source, m_target, ByteCount::fromBytes(m_size).toText()),
                     {}};
    }

    QString m_source;
    QString m_target;
    const JobContext& m_context;
    FileDescriptor m_from;
    FileDescriptor m_to;
    quint64 m_size = 0;
    quint64 m_allocated = 0;
    QByteArray m_buffer;
    Progress m_progress;
};

} // namespace

Result<CopyMethod>
copyDisk(const QString& source, const QString& target, const JobContext& context) {
    return copyDiskFrom(CopyMethod::Reflink, source, target, context);
}

bool canReflink(const QString& source, const QString& targetDirectory) {
    const FileDescriptor from(
        ::open(QFile::encodeName(source).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    return from.isValid() &&
           posix::canClone(from.get(), QFile::encodeName(targetDirectory).constData());
}

Result<CopyMethod> copyDiskFrom(CopyMethod first,
                                const QString& source,
                                const QString& target,
                                const JobContext& context) {
    return DiskCopy(source, target, context).run(first);
}

} // namespace vitrine
