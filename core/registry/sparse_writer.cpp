// SPDX-License-Identifier: Apache-2.0
#include "core/registry/sparse_writer.h"

#include "core/posix/files.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

constexpr size_t readStep = 1 << 20;
constexpr size_t shortestDirect = 128 * 1024; // shorter ones cost more than they save

bool isZero(const char* data, size_t size) {
    if (size < 16) {
        return std::all_of(data, data + size, [](char c) { return c == 0; });
    }
    quint64 first = 0;
    std::memcpy(&first, data, sizeof first);
    return first == 0 && std::memcmp(data, data + 8, size - 8) == 0;
}

Error readError(const QString& path, int code) {
    return Error::fromErrno(Tr::tr("Cannot read \"%1\".").arg(path), code);
}

} // namespace

SparseWriter::SparseWriter(int descriptor, QString path)
    : m_descriptor(descriptor)
    , m_direct(posix::openDirect(descriptor))
    , m_path(std::move(path))
    , m_block(4096) {
    struct stat info {};
    if (::fstat(descriptor, &info) == 0) {
        const auto size = static_cast<quint64>(info.st_blksize);
        // Network file systems name a transfer size here that is no unit of allocation.
        if (std::has_single_bit(size) && size >= 512 && size <= 65536)
            m_block = size;
    }
}

Result<> SparseWriter::writeAll(int descriptor, quint64 offset, const char* data, size_t size) {
    while (size > 0) {
        const ssize_t n = ::pwrite(descriptor, data, size, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EINVAL && descriptor == m_direct.get()) {
            m_direct.reset(); // the volume wants another alignment
            return writeAll(m_descriptor, offset, data, size);
        }
        if (n <= 0)
            return fail(Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(m_path),
                                         n == 0 ? ENOSPC : errno));
        data += n;
        offset += static_cast<quint64>(n);
        size -= static_cast<size_t>(n);
        // A short direct write (the disk is nearly full) leaves an end that direct writing refuses.
        if (size > 0 && descriptor == m_direct.get())
            return writeAll(m_descriptor, offset, data, size);
    }
    return {};
}

Result<> SparseWriter::writeRun(quint64 offset, const char* data, size_t size) {
    const size_t mask = alignment - 1;
    const size_t head = (alignment - (offset & mask)) & mask;
    const bool aligned = (reinterpret_cast<uintptr_t>(data) & mask) == (offset & mask);
    if (!m_direct.isValid() || !aligned || size < head + shortestDirect)
        return writeAll(m_descriptor, offset, data, size);
    const size_t middle = (size - head) & ~mask;
    if (auto done = writeAll(m_descriptor, offset, data, head); !done)
        return done;
    if (auto done = writeAll(m_direct.get(), offset + head, data + head, middle); !done)
        return done;
    const size_t taken = head + middle;
    return writeAll(m_descriptor, offset + taken, data + taken, size - taken);
}

Result<> SparseWriter::write(quint64 offset, QByteArrayView data) {
    const char* const bytes = data.data();
    const auto size = static_cast<size_t>(data.size());
    size_t position = 0;
    size_t pending = 0; // start of the bytes that have to be written
    while (position < size) {
        const auto toBoundary =
            static_cast<size_t>(m_block - ((offset + position) & (m_block - 1)));
        const size_t length = std::min(toBoundary, size - position);
        if (isZero(bytes + position, length)) {
            if (position > pending) {
                if (auto done = writeRun(offset + pending, bytes + pending, position - pending);
                    !done)
                    return done;
            }
            pending = position + length;
        }
        position += length;
    }
    if (size > pending)
        return writeRun(offset + pending, bytes + pending, size - pending);
    return {};
}

Result<> SparseWriter::clear(quint64 offset, quint64 size) {
    if (size == 0)
        return {};
    if (posix::punchHole(m_descriptor, offset, size))
        return {};
    if (errno != EOPNOTSUPP)
        return fail(Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(m_path), errno));
    const auto zeros = std::make_unique<char[]>(readStep);
    const quint64 end = offset + size;
    while (offset < end) {
        const off_t data = ::lseek(m_descriptor, static_cast<off_t>(offset), SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            return {};
        offset = std::max(offset, static_cast<quint64>(std::max<off_t>(data, 0)));
        if (offset >= end)
            return {};
        const auto step = static_cast<size_t>(std::min<quint64>(readStep, end - offset));
        if (auto done = writeAll(m_descriptor, offset, zeros.get(), step); !done)
            return done;
        offset += step;
    }
    return {};
}

std::unique_ptr<char, FreeMemory> alignedMemory(size_t size) {
    // aligned_alloc() wants a multiple of the alignment.
    constexpr size_t alignment = SparseWriter::alignment;
    const size_t rounded = (size + alignment - 1) / alignment * alignment;
    return std::unique_ptr<char, FreeMemory>(
        static_cast<char*>(std::aligned_alloc(alignment, rounded)));
}

Result<Sha256> hashRegion(int descriptor,
                          const QString& path,
                          quint64 offset,
                          quint64 size,
                          const std::stop_token& stop) {
    Sha256Hasher hasher;
    const auto buffer = std::make_unique<char[]>(readStep);
    const quint64 end = offset + size;
    struct stat info {};
    if (::fstat(descriptor, &info) != 0)
        return fail(readError(path, errno));
    if (static_cast<quint64>(info.st_size) < end)
        return fail(Error::Kind::Integrity,
                    Tr::tr("\"%1\" is shorter than it should be.").arg(path));
    while (offset < end) {
        if (stop.stop_requested())
            return fail(Error::cancelled());
        const off_t found = ::lseek(descriptor, static_cast<off_t>(offset), SEEK_DATA);
        quint64 data = end;
        if (found >= 0)
            data = std::min(static_cast<quint64>(found), end);
        else if (errno != ENXIO)
            data = offset; // no SEEK_DATA here: read everything
        // In steps, so that a stop is seen inside a large hole as well.
        const quint64 hole = std::min<quint64>(data - offset, 64 * readStep);
        if (hole > 0) {
            hasher.addZeros(hole);
            offset += hole;
            continue;
        }
        const auto step = static_cast<size_t>(std::min<quint64>(readStep, end - offset));
        const ssize_t n = ::pread(descriptor, buffer.get(), step, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail(readError(path, n == 0 ? EIO : errno));
        hasher.add(buffer.get(), static_cast<size_t>(n));
        offset += static_cast<quint64>(n);
    }
    return hasher.finish();
}

} // namespace vitrine
