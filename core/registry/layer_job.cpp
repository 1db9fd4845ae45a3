// SPDX-License-Identifier: Apache-2.0
#include "core/registry/layer_job.h"

#include "core/disk/disk_space.h"
#include "core/posix/files.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

constexpr qint64 readStep = 256 * 1024;     // compressed bytes taken from the network at once
constexpr quint64 recordStep = 256 * 1024;  // compressed bytes between two records
constexpr quint64 leastProgress = 16384;    // compressed bytes of an answer that was cut off
constexpr size_t gatherTogether = 64 << 20; // bytes of all workers
constexpr quint64 writeBackStep = 16 * 1024 * 1024; // plain bytes after which the disk starts
constexpr quint64 historySize = 64 * 1024;
constexpr size_t copyStep = 1 << 20;
constexpr quint64 spaceReserve = 64ULL * 1024 * 1024; // never taken from the volume

Error damaged(const DiskLayer& layer, const QString& detail) {
    return Error{Error::Kind::Integrity,
                 Tr::tr("The part %1 of the image arrived damaged twice: its bytes are not those "
                        "that the manifest promises. The image was not stored. Pull it again; if "
                        "that fails in the same way, it has to be pushed again.")
                     .arg(layer.blob.digest.shortText()),
                 detail};
}

} // namespace

// One layer being fetched.
struct LayerJob::State {
    State(int number, const DiskLayer& description)
        : index(number)
        , layer(description) {}

    int index;
    const DiskLayer& layer;
    std::unique_ptr<AppleLz4Decoder> decoder;
    std::optional<Sha256Hasher> compressedHash; // absent when another process fetched the beginning
    std::optional<Sha256Hasher> plainHash;      // likewise
    QByteArrayView run;              // unpacked and not yet written, the decoder's memory
    quint64 runOffset = 0;           // where that goes in disk.img
    std::optional<Error> writeError; // of this computer's disk
    quint64 recorded = 0;            // compressed bytes of the last record
    quint64 writtenBack = 0;         // plain bytes given to the disk
    bool useRange = true;
    bool restarted = false;
    quint64 moved = 0; // compressed bytes that this attempt brought
};

LayerJob::LayerJob(PullWork& work, RegistrySession& session)
    : m_work(work)
    , m_client(session)
    , m_writer(work.store.disk(), work.store.diskPath())
    , m_gatherSize(
          std::clamp<size_t>(gatherTogether / static_cast<size_t>(work.workers), 1 << 20, 4 << 20))
    , m_buffer(alignedMemory(std::max<size_t>(readStep, copyStep))) {}

Result<> LayerJob::run(int layer, const LayerPlan& plan) {
    switch (plan.source) {
    case LayerPlan::Source::Here:
        m_work.progress.setLayer(layer, ProgressItem::State::AlreadyHere, Tr::tr("Already here"));
        return {};
    case LayerPlan::Source::Check: {
        const auto good = check(layer);
        if (!good)
            return fail(good.error());
        if (*good)
            return finish(layer, ProgressItem::State::AlreadyHere, Tr::tr("Already here, checked"));
        if (auto cleared = m_work.store.record(layer, LayerRecord()); !cleared)
            return cleared;
        break;
    }
    case LayerPlan::Source::Zeros: {
        const DiskLayer& described = m_work.manifest.disk().at(layer);
        if (m_work.store.isUsed()) {
            if (auto cleared = m_writer.clear(described.plainOffset, described.plainSize); !cleared)
                return cleared;
        }
        return finish(layer, ProgressItem::State::AlreadyHere, Tr::tr("Only zeros"));
    }
    case LayerPlan::Source::Copy:
    case LayerPlan::Source::Repeat: {
        const bool repeat = plan.source == LayerPlan::Source::Repeat;
        const auto good = repeat ? copy(layer,
                                        m_work.store.diskPath(),
                                        m_work.manifest.disk().at(plan.original).plainOffset)
                                 : copy(layer, plan.copyPath, plan.copyOffset);
        if (!good)
            return fail(good.error());
        if (*good)
            return finish(layer,
                          ProgressItem::State::AlreadyHere,
                          repeat ? Tr::tr("Same as an earlier part")
                                 : Tr::tr("From another image, checked"));
        m_work.progress.log(QStringLiteral("%1: the copy on this computer is not usable, fetching")
                                .arg(m_work.manifest.disk().at(layer).blob.digest.shortText()));
        break;
    }
    case LayerPlan::Source::Fetch:
        break;
    }
    return fetch(layer);
}

Result<> LayerJob::finish(int layer, ProgressItem::State state, const QString& note) {
    const DiskLayer& described = m_work.manifest.disk().at(layer);
    LayerRecord record;
    record.state = LayerRecord::State::Done;
    record.compressed = described.blob.size;
    record.plain = described.plainSize;
    if (auto recorded = m_work.store.record(layer, record); !recorded)
        return recorded;
    m_work.progress.setLayer(layer, state, note);
    return {};
}

Result<> LayerJob::checkSpace() const {
    const auto space = volumeSpace(m_work.store.path());
    if (space && space->available.bytes() < spaceReserve)
        return fail(Error::Kind::DiskFull,
                    Tr::tr("The disk that holds the library is almost full. Free some space and "
                           "pull again."),
                    m_work.store.path());
    return {};
}

Result<bool> LayerJob::check(int layer) {
    const DiskLayer& described = m_work.manifest.disk().at(layer);
    m_work.progress.setLayer(layer, ProgressItem::State::Running, Tr::tr("Checking"));
    const auto digest = hashRegion(m_work.store.disk(),
                                   m_work.store.diskPath(),
                                   described.plainOffset,
                                   described.plainSize,
                                   m_work.stop);
    if (!digest)
        return fail(digest.error());
    return *digest == described.plainDigest;
}

Result<bool> LayerJob::copy(int layer, const QString& path, quint64 offset) {
    const DiskLayer& described = m_work.manifest.disk().at(layer);
    m_work.progress.setLayer(layer, ProgressItem::State::Running, Tr::tr("Copying and checking"));
    const FileDescriptor source(::open(QFile::encodeName(path).constData(),
                                       O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    if (!source.isValid() || ::fstat(source.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
        static_cast<quint64>(info.st_size) < offset + described.plainSize)
        return false;
    const auto clear = [&]() -> Result<bool> {
        if (auto cleared = m_writer.clear(described.plainOffset, described.plainSize); !cleared)
            return fail(cleared.error());
        return false;
    };
    if (posix::cloneRange(source.get(),
                          offset,
                          m_work.store.disk(),
                          described.plainOffset,
                          described.plainSize)) {
        const auto good = check(layer);
        return good && !*good ? clear() : good;
    }
    if (m_work.store.isUsed()) {
        if (auto cleared = clear(); !cleared)
            return cleared;
    }
    Sha256Hasher hasher;
    quint64 position = 0;
    quint64 sinceCheck = 0;
    while (position < described.plainSize) {
        if (m_work.stop.stop_requested())
            return fail(Error::cancelled());
        const off_t found = ::lseek(source.get(), static_cast<off_t>(offset + position), SEEK_DATA);
        quint64 data = position;
        if (found >= 0)
            data = std::min(static_cast<quint64>(found) - offset, described.plainSize);
        else if (errno == ENXIO)
            data = described.plainSize;
        if (data > position) {
            const quint64 hole = std::min<quint64>(data - position, 64 * copyStep);
            hasher.addZeros(hole);
            position += hole;
            continue;
        }
        const auto step =
            static_cast<size_t>(std::min<quint64>(copyStep, described.plainSize - position));
        const ssize_t n =
            ::pread(source.get(), m_buffer.get(), step, static_cast<off_t>(offset + position));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return clear(); // unreadable: fetch it
        hasher.add(m_buffer.get(), static_cast<size_t>(n));
        if (auto written =
                m_writer.write(described.plainOffset + position, QByteArrayView(m_buffer.get(), n));
            !written)
            return fail(written.error());
        position += static_cast<quint64>(n);
        sinceCheck += static_cast<quint64>(n);
        if (sinceCheck >= writeBackStep) {
            sinceCheck = 0;
            if (auto space = checkSpace(); !space)
                return fail(space.error());
        }
        m_work.progress.setLayer(layer,
                                 static_cast<quint64>(static_cast<double>(described.blob.size) *
                                                      static_cast<double>(position) /
                                                      static_cast<double>(described.plainSize)));
    }
    if (hasher.finish() != described.plainDigest)
        return clear();
    return true;
}

Result<> LayerJob::begin(State& state) {
    const LayerRecord record = m_work.store.at(state.index);
    const bool resumed = record.state == LayerRecord::State::Begun && record.plain > 0;
    const quint64 from = resumed ? record.plain : 0;
    if (m_work.store.isUsed() || state.restarted) {
        if (auto cleared =
                m_writer.clear(state.layer.plainOffset + from, state.layer.plainSize - from);
            !cleared)
            return cleared;
    }
    state.run = QByteArrayView();
    state.runOffset = state.layer.plainOffset + from;
    const auto take = [&state](QByteArrayView plain) {
        if (state.plainHash)
            state.plainHash->add(plain.data(), static_cast<size_t>(plain.size()));
        // The decoder puts one piece behind the other.
        const char* const start = state.run.isEmpty() ? plain.data() : state.run.data();
        state.run = QByteArrayView(start, state.run.size() + plain.size());
        return true;
    };
    const auto makeRoom = [this, &state] {
        const auto flushed = flush(state);
        if (!flushed)
            state.writeError = flushed.error();
        return flushed.has_value();
    };
    state.decoder = std::make_unique<AppleLz4Decoder>(
        state.layer.plainSize,
        take,
        AppleLz4Decoder::Memory{
            m_gatherSize, state.runOffset & (SparseWriter::alignment - 1), makeRoom});
    state.decoder->leaveDistanceZeroToDigest();
    state.compressedHash.reset();
    state.plainHash.reset();
    state.recorded = resumed ? record.compressed : 0;
    state.writtenBack = from;
    if (!resumed) {
        state.compressedHash.emplace();
        state.plainHash.emplace();
        return {};
    }
    const quint64 history = std::min(from, historySize);
    QByteArray bytes(static_cast<qsizetype>(history), Qt::Uninitialized);
    const ssize_t n = ::pread(m_work.store.disk(),
                              bytes.data(),
                              history,
                              static_cast<off_t>(state.layer.plainOffset + from - history));
    if (n != static_cast<ssize_t>(history))
        return fail(Error::fromErrno(Tr::tr("Cannot read \"%1\".").arg(m_work.store.diskPath()),
                                     n < 0 ? errno : EIO));
    state.decoder->resume(record.compressed, from, bytes);
    return {};
}

Result<> LayerJob::startOver(State& state) {
    state.restarted = true;
    if (auto recorded = m_work.store.record(state.index, LayerRecord()); !recorded)
        return recorded;
    m_work.progress.setLayer(state.index, 0);
    return begin(state);
}

Result<> LayerJob::fetch(int index) {
    State state(index, m_work.manifest.disk().at(index));
    m_work.progress.setLayer(index, ProgressItem::State::Running, Tr::tr("Fetching"));
    if (auto begun = begin(state); !begun)
        return begun;
    m_work.progress.setLayer(index, state.decoder->compressedBytes());
    RetryBudget budget(m_work.retry);
    while (true) {
        state.moved = 0;
        auto complete = fetchOnce(state);
        if (complete && *complete) {
            const auto proved = prove(state);
            if (proved)
                return finish(index, ProgressItem::State::Done, Tr::tr("Checked and written"));
            complete = failed(proved.error());
        }
        if (complete)
            continue;
        const Failure& failure = complete.error();
        if (failure.error.isCancelled() || m_work.stop.stop_requested())
            return fail(Error::cancelled());
        if (state.writeError)
            return fail(*state.writeError);
        m_work.progress.log(QStringLiteral("%1: %2").arg(state.layer.blob.digest.shortText(),
                                                         failure.error.detail));
        if (failure.error.kind == Error::Kind::Integrity && !failure.transient) {
            // A proxy or a bad disk may have damaged it once; twice is the image itself.
            if (state.restarted)
                return fail(damaged(state.layer, failure.error.detail));
            if (auto again = startOver(state); !again)
                return again;
            continue;
        }
        // A trickle, of a server that stalls or that ends each answer after some bytes, is no
        // progress, or it would be asked for ever.
        if (state.moved >= (failure.stalled ? recordStep : leastProgress))
            budget.progressed();
        const auto wait = budget.next(failure);
        if (!wait) {
            m_work.progress.setLayer(index, ProgressItem::State::Failed, failure.error.message);
            return fail(failure.error);
        }
        const int seconds = static_cast<int>((wait->count() + 999) / 1000);
        m_work.progress.setLayer(index,
                                 ProgressItem::State::Running,
                                 Tr::tr("Trying again in %n second(s)", nullptr, seconds));
        if (!waitFor(*wait, m_work.stop))
            return fail(Error::cancelled());
        m_work.progress.setLayer(index, ProgressItem::State::Running, Tr::tr("Fetching"));
    }
}

Attempt<bool> LayerJob::fetchOnce(State& state) {
    const quint64 position = state.decoder->compressedBytes();
    if (position < state.layer.blob.size || position == 0) {
        bool rangeBroken = false;
        auto stream = m_client.blob(m_work.repository,
                                    state.layer.blob,
                                    state.useRange ? position : 0,
                                    rangeBroken,
                                    m_work.stop);
        if (rangeBroken)
            state.useRange = false;
        if (!stream)
            return failed(stream.error());
        quint64 skip = state.useRange ? stream->skip : position;
        while (true) {
            const auto count = stream->reply->read(m_buffer.get(), readStep, m_work.stop);
            if (!count)
                return failed(count.error());
            if (*count == 0)
                break;
            m_work.progress.addFetched(static_cast<quint64>(*count));
            QByteArrayView piece(m_buffer.get(), *count);
            const auto drop =
                static_cast<qsizetype>(std::min<quint64>(skip, static_cast<quint64>(piece.size())));
            skip -= static_cast<quint64>(drop);
            piece = piece.sliced(drop);
            if (piece.isEmpty())
                continue;
            if (const auto taken = take(state, piece); !taken)
                return failed(taken.error());
        }
    }
    if (state.decoder->compressedBytes() < state.layer.blob.size)
        return failed(
            Failure::passing(Error{Error::Kind::Network,
                                   Tr::tr("The registry ended the part %1 of the image too early.")
                                       .arg(state.layer.blob.digest.shortText()),
                                   QStringLiteral("ended at %1 of %2 bytes")
                                       .arg(state.decoder->compressedBytes())
                                       .arg(state.layer.blob.size)}));
    return true;
}

Attempt<> LayerJob::take(State& state, QByteArrayView compressed) {
    const quint64 before = state.decoder->compressedBytes();
    if (before + static_cast<quint64>(compressed.size()) > state.layer.blob.size)
        return failed(Failure::permanent(
            Error{Error::Kind::Integrity,
                  {},
                  QStringLiteral("more than %1 bytes came").arg(state.layer.blob.size)}));
    if (state.compressedHash)
        state.compressedHash->add(compressed.data(), static_cast<size_t>(compressed.size()));
    if (const auto fed = state.decoder->feed(compressed); !fed)
        return failed(Failure::permanent(state.writeError ? *state.writeError : fed.error()));
    state.moved += static_cast<quint64>(compressed.size());
    m_work.progress.setLayer(state.index, state.decoder->compressedBytes());

    if (state.decoder->blockOffset() - state.recorded >= recordStep) {
        if (auto saved = save(state); !saved)
            return failed(Failure::permanent(*(state.writeError = saved.error())));
    }
    return {};
}

Result<> LayerJob::flush(State& state) {
    if (auto written = m_writer.write(state.runOffset, state.run); !written)
        return written;
    state.runOffset += static_cast<quint64>(state.run.size());
    state.run = QByteArrayView();
    return {};
}

Result<> LayerJob::save(State& state) {
    const quint64 offset = state.decoder->blockOffset();
    const quint64 plain = state.decoder->plainBytes();
    if (auto flushed = flush(state); !flushed)
        return flushed;
    // The end mark is not a place to go on from: it would be decoded already.
    if (offset < state.layer.blob.size) {
        LayerRecord record;
        record.state = LayerRecord::State::Begun;
        record.compressed = offset;
        record.plain = plain;
        if (auto recorded = m_work.store.record(state.index, record); !recorded)
            return recorded;
    }
    state.recorded = offset;
    if (plain - state.writtenBack < writeBackStep)
        return {};
    posix::startWriteBack(m_work.store.disk(),
                          state.layer.plainOffset + state.writtenBack,
                          plain - state.writtenBack);
    state.writtenBack = plain;
    return checkSpace();
}

Attempt<> LayerJob::prove(State& state) {
    const auto wrong = [](const QString& detail) {
        return failed(Failure::permanent(Error{Error::Kind::Integrity, {}, detail}));
    };
    if (const auto ended = state.decoder->finish(); !ended)
        return wrong(ended.error().detail);
    if (state.decoder->plainBytes() != state.layer.plainSize)
        return wrong(QStringLiteral("%1 bytes unpacked instead of %2")
                         .arg(state.decoder->plainBytes())
                         .arg(state.layer.plainSize));
    if (auto saved = save(state); !saved)
        return failed(Failure::permanent(*(state.writeError = saved.error())));
    if (state.compressedHash && state.compressedHash->finish() != state.layer.blob.digest)
        return wrong(QStringLiteral("the digest of the compressed bytes differs"));
    if (state.plainHash) {
        if (state.plainHash->finish() != state.layer.plainDigest)
            return wrong(QStringLiteral("the digest of the unpacked bytes differs"));
        return {};
    }
    const auto good = check(state.index);
    if (!good) {
        if (!good.error().isCancelled())
            state.writeError = good.error();
        return failed(Failure::permanent(good.error()));
    }
    if (!*good)
        return wrong(QStringLiteral("the digest of the resumed layer differs"));
    return {};
}

} // namespace vitrine
