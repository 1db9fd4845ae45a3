// SPDX-License-Identifier: Apache-2.0
#include "qemu/clipboard_requests.h"

#include "core/machine/sidecar.h"

#include <algorithm>

namespace vitrine::qemu {

namespace {

constexpr qsizetype partSize = 512 << 10; // bytes before base64: a line holds less than 1 MiB

} // namespace

ClipboardRequests::ClipboardRequests(ControlServer& server,
                                     QString machineDirectory,
                                     QObject* parent)
    : QObject(parent)
    , m_server(server)
    , m_directory(std::move(machineDirectory)) {
    const auto on = [this](const char* method, auto handler) {
        m_server.on(QLatin1String(method),
                    [this, handler](const QJsonObject& parameters, const Respond& respond) {
                        if (!m_port) {
                            respond(
                                fail(Error::Kind::Busy,
                                     tr("The machine is just starting. Try again in a moment.")));
                            return;
                        }
                        (this->*handler)(parameters, respond);
                    });
    };
    on("clipboard.offer", &ClipboardRequests::offer);
    on("clipboard.get", &ClipboardRequests::get);
    on("clipboard.enable", &ClipboardRequests::enable);
}

void ClipboardRequests::setPort(ClipboardPort* port) {
    m_port = port;
    connect(port, &ClipboardPort::guestCopied, this, [this] {
        m_server.notify(QStringLiteral("clipboard"),
                        {{QStringLiteral("serial"), m_port->guestSerial()}});
    });
}

void ClipboardRequests::offer(const QJsonObject& parameters, const Respond& respond) {
    const QByteArray part =
        QByteArray::fromBase64(parameters.value(QLatin1String("text")).toString().toLatin1());
    const qint64 offset = parameters.value(QLatin1String("offset")).toInteger(-1);
    const qint64 size = parameters.value(QLatin1String("size")).toInteger(-1);
    if (offset == 0) {
        m_offered.clear();
    }
    if (size < 0 || size > SpiceAgent::maximumText) {
        respond(fail(Error::Kind::InvalidInput,
                     tr("Text of more than 1 MiB is not shared with the guest. Copy less.")));
        return;
    }
    if (offset != m_offered.size() || offset + part.size() > size) {
        m_offered.clear();
        respond(fail(Error::Kind::InvalidInput,
                     tr("The parts of the text did not come in order. Copy it again.")));
        return;
    }
    m_offered += part;
    if (m_offered.size() == size) {
        m_port->offer(QString::fromUtf8(m_offered));
        m_offered.clear();
    }
    respond(QJsonObject{});
}

void ClipboardRequests::get(const QJsonObject& parameters, const Respond& respond) const {
    const QByteArray& text = m_port->guestText();
    const qint64 offset =
        std::clamp<qint64>(parameters.value(QLatin1String("offset")).toInteger(), 0, text.size());
    const QByteArray part = text.mid(offset, partSize);
    respond(QJsonObject{{QStringLiteral("text"), QString::fromLatin1(part.toBase64())},
                        {QStringLiteral("size"), static_cast<qint64>(text.size())},
                        {QStringLiteral("serial"), m_port->guestSerial()}});
}

void ClipboardRequests::enable(const QJsonObject& parameters, const Respond& respond) {
    const QJsonValue value = parameters.value(QLatin1String("enabled"));
    if (!value.isBool()) {
        respond(fail(Error::Kind::InvalidInput, tr("Say whether the clipboard is shared.")));
        return;
    }
    const bool enabled = value.toBool();
    m_offered.clear();
    m_port->setEnabled(enabled);
    if (parameters.value(QLatin1String("keep")).toBool()) {
        if (const Result<> kept = Sidecar::update(
                m_directory, [enabled](Sidecar& sidecar) { sidecar.run.clipboard = enabled; });
            !kept) {
            respond(fail(kept.error()));
            return;
        }
    }
    respond(QJsonObject{});
}

} // namespace vitrine::qemu
