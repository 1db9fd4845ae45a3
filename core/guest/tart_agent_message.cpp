// SPDX-License-Identifier: Apache-2.0
#include "core/guest/tart_agent_message.h"

#include <optional>

namespace vitrine {

namespace {

constexpr qsizetype longestVarint = 10; // bytes
constexpr qsizetype longestAddress = 64;

enum WireType : quint32 { Varint = 0, Fixed64 = 1, Delimited = 2, Fixed32 = 5 };

void appendVarint(QByteArray& out, quint64 value) {
    while (value >= 0x80) {
        out += static_cast<char>((value & 0x7f) | 0x80);
        value >>= 7;
    }
    out += static_cast<char>(value);
}

void appendTag(QByteArray& out, quint32 field, WireType type) {
    appendVarint(out, field << 3 | type);
}

// Left out when it is zero, as protobuf 3 has it.
void appendNumber(QByteArray& out, quint32 field, quint64 value) {
    if (value == 0)
        return;
    appendTag(out, field, Varint);
    appendVarint(out, value);
}

// Also when empty: for elements of lists and for messages, whose presence means something.
void appendDelimited(QByteArray& out, quint32 field, QByteArrayView bytes) {
    appendTag(out, field, Delimited);
    appendVarint(out, static_cast<quint64>(bytes.size()));
    out.append(bytes.data(), bytes.size());
}

void appendText(QByteArray& out, quint32 field, const QString& text) {
    if (!text.isEmpty())
        appendDelimited(out, field, text.toUtf8());
}

QByteArray sizeMessage(const GuestTerminalSize& size) {
    QByteArray message;
    appendNumber(message, 1, size.rows);
    appendNumber(message, 2, size.columns);
    return message;
}

Error malformed() {
    return {Error::Kind::Integrity,
            Tr::tr("The guest agent sent a message that is cut off or no protobuf. It may be "
                   "another program that listens in the guest, or an agent of another version."),
            {}};
}

// The fields of one message in their order. next() is false at the end and at what cannot be read;
// isBroken() tells which.
class Reader final {
public:
    explicit Reader(QByteArrayView message)
        : m_left(message) {}

    [[nodiscard]] bool next() {
        if (m_left.isEmpty() || m_broken)
            return false;
        const auto tag = varint();
        if (!tag || *tag >> 3 == 0 || *tag >> 32 != 0)
            return broken();
        m_field = static_cast<quint32>(*tag >> 3);
        m_type = static_cast<quint32>(*tag & 7);
        m_number = 0;
        m_bytes = {};
        switch (m_type) {
        case Varint: {
            const auto value = varint();
            if (!value)
                return broken();
            m_number = *value;
            return true;
        }
        case Delimited: {
            const auto length = varint();
            if (!length || *length > static_cast<quint64>(m_left.size()))
                return broken();
            return take(static_cast<qsizetype>(*length));
        }
        case Fixed64:
            return take(8);
        case Fixed32:
            return take(4);
        default:
            return broken();
        }
    }
    [[nodiscard]] bool isBroken() const { return m_broken; }
    [[nodiscard]] bool is(quint32 field, WireType type) const {
        return m_field == field && m_type == type;
    }
    [[nodiscard]] quint64 number() const { return m_number; }
    [[nodiscard]] QByteArrayView bytes() const { return m_bytes; }

private:
    bool broken() {
        m_broken = true;
        return false;
    }
    bool take(qsizetype length) {
        if (length > m_left.size())
            return broken();
        m_bytes = m_left.first(length);
        m_left = m_left.sliced(length);
        return true;
    }
    std::optional<quint64> varint() {
        quint64 value = 0;
        for (qsizetype i = 0; i < qMin(longestVarint, m_left.size()); ++i) {
            const auto byte = static_cast<quint8>(m_left.at(i));
            value |= static_cast<quint64>(byte & 0x7f) << (7 * i);
            if ((byte & 0x80) == 0) {
                m_left = m_left.sliced(i + 1);
                return value;
            }
        }
        return std::nullopt;
    }

    QByteArrayView m_left;
    QByteArrayView m_bytes;
    quint64 m_number = 0;
    quint32 m_field = 0;
    quint32 m_type = 0;
    bool m_broken = false;
};

Result<qint32> exitCodeOf(QByteArrayView message) {
    Reader reader(message);
    qint32 code = 0;
    while (reader.next())
        if (reader.is(1, Varint))
            code = static_cast<qint32>(static_cast<quint32>(reader.number() & 0xffffffffU));
    if (reader.isBroken())
        return fail(malformed());
    return code;
}

Result<QByteArrayView> chunkOf(QByteArrayView message) {
    Reader reader(message);
    QByteArrayView bytes;
    while (reader.next())
        if (reader.is(1, Delimited))
            bytes = reader.bytes();
    if (reader.isBroken())
        return fail(malformed());
    return bytes;
}

} // namespace

QByteArray encodeCommand(const TartAgentCommand& command) {
    QByteArray body;
    appendText(body, 1, command.name);
    for (const QString& argument : command.arguments)
        appendDelimited(body, 2, argument.toUtf8());
    appendNumber(body, 3, command.interactive ? 1 : 0);
    appendNumber(body, 4, command.terminal ? 1 : 0);
    if (command.terminal)
        appendDelimited(body, 5, sizeMessage(command.size));
    appendNumber(body, 6, command.detach ? 1 : 0);
    for (auto variable = command.environment.cbegin(); variable != command.environment.cend();
         ++variable) {
        QByteArray entry;
        appendText(entry, 1, variable.key());
        appendText(entry, 2, variable.value());
        appendDelimited(body, 7, entry);
    }
    appendText(body, 8, command.workingDirectory);
    QByteArray message;
    appendDelimited(message, 1, body);
    return message;
}

QByteArray encodeInput(QByteArrayView bytes) {
    QByteArray chunk;
    if (!bytes.isEmpty())
        appendDelimited(chunk, 1, bytes);
    QByteArray message;
    appendDelimited(message, 2, chunk);
    return message;
}

QByteArray encodeResize(const GuestTerminalSize& size) {
    QByteArray message;
    appendDelimited(message, 3, sizeMessage(size));
    return message;
}

Result<TartAgentEvent> decodeExecEvent(QByteArrayView message) {
    Reader reader(message);
    TartAgentEvent event;
    while (reader.next()) {
        if (reader.is(1, Delimited)) {
            const auto code = exitCodeOf(reader.bytes());
            if (!code)
                return fail(code.error());
            event = {TartAgentEvent::Kind::Exit, *code, {}};
        } else if (reader.is(2, Delimited) || reader.is(3, Delimited)) {
            const auto chunk = chunkOf(reader.bytes());
            if (!chunk)
                return fail(chunk.error());
            event = {reader.is(2, Delimited) ? TartAgentEvent::Kind::Output
                                             : TartAgentEvent::Kind::Errors,
                     0,
                     chunk->toByteArray()};
        }
    }
    if (reader.isBroken())
        return fail(malformed());
    return event;
}

Result<QString> decodeAddress(QByteArrayView message) {
    Reader reader(message);
    QByteArrayView text;
    while (reader.next())
        if (reader.is(1, Delimited))
            text = reader.bytes();
    if (reader.isBroken() || text.size() > longestAddress)
        return fail(malformed());
    return QString::fromUtf8(text);
}

} // namespace vitrine
