// SPDX-License-Identifier: Apache-2.0
#include "core/guest/spice_agent.h"

#include <QtEndian>

#include <algorithm>
#include <array>
#include <utility>

namespace vitrine {

namespace {

// Names: spice/vd_agent.h.
constexpr quint32 clientPort = 1;
constexpr quint32 protocolVersion = 1;
constexpr qsizetype chunkHead = 8;
constexpr qsizetype messageHead = 20;
constexpr qsizetype chunkSize = 2048;         // bytes of a chunk we send: the protocol's limit
constexpr quint32 maximumChunk = 64 << 10;    // of one we take
constexpr quint32 maximumOther = 64 << 10;    // bytes of a message that is not text
constexpr quint32 maximumSkipped = 256 << 20; // beyond that it is no message at all

enum Message : quint32 {
    MessageClipboard = 4,
    MessageCapabilities = 6,
    MessageGrab = 7,
    MessageRequest = 8,
    MessageMaximum = 14
};
constexpr quint32 typeNone = 0;
constexpr quint32 typeText = 1; // VD_AGENT_CLIPBOARD_UTF8_TEXT
constexpr int capabilityByDemand = 5;
constexpr int capabilitySelection = 6;
constexpr int capabilityCarriageReturns = 9;
constexpr int capabilityMaximum = 10;

quint32 u32(QByteArrayView bytes, qsizetype at) {
    return qFromLittleEndian<quint32>(bytes.data() + at);
}

void append(QByteArray& bytes, quint32 value) {
    std::array<char, sizeof(value)> buffer{};
    qToLittleEndian(value, buffer.data());
    bytes.append(buffer.data(), buffer.size());
}

tl::unexpected<Error> violation(const char* detail) {
    return fail(
        Error::Kind::Integrity,
        Tr::tr("The guest's clipboard agent sent something that makes no sense. The clipboard "
               "is shared again when the agent starts anew."),
        QString::fromLatin1(detail));
}

} // namespace

SpiceAgent::SpiceAgent(Listener listener)
    : m_listener(std::move(listener)) {}

void SpiceAgent::begin() {
    m_head.clear();
    m_message.clear();
    m_chunkLeft = 0;
    m_skip = 0;
    m_ready = false;
    m_selections = false;
    m_requested = false;
    announce(true);
}

Result<> SpiceAgent::feed(QByteArrayView bytes) {
    while (!bytes.isEmpty()) {
        if (m_chunkLeft == 0) {
            const qsizetype part = std::min(bytes.size(), chunkHead - m_head.size());
            m_head += bytes.first(part).toByteArray();
            bytes = bytes.sliced(part);
            if (m_head.size() == chunkHead) {
                const quint32 size = u32(m_head, 4);
                if (size > maximumChunk) {
                    return violation("chunk too long");
                }
                m_chunkLeft = size;
                m_head.clear();
            }
            continue;
        }
        if (m_skip > 0) {
            const auto part = std::min({bytes.size(), m_chunkLeft, static_cast<qsizetype>(m_skip)});
            bytes = bytes.sliced(part);
            m_chunkLeft -= part;
            m_skip -= part;
            continue;
        }
        const qsizetype wanted = m_message.size() < messageHead
                                     ? messageHead
                                     : messageHead + static_cast<qsizetype>(u32(m_message, 16));
        const qsizetype part = std::min({bytes.size(), m_chunkLeft, wanted - m_message.size()});
        m_message += bytes.first(part).toByteArray();
        bytes = bytes.sliced(part);
        m_chunkLeft -= part;
        if (m_message.size() == messageHead) {
            const quint32 size = u32(m_message, 16);
            const bool isText = u32(m_message, 4) == MessageClipboard;
            if (u32(m_message, 0) != protocolVersion || size > maximumSkipped) {
                return violation("no message");
            }
            const auto limit = isText ? static_cast<quint32>(maximumText) + 8 : maximumOther;
            if (size > limit) {
                m_skip = size;
                m_message.clear();
                if (isText && std::exchange(m_requested, false)) {
                    m_listener.tooLong();
                }
                continue;
            }
        }
        if (m_message.size() >= messageHead &&
            m_message.size() == messageHead + static_cast<qsizetype>(u32(m_message, 16))) {
            handleMessage();
            m_message.clear();
        }
    }
    return {};
}

void SpiceAgent::handleMessage() {
    const QByteArrayView body = QByteArrayView(m_message).sliced(messageHead);
    switch (u32(m_message, 4)) {
    case MessageCapabilities:
        handleCapabilities(body);
        break;
    case MessageGrab:
        handleGrab(body);
        break;
    case MessageRequest:
        handleRequest(body);
        break;
    case MessageClipboard:
        handleText(body);
        break;
    default:
        break; // pointers, monitors, files: nothing of ours
    }
}

void SpiceAgent::handleCapabilities(QByteArrayView body) {
    if (body.size() < 8) {
        return;
    }
    const quint32 words = u32(body, 4);
    const auto knows = [words](int bit) { return (words & (1U << bit)) != 0; };
    m_selections = knows(capabilitySelection);
    m_carriageReturns = knows(capabilityCarriageReturns);
    if (u32(body, 0) != 0) {
        announce(false);
    }
    if (!knows(capabilityByDemand)) {
        return;
    }
    if (knows(capabilityMaximum)) {
        QByteArray limit;
        append(limit, static_cast<quint32>(maximumText));
        sendMessage(MessageMaximum, limit);
    }
    if (!std::exchange(m_ready, true)) {
        m_listener.ready();
        tellOffer();
    }
}

std::optional<QByteArrayView> SpiceAgent::forClipboard(QByteArrayView body) const {
    if (!m_selections) {
        return body;
    }
    if (body.size() < 4 || body.front() != 0) {
        return std::nullopt; // X11's primary selection stays in the guest
    }
    return body.sliced(4);
}

QByteArray SpiceAgent::withSelection(QByteArray body) const {
    return m_selections ? QByteArray(4, '\0') + body : body;
}

void SpiceAgent::handleGrab(QByteArrayView body) {
    const auto types = forClipboard(body);
    if (!m_ready || !types) {
        return;
    }
    m_offer.clear(); // the guest's is newer
    for (qsizetype at = 0; at + 4 <= types->size(); at += 4) {
        if (u32(*types, at) == typeText) {
            QByteArray request;
            append(request, typeText);
            m_requested = true;
            sendMessage(MessageRequest, withSelection(request));
            return;
        }
    }
}

void SpiceAgent::handleRequest(QByteArrayView body) {
    const auto request = forClipboard(body);
    if (!m_ready || !request || request->size() < 4) {
        return;
    }
    const bool has = u32(*request, 0) == typeText && !m_offer.isEmpty();
    QByteArray answer;
    append(answer, has ? typeText : typeNone);
    sendMessage(MessageClipboard, withSelection(has ? answer + m_offer : answer));
}

void SpiceAgent::handleText(QByteArrayView body) {
    const auto data = forClipboard(body);
    if (!data || data->size() < 4 || !std::exchange(m_requested, false) ||
        u32(*data, 0) != typeText) {
        return;
    }
    QString text = QString::fromUtf8(data->sliced(4));
    text.remove(QChar(u'\0'));
    if (m_carriageReturns) {
        text.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    }
    m_listener.text(text);
}

void SpiceAgent::offer(const QString& text) {
    QString sent = text;
    sent.remove(QChar(u'\0'));
    if (m_carriageReturns) {
        sent.replace(QLatin1Char('\n'), QStringLiteral("\r\n"));
    }
    m_offer = sent.toUtf8();
    if (m_offer.size() > maximumText) {
        m_offer.clear();
    }
    m_requested = m_requested && m_offer.isEmpty(); // what the guest copied before is out of date
    tellOffer();
}

void SpiceAgent::tellOffer() {
    if (m_ready && !m_offer.isEmpty()) {
        QByteArray types;
        append(types, typeText);
        sendMessage(MessageGrab, withSelection(types));
    }
}

void SpiceAgent::announce(bool ask) {
    QByteArray body;
    append(body, ask ? 1 : 0);
    append(body, (1U << capabilityByDemand) | (1U << capabilitySelection));
    sendMessage(MessageCapabilities, body);
}

void SpiceAgent::sendMessage(quint32 type, const QByteArray& body) {
    QByteArray message;
    message.reserve(messageHead + body.size());
    append(message, protocolVersion);
    append(message, type);
    append(message, 0);
    append(message, 0); // 64 bits, of no use here
    append(message, static_cast<quint32>(body.size()));
    message += body;
    QByteArray bytes;
    bytes.reserve(message.size() + chunkHead * (message.size() / chunkSize + 1));
    for (qsizetype at = 0; at < message.size(); at += chunkSize) {
        const qsizetype part = std::min(chunkSize, message.size() - at);
        append(bytes, clientPort);
        append(bytes, static_cast<quint32>(part));
        bytes.append(message.constData() + at, part);
    }
    m_listener.send(bytes);
}

} // namespace vitrine
