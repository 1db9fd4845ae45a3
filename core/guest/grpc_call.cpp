// SPDX-License-Identifier: Apache-2.0
#include "core/guest/grpc_call.h"

#include "core/disk/file_descriptor.h"
#include "core/guest/grpc_frames.h"
#include "core/guest/grpc_status.h"
#include "core/posix/descriptors.h"

#include <QPointer>
#include <QSocketNotifier>
#include <QTimer>

#include <nghttp2/nghttp2.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/socket.h>
#include <utility>

namespace vitrine {

namespace {

constexpr int window = 1 << 20; // bytes on their way to us that were not yet delivered
constexpr size_t readAtOnce = 64 * 1024;
constexpr int readsAtOnce = 16; // then the event loop gets a turn

QByteArrayView view(const uint8_t* bytes, size_t size) {
    return {reinterpret_cast<const char*>(bytes), static_cast<qsizetype>(size)};
}

nghttp2_nv header(const char* name, const QByteArray& value) {
    // Copied by nghttp2, which wants them writable for no reason that holds without flags.
    return {reinterpret_cast<uint8_t*>(const_cast<char*>(name)),
            reinterpret_cast<uint8_t*>(const_cast<char*>(value.constData())),
            std::strlen(name),
            static_cast<size_t>(value.size()),
            NGHTTP2_NV_FLAG_NONE};
}

struct SessionDeleter {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
};

} // namespace

class GrpcCall::Private {
public:
    Private(GrpcCall* call, int descriptor, QByteArray path, Listener to, int limit)
        : q(call)
        , fd(descriptor)
        , method(std::move(path))
        , listener(std::move(to))
        , openingTime(limit) {}

    void begin();
    void makeSession();
    void submit();
    void schedule();
    void readAll();
    void advance();
    bool deliver(); // false: nothing of this may be touched any more
    void flush();
    void finish(const Result<>& result);
    [[nodiscard]] qsizetype unsentBytes() const { return unsent.size() - unsentStart; }
    ssize_t fill(uint8_t* buffer, size_t length, uint32_t* flags);

    GrpcCall* q;
    FileDescriptor fd;
    QByteArray method;
    Listener listener;
    int openingTime;
    std::unique_ptr<nghttp2_session, SessionDeleter> session;
    std::unique_ptr<QSocketNotifier> readable;
    std::unique_ptr<QSocketNotifier> writable;
    QTimer opening;

    QByteArray unsent; // frames of gRPC
    qsizetype unsentStart = 0;
    bool sendingEnded = false;
    bool deferred = false; // nghttp2 waits to be told of more
    bool wasFull = false;
    qsizetype firstLeft = 0; // bytes of the first message that the peer has not taken
    QByteArray outgoing;     // frames of HTTP/2
    qsizetype outgoingStart = 0;

    int32_t stream = 0;
    bool answered = false;    // the peer's SETTINGS
    bool remoteEnded = false; // it sends no more messages
    bool connectionEnded = false;
    bool unreadable = false;
    std::optional<quint32> resetCode;
    QByteArray held; // data not yet delivered; bounded by the window
    GrpcFrames frames;
    GrpcStatus status;
    bool paused = false;
    bool cancelled = false;
    bool scheduled = false;
    bool done = false;
};

void GrpcCall::Private::begin() {
    ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
    posix::silence(fd.get());
    readable = std::make_unique<QSocketNotifier>(fd.get(), QSocketNotifier::Read);
    writable = std::make_unique<QSocketNotifier>(fd.get(), QSocketNotifier::Write);
    writable->setEnabled(false);
    QObject::connect(readable.get(), &QSocketNotifier::activated, q, [this] { readAll(); });
    QObject::connect(writable.get(), &QSocketNotifier::activated, q, [this] { advance(); });
    opening.setSingleShot(true);
    QObject::connect(&opening, &QTimer::timeout, q, [this] {
        finish(fail(GrpcStatus::silent((openingTime + 999) / 1000)));
    });
    opening.start(openingTime);
    makeSession();
    schedule();
}

void GrpcCall::Private::makeSession() {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(
        callbacks,
        [](nghttp2_session*,
           const nghttp2_frame* frame,
           const uint8_t* name,
           size_t nameSize,
           const uint8_t* value,
           size_t valueSize,
           uint8_t,
           void* self) {
            auto* const d = static_cast<Private*>(self);
            if (frame->hd.stream_id == d->stream)
                d->status.addHeader(view(name, nameSize), view(value, valueSize));
            return 0;
        });
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
        callbacks,
        [](nghttp2_session* http,
           uint8_t,
           int32_t id,
           const uint8_t* data,
           size_t size,
           void* self) {
            auto* const d = static_cast<Private*>(self);
            if (id == d->stream)
                d->held.append(view(data, size));
            else
                nghttp2_session_consume_connection(http, size);
            return 0;
        });
    nghttp2_session_callbacks_set_on_frame_recv_callback(
        callbacks, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
            auto* const d = static_cast<Private*>(self);
            if (frame->hd.type == NGHTTP2_SETTINGS && (frame->hd.flags & NGHTTP2_FLAG_ACK) == 0)
                d->answered = true;
            if (frame->hd.stream_id == d->stream && d->stream != 0 &&
                (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
                d->remoteEnded = true;
            return 0;
        });
    nghttp2_session_callbacks_set_on_stream_close_callback(
        callbacks, [](nghttp2_session*, int32_t id, uint32_t code, void* self) {
            auto* const d = static_cast<Private*>(self);
            if (id == d->stream && !d->remoteEnded)
                d->resetCode = code;
            return 0;
        });
    nghttp2_option* option = nullptr;
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_session* made = nullptr;
    nghttp2_session_client_new2(&made, callbacks, this, option);
    session.reset(made);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    const std::array<nghttp2_settings_entry, 2> settings{
        {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0}, {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window}}};
    nghttp2_submit_settings(made, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(made, NGHTTP2_FLAG_NONE, 0, window);
}

void GrpcCall::Private::submit() {
    const std::array headers{
        header(":method", QByteArrayLiteral("POST")),
        header(":scheme", QByteArrayLiteral("http")),
        header(":path", method),
        header(":authority", QByteArrayLiteral("localhost")),
        header("te", QByteArrayLiteral("trailers")),
        header("content-type", QByteArrayLiteral("application/grpc")),
        header("user-agent", QByteArrayLiteral("vitrine/" VITRINE_VERSION)),
    };
    nghttp2_data_provider provider{};
    provider.source.ptr = this;
    provider.read_callback = [](nghttp2_session*,
                                int32_t,
                                uint8_t* buffer,
                                size_t length,
                                uint32_t* flags,
                                nghttp2_data_source* source,
                                void*) {
        return static_cast<Private*>(source->ptr)->fill(buffer, length, flags);
    };
    stream = nghttp2_submit_request(
        session.get(), nullptr, headers.data(), headers.size(), &provider, nullptr);
    if (stream < 0)
        unreadable = true;
}

ssize_t GrpcCall::Private::fill(uint8_t* buffer, size_t length, uint32_t* flags) {
    const qsizetype size = qMin(static_cast<qsizetype>(length), unsentBytes());
    if (size == 0 && !sendingEnded) {
        deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    std::memcpy(buffer, unsent.constData() + unsentStart, static_cast<size_t>(size));
    unsentStart += size;
    if (firstLeft > 0 && (firstLeft -= size) <= 0) {
        opening.stop();
        wasFull = true; // told as drained
    }
    if (unsentStart == unsent.size()) {
        unsent.clear();
        unsentStart = 0;
        if (sendingEnded)
            *flags |= NGHTTP2_DATA_FLAG_EOF;
    } else if (unsentStart > lowWater) {
        unsent.remove(0, unsentStart);
        unsentStart = 0;
    }
    return size;
}

void GrpcCall::Private::schedule() {
    if (std::exchange(scheduled, true))
        return;
    QMetaObject::invokeMethod(
        q,
        [this] {
            scheduled = false;
            advance();
        },
        Qt::QueuedConnection);
}

void GrpcCall::Private::readAll() {
    std::array<uint8_t, readAtOnce> buffer{};
    for (int i = 0; i < readsAtOnce && !connectionEnded && !unreadable; ++i) {
        const ssize_t size = ::recv(fd.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            break;
        if (size <= 0)
            connectionEnded = true;
        else if (nghttp2_session_mem_recv(
                     session.get(), buffer.data(), static_cast<size_t>(size)) != size)
            unreadable = true;
    }
    advance();
}

void GrpcCall::Private::advance() {
    if (done)
        return;
    if (cancelled) {
        finish(fail(Error::cancelled()));
        return;
    }
    if (answered && stream == 0 && !unreadable)
        submit();
    if (deferred && (unsentBytes() > 0 || sendingEnded)) {
        deferred = false;
        nghttp2_session_resume_data(session.get(), stream);
    }
    if (!deliver())
        return;
    flush();
    if (paused && !unreadable) {
        // Its end is told behind what it said.
        if (connectionEnded)
            readable->setEnabled(false);
        return;
    }
    if (unreadable)
        finish(fail(answered ? GrpcStatus::brokenOff() : GrpcStatus::notHttp2()));
    else if (remoteEnded)
        finish(frames.isEmpty() ? status.outcome(method) : fail(GrpcStatus::brokenOff()));
    else if (resetCode)
        finish(fail(GrpcStatus::reset(*resetCode)));
    else if (connectionEnded)
        finish(fail(answered ? GrpcStatus::brokenOff() : GrpcStatus::nobody()));
    else if (wasFull && unsentBytes() < lowWater) {
        wasFull = false;
        const auto drained = listener.drained; // may destroy this
        if (drained)
            drained();
    }
}

bool GrpcCall::Private::deliver() {
    const QPointer<GrpcCall> alive(q);
    while (!paused) {
        auto message = frames.take();
        if (!message) {
            finish(fail(message.error()));
            return false;
        }
        if (*message) {
            const auto receive = listener.message; // may destroy this
            receive(**message);
            if (!alive || done)
                return false;
        } else if (!held.isEmpty()) {
            frames.append(held);
            nghttp2_session_consume(session.get(), stream, static_cast<size_t>(held.size()));
            held.clear();
        } else {
            break;
        }
    }
    return true;
}

void GrpcCall::Private::flush() {
    bool blocked = false;
    while (!blocked && !connectionEnded) {
        if (outgoingStart == outgoing.size()) {
            const uint8_t* data = nullptr;
            const ssize_t size = nghttp2_session_mem_send(session.get(), &data);
            if (size < 0)
                unreadable = true;
            if (size <= 0)
                break;
            outgoing = view(data, static_cast<size_t>(size)).toByteArray();
            outgoingStart = 0;
        }
        const ssize_t sent = ::send(fd.get(),
                                    outgoing.constData() + outgoingStart,
                                    static_cast<size_t>(outgoing.size() - outgoingStart),
                                    posix::sendFlags | MSG_DONTWAIT);
        if (sent >= 0)
            outgoingStart += sent;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            blocked = true;
        else if (errno != EINTR)
            break; // reading finds the end, behind the peer's last words
    }
    writable->setEnabled(blocked);
    // A mistake of the peer against the protocol: nghttp2 has told it and wants nothing more.
    if (!remoteEnded && !resetCode && nghttp2_session_want_read(session.get()) == 0 &&
        nghttp2_session_want_write(session.get()) == 0)
        unreadable = true;
}

void GrpcCall::Private::finish(const Result<>& result) {
    if (std::exchange(done, true))
        return;
    opening.stop();
    if (session && !connectionEnded) {
        if (stream > 0 && !remoteEnded && !resetCode) {
            nghttp2_submit_rst_stream(session.get(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
            flush(); // terminating throws away what waits
        }
        nghttp2_session_terminate_session(session.get(), NGHTTP2_NO_ERROR);
        flush();
    }
    // This may be in a call of theirs.
    for (auto* const notifier : {&readable, &writable}) {
        (*notifier)->setEnabled(false);
        notifier->release()->deleteLater();
    }
    fd.reset();
    if (listener.finished) {
        const auto finished = std::move(listener.finished);
        finished(result);
    }
}

GrpcCall::GrpcCall(
    int descriptor, QByteArray method, Listener listener, int openingTime, QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(
          this, descriptor, std::move(method), std::move(listener), openingTime)) {
    m_d->begin();
}

GrpcCall::~GrpcCall() {
    m_d->listener = {};
    m_d->finish(fail(Error::cancelled()));
}

void GrpcCall::send(QByteArrayView message) {
    if (m_d->done || m_d->sendingEnded)
        return;
    const bool isFirst = m_d->stream == 0 && m_d->unsent.isEmpty();
    m_d->unsent += GrpcFrames::frame(message);
    if (isFirst)
        m_d->firstLeft = m_d->unsent.size();
    m_d->wasFull = m_d->wasFull || m_d->unsentBytes() >= lowWater;
    m_d->schedule();
}

void GrpcCall::finishSending() {
    m_d->sendingEnded = true;
    m_d->schedule();
}

qsizetype GrpcCall::unsent() const {
    return m_d->unsentBytes();
}

void GrpcCall::setPaused(bool paused) {
    m_d->paused = paused;
    m_d->schedule();
}

void GrpcCall::cancel() {
    m_d->cancelled = true;
    m_d->schedule();
}

} // namespace vitrine
