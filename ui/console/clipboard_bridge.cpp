// SPDX-License-Identifier: Apache-2.0
#include "ui/console/clipboard_bridge.h"

#include "core/hypervisor/unavailable_method.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

namespace vitrine::ui {

namespace {

constexpr qsizetype maximumText = 1 << 20; // bytes of UTF-8
constexpr qsizetype partSize = 512 << 10;  // before base64: a line holds less than 1 MiB

// The mark of KeePassXC, KDE and others.
bool isSecret(const QMimeData& data) {
    return data.data(QStringLiteral("x-kde-passwordManagerHint")) == "secret";
}

} // namespace

ClipboardBridge::ClipboardBridge(QObject* parent)
    : QObject(parent) {
    connect(QGuiApplication::clipboard(), &QClipboard::dataChanged, this, [this] {
        if (m_active) {
            offerHostText();
        }
    });
}

void ClipboardBridge::setClient(MachineClient* client) {
    if (client == m_client) {
        return;
    }
    if (m_client) {
        m_client->disconnect(this);
    }
    m_client = client;
    m_last.clear();
    ++m_round;
    if (client != nullptr) {
        connect(client, &MachineClient::connectedChanged, this, [this] {
            m_last.clear();
            ++m_round;
            Q_EMIT changed();
        });
        connect(client, &MachineClient::statusChanged, this, [this, was = isShared()]() mutable {
            const bool shared = isShared();
            if (shared && !was && m_active) {
                m_last.clear();
                offerHostText();
            }
            was = shared;
            Q_EMIT changed();
        });
        connect(client, &MachineClient::guestCopied, this, [this](qint64 serial) {
            if (m_active) {
                fetch(serial, {}, ++m_round);
            }
        });
    }
    Q_EMIT changed();
}

void ClipboardBridge::setActive(bool active) {
    if (active == m_active) {
        return;
    }
    m_active = active;
    if (active) {
        offerHostText();
    }
}

bool ClipboardBridge::isEnabled() const {
    return m_client && m_client->isConnected() && !m_client->status().clipboard.isEmpty() &&
           m_client->status().clipboard != QLatin1String("off");
}

bool ClipboardBridge::isShared() const {
    return m_client && m_client->isConnected() &&
           m_client->status().clipboard == QLatin1String("ready");
}

QString ClipboardBridge::unavailableReason() const {
    if (!m_client || !m_client->isConnected()) {
        return tr("The machine does not run.");
    }
    if (!m_client->supports(QStringLiteral("clipboard.enable"))) {
        const QString reason = whyUnavailable(*m_client, QStringLiteral("clipboard.enable"));
        return reason.isEmpty() ? tr("The machine was started by an older version. Restart it to "
                                     "share the clipboard.")
                                : reason;
    }
    return {};
}

QString ClipboardBridge::stateText() const {
    if (!unavailableReason().isEmpty()) {
        return {};
    }
    if (!isEnabled()) {
        return tr("Clipboard not shared");
    }
    return isShared() ? tr("Clipboard shared, text only")
                      : tr("Clipboard: no agent answers in the guest (spice-vdagent)");
}

void ClipboardBridge::setEnabled(bool enabled) {
    if (!m_client) {
        return;
    }
    m_last.clear();
    ++m_round;
    m_client->call(QStringLiteral("clipboard.enable"),
                   {{QStringLiteral("enabled"), enabled}, {QStringLiteral("keep"), true}},
                   [bridge = QPointer<ClipboardBridge>(this)](const Result<QJsonValue>& answer) {
                       if (bridge && !answer) {
                           Q_EMIT bridge->failed(answer.error());
                           Q_EMIT bridge->changed();
                       }
                   });
}

void ClipboardBridge::offerHostText() {
    const QMimeData* data = isShared() ? QGuiApplication::clipboard()->mimeData() : nullptr;
    if (data == nullptr || !data->hasText() || isSecret(*data)) {
        return;
    }
    const QString text = data->text();
    const QByteArray bytes = text.toUtf8();
    if (text.isEmpty() || text == m_last || bytes.size() > maximumText) {
        return;
    }
    m_last = text;
    sendPart(bytes, 0, ++m_round);
}

void ClipboardBridge::sendPart(const QByteArray& text, qsizetype offset, quint64 round) {
    const QByteArray part = text.mid(offset, partSize);
    m_client->call(
        QStringLiteral("clipboard.offer"),
        {{QStringLiteral("text"), QString::fromLatin1(part.toBase64())},
         {QStringLiteral("offset"), static_cast<qint64>(offset)},
         {QStringLiteral("size"), static_cast<qint64>(text.size())}},
        [bridge = QPointer<ClipboardBridge>(this), text, next = offset + part.size(), round](
            const Result<QJsonValue>& answer) {
            if (bridge && bridge->m_client && answer && round == bridge->m_round &&
                next < text.size()) {
                bridge->sendPart(text, next, round);
            }
        });
}

void ClipboardBridge::fetch(qint64 serial, const QByteArray& before, quint64 round) {
    m_client->call(QStringLiteral("clipboard.get"),
                   {{QStringLiteral("offset"), static_cast<qint64>(before.size())}},
                   [bridge = QPointer<ClipboardBridge>(this), serial, before, round](
                       const Result<QJsonValue>& answer) {
                       if (!bridge || !answer || round != bridge->m_round || !bridge->m_client ||
                           !bridge->m_active) {
                           return;
                       }
                       const QByteArray part = QByteArray::fromBase64(
                           (*answer)[QLatin1String("text")].toString().toLatin1());
                       const qint64 size = (*answer)[QLatin1String("size")].toInteger();
                       const QByteArray all = before + part;
                       if ((*answer)[QLatin1String("serial")].toInteger() != serial ||
                           size > maximumText || all.size() > size) {
                           return; // the guest copied again: that is told too
                       }
                       if (all.size() < size && !part.isEmpty()) {
                           bridge->fetch(serial, all, round);
                       } else if (all.size() == size) {
                           bridge->m_last = QString::fromUtf8(all);
                           QGuiApplication::clipboard()->setText(bridge->m_last);
                       }
                   });
}

} // namespace vitrine::ui
