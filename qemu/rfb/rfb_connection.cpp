// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/rfb_connection.h"

#include <algorithm>

namespace vitrine::qemu {

namespace {

constexpr int firstPause = 100;             // ms
constexpr int longestPause = 2000;          // ms
constexpr int patience = 5000;              // ms until a silent server is told about
constexpr qsizetype bufferSize = 256 << 10; // stays in the processor's cache
constexpr qsizetype directMinimum = 64 << 10;
constexpr qsizetype directMaximum = 1 << 20; // one lock of the frame
constexpr int readsPerTurn = 32;             // then input of the user gets its turn
constexpr qint64 slowServer = 4 << 10;       // bytes not yet taken by the server
constexpr qint64 deafServer = 1 << 20;

QString sentence(QLocalSocket::LocalSocketError error) {
    switch (error) {
    case QLocalSocket::ServerNotFoundError:
        return Tr::tr("The machine's screen is not there yet. It is tried again by itself.");
    case QLocalSocket::ConnectionRefusedError:
        return Tr::tr("Nothing answers at the machine's screen, because the program that ran the "
                      "machine has ended. It is tried again by itself.");
    case QLocalSocket::PeerClosedError:
        return Tr::tr("The machine closed the connection to its screen. It is opened again by "
                      "itself.");
    case QLocalSocket::SocketAccessError:
        return Tr::tr("The machine's screen cannot be opened, because it belongs to another user.");
    default:
        return Tr::tr("The connection to the machine's screen was lost. It is opened again by "
                      "itself.");
    }
}

} // namespace

RfbConnection::RfbConnection(QString socketPath,
                             std::shared_ptr<SharedFrame> frame,
                             std::shared_ptr<RfbNews> news)
    : m_path(std::move(socketPath))
    , m_frame(std::move(frame))
    , m_news(std::move(news))
    , m_retry(new QTimer(this))
    , m_patience(new QTimer(this))
    , m_pause(firstPause) {
    m_retry->setSingleShot(true);
    m_patience->setSingleShot(true);
    m_patience->setInterval(patience);
    connect(m_retry, &QTimer::timeout, this, &RfbConnection::connectNow);
    connect(m_patience, &QTimer::timeout, this, [this] {
        reportFailure(Tr::tr("The machine's screen does not answer. The machine may hang; it is "
                             "shown as soon as it answers."));
    });
}

RfbConnection::~RfbConnection() = default;

void RfbConnection::open() {
    if (m_open) {
        return;
    }
    m_open = true;
    m_pause = firstPause;
    m_failureReported = false;
    connectNow();
}

void RfbConnection::close() {
    m_open = false;
    m_retry->stop();
    m_patience->stop();
    if (m_socket != nullptr) {
        m_socket->disconnect(this);
        m_socket->abort();
        m_socket->deleteLater();
        m_socket = nullptr;
    }
    m_protocol.reset();
    m_address.reset();
    m_buffer = {};
    setState(Display::State::Disconnected);
}

void RfbConnection::connectNow() {
    setState(Display::State::Connecting);
    m_requested = false;
    m_wholeWanted = true;
    m_extendedKeys = false;
    m_screenId.reset();
    m_sentPointer.reset();
    m_waitingPointer.reset();
    auto address = SocketAddress::of(m_path);
    if (!address) {
        lost(address.error());
        return;
    }
    m_address = std::move(*address);
    m_buffer.resize(bufferSize);
    m_protocol.emplace(static_cast<RfbListener&>(*this));
    m_socket = new QLocalSocket(this);
    connect(m_socket, &QLocalSocket::readyRead, this, &RfbConnection::read);
    connect(m_socket, &QLocalSocket::bytesWritten, this, &RfbConnection::flushPointer);
    connect(m_socket, &QLocalSocket::errorOccurred, this, &RfbConnection::socketFailed);
    m_patience->start();
    // Unbuffered: what is read goes straight to where it belongs.
    m_socket->connectToServer(m_address->text(), QIODevice::ReadWrite | QIODevice::Unbuffered);
}

void RfbConnection::socketFailed(QLocalSocket::LocalSocketError error) {
    const QString detail = m_socket != nullptr ? m_socket->errorString() : QString();
    lost(Error{Error::Kind::Network, sentence(error), detail});
}

void RfbConnection::lost(const Error& reason) {
    if (m_socket != nullptr) {
        m_socket->disconnect(this);
        m_socket->abort();
        m_socket->deleteLater();
        m_socket = nullptr;
    }
    m_patience->stop();
    if (!m_open) {
        return;
    }
    setState(Display::State::Connecting);
    reportFailure(reason.message);
    m_retry->start(m_pause);
    m_pause = std::min(m_pause * 2, longestPause);
}

void RfbConnection::reportFailure(const QString& message) {
    if (m_failureReported) {
        return;
    }
    m_failureReported = true;
    tell(RfbNews::Failure, [&](RfbNews::Facts& facts) { facts.failure = message; });
}

void RfbConnection::setState(Display::State state) {
    if (m_news->get([](const RfbNews::Facts& facts) { return facts.state; }) == state) {
        return;
    }
    tell(RfbNews::StateChange, [state](RfbNews::Facts& facts) { facts.state = state; });
}

void RfbConnection::read() {
    for (int turn = 0; turn < readsPerTurn && m_socket != nullptr; ++turn) {
        const RfbProtocol::DirectRead direct = m_protocol->directRead();
        qint64 wanted = bufferSize;
        qint64 got = 0;
        Result<> result;
        if (direct.bytes >= directMinimum) {
            wanted = std::min(direct.bytes, directMaximum);
            got = m_frame->fill(direct.offset, wanted, [this](char* out, qint64 most) {
                return m_socket->read(out, most);
            });
            if (got > 0) {
                result = m_protocol->skipPixels(got);
            }
        } else {
            got = m_socket->read(reinterpret_cast<char*>(m_buffer.data()), wanted);
            if (got > 0) {
                result = m_protocol->feed(m_buffer.data(), got);
            }
        }
        if (!result) {
            lost(result.error());
            return;
        }
        if (got < 0) {
            socketFailed(QLocalSocket::PeerClosedError);
            return;
        }
        if (got < wanted) {
            return;
        }
    }
}

void RfbConnection::write(const QByteArray& bytes) {
    if (m_socket == nullptr) {
        return;
    }
    m_socket->write(bytes);
    if (m_socket != nullptr && m_socket->bytesToWrite() > deafServer) {
        lost(Error{Error::Kind::Timeout,
                   Tr::tr("The machine's screen takes no more input, so the connection was closed. "
                          "It is opened again by itself."),
                   {}});
    }
}

void RfbConnection::requestUpdate() {
    if (m_socket == nullptr || !m_protocol || !m_protocol->isEstablished() || m_requested) {
        return;
    }
    m_requested = true;
    const bool whole = std::exchange(m_wholeWanted, false);
    write(rfb::updateRequest(!whole, m_frame->size()));
}

void RfbConnection::sendKey(quint32 keysym, quint32 qnum, bool pressed) {
    if (m_protocol && m_protocol->isEstablished()) {
        write(m_extendedKeys && qnum != 0 ? rfb::extendedKey(keysym, qnum, pressed)
                                          : rfb::plainKey(keysym, pressed));
    }
}

void RfbConnection::sendPointer(QPoint position, quint8 buttons) {
    if (m_socket == nullptr || !m_protocol || !m_protocol->isEstablished()) {
        return;
    }
    const bool onlyMoved = m_sentPointer && m_sentPointer->buttons == buttons;
    if (onlyMoved && m_socket->bytesToWrite() > slowServer) {
        m_waitingPointer = PointerEvent{position, buttons};
        return;
    }
    m_waitingPointer.reset();
    const QPoint last = m_sentPointer ? m_sentPointer->position : position;
    m_sentPointer = PointerEvent{position, buttons};
    const auto clamp = [](int value) { return static_cast<quint16>(qBound(0, value, 0xffff)); };
    if (m_absolute) {
        write(rfb::pointer(clamp(position.x()), clamp(position.y()), buttons));
    } else {
        const QPoint moved = position - last;
        write(rfb::pointer(clamp(0x7fff + moved.x()), clamp(0x7fff + moved.y()), buttons));
    }
}

void RfbConnection::flushPointer() {
    if (m_waitingPointer && m_socket != nullptr && m_socket->bytesToWrite() <= slowServer) {
        const PointerEvent event = *m_waitingPointer;
        sendPointer(event.position, event.buttons);
    }
}

void RfbConnection::requestSize(QSize size) {
    m_wantedSize = size;
    if (m_screenId && m_protocol && m_protocol->isEstablished()) {
        write(rfb::setDesktopSize(std::exchange(m_wantedSize, QSize()), *m_screenId));
    }
}

void RfbConnection::answer(const QByteArray& bytes) {
    write(bytes);
}

void RfbConnection::established() {
    m_patience->stop();
    m_pause = firstPause;
    m_failureReported = false;
    setState(Display::State::Connected);
    requestUpdate();
}

bool RfbConnection::frameResized(QSize size) {
    if (!m_frame->resize(size)) {
        return false;
    }
    m_wholeWanted = true;
    tell(RfbNews::SizeChange, [](RfbNews::Facts&) {});
    return true;
}

void RfbConnection::pixels(qsizetype x, int y, qsizetype bytes, int rows, const uchar* data) {
    m_frame->write(x, y, bytes, rows, data);
}

void RfbConnection::rectangleFinished(const QRect& rectangle) {
    m_frame->damage(rectangle);
}

void RfbConnection::updateFinished() {
    m_requested = false;
    if (m_wholeWanted || !m_frame->isDamaged()) {
        requestUpdate();
    }
    if (m_frame->announceDamage()) {
        tell(RfbNews::Damage, [](RfbNews::Facts&) {});
    }
}

void RfbConnection::pointerShape(const PointerShape& shape) {
    tell(RfbNews::ShapeChange, [&](RfbNews::Facts& facts) { facts.shape = shape; });
}

void RfbConnection::pointerMode(bool absolute) {
    m_absolute = absolute;
    m_sentPointer.reset();
    tell(RfbNews::ModeChange, [absolute](RfbNews::Facts& facts) { facts.absolute = absolute; });
}

void RfbConnection::ledState(int state) {
    tell(RfbNews::LedChange, [state](RfbNews::Facts& facts) { facts.ledState = state; });
}

void RfbConnection::extendedKeysOffered() {
    m_extendedKeys = true;
}

void RfbConnection::resizeOffered(quint32 screenId) {
    m_screenId = screenId;
    if (m_wantedSize.isValid()) {
        requestSize(m_wantedSize);
    }
}

void RfbConnection::resizeAnswered(int status) {
    tell(RfbNews::ResizeAnswer, [status](RfbNews::Facts& facts) { facts.resizeStatus = status; });
}

} // namespace vitrine::qemu
