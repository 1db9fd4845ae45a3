// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <functional>
#include <optional>

namespace vitrine {

// The host's end of the SPICE agent protocol as far as text on the clipboard needs it: bytes of the
// guest's port in, bytes for it out. No socket, no clock; bytes may be cut anywhere. Format: SPICE
// "vd_agent.h" (chunks of a port and a size, messages of protocol 1, little endian). Neither side
// sends text unasked: an offer is told, the other side requests it. The guest is not trusted: what
// it can make this keep is bounded, and what it sends unasked is passed over.
class SpiceAgent final {
public:
    static constexpr qsizetype maximumText = 1 << 20; // bytes of UTF-8

    struct Listener {
        std::function<void(const QByteArray& bytes)> send; // to the guest
        std::function<void()> ready;                       // its agent speaks about clipboards
        std::function<void(const QString& text)> text;     // copied in the guest
        std::function<void()> tooLong;                     // copied, but over maximumText
    };
    explicit SpiceAgent(Listener listener);

    // The guest opened its port (again): whatever was said before is void.
    void begin();
    // The error ends the session: begin() before anything is fed again.
    [[nodiscard]] Result<> feed(QByteArrayView bytes);

    [[nodiscard]] bool isReady() const { return m_ready; }
    // Offers text of the host; empty or too long text takes the offer back. Kept until the guest
    // copies something itself, and offered again to a guest that becomes ready.
    void offer(const QString& text);

private:
    void handleMessage();
    void handleCapabilities(QByteArrayView body);
    void handleGrab(QByteArrayView body);
    void handleRequest(QByteArrayView body);
    void handleText(QByteArrayView body);
    // Without the selection's four bytes, where both sides know selections; nullopt for a selection
    // that is not the clipboard, or for bytes that are too few.
    [[nodiscard]] std::optional<QByteArrayView> forClipboard(QByteArrayView body) const;
    [[nodiscard]] QByteArray withSelection(QByteArray body) const;
    void announce(bool ask);
    void tellOffer();
    void sendMessage(quint32 type, const QByteArray& body);

    Listener m_listener;
    QByteArray m_head;         // of a chunk, as far as it has come
    qsizetype m_chunkLeft = 0; // bytes of this chunk still to come
    QByteArray m_message;      // header and body as far as they have come
    qint64 m_skip = 0;         // bytes of a message that is passed over
    bool m_ready = false;
    bool m_selections = false;      // both sides know them
    bool m_carriageReturns = false; // lines end with "\r\n" in the guest
    bool m_requested = false;       // text of the guest, not yet come
    QByteArray m_offer;             // UTF-8
};

} // namespace vitrine
