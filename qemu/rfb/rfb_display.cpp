// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/rfb_display.h"

#include "qemu/rfb/rfb_connection.h"

#include <QThread>

namespace vitrine::qemu {

namespace {

// The owner's end: values and calls cross to the connection's thread and back, never a wait.
class RfbDisplay final : public Display {
public:
    explicit RfbDisplay(const QString& socketPath)
        : m_frame(std::make_shared<SharedFrame>())
        , m_news(std::make_shared<RfbNews>())
        , m_connection(new RfbConnection(socketPath, m_frame, m_news)) {
        qRegisterMetaType<PointerShape>();
        m_thread.setObjectName(QStringLiteral("display"));
        m_connection->moveToThread(&m_thread);
        connect(&m_thread, &QThread::finished, m_connection, &QObject::deleteLater);
        connect(m_connection, &RfbConnection::newsWaiting, this, [this] { deliver(); });
        m_thread.start();
    }

    ~RfbDisplay() override {
        m_thread.quit(); // nothing on that thread waits
        m_thread.wait();
    }

    Q_DISABLE_COPY_MOVE(RfbDisplay)

    void connectToGuest() override {
        m_open = true;
        // What was told to the connection before was dropped by deliver() or not taken; without
        // this nothing would be told of this one.
        m_frame->forgetAnnouncement();
        post([](RfbConnection& connection) { connection.open(); });
    }

    void disconnectFromGuest() override {
        m_open = false;
        post([](RfbConnection& connection) { connection.close(); });
    }

    State state() const override {
        return m_news->get([](const RfbNews::Facts& facts) { return facts.state; });
    }

    QSize size() const override { return m_frame->size(); }

    void withFrame(const std::function<void(const FrameView&)>& read) const override {
        m_frame->read(read);
    }

    QList<QRect> takeDamage() override {
        QList<QRect> damage = m_frame->takeDamage();
        post([](RfbConnection& connection) { connection.requestUpdate(); });
        return damage;
    }

    void sendKey(quint32 keysym, quint32 qnum, bool pressed) override {
        post([=](RfbConnection& connection) { connection.sendKey(keysym, qnum, pressed); });
    }

    void sendPointer(QPoint position, quint8 buttons) override {
        post([=](RfbConnection& connection) { connection.sendPointer(position, buttons); });
    }

    void requestSize(QSize size) override {
        post([=](RfbConnection& connection) { connection.requestSize(size); });
    }

    QSize closestSize(QSize size) const override {
        return size.expandedTo(rfb::smallestRequest).boundedTo(rfb::largestRequest);
    }

    bool pointerIsAbsolute() const override {
        return m_news->get([](const RfbNews::Facts& facts) { return facts.absolute; });
    }

    int ledState() const override {
        return m_news->get([](const RfbNews::Facts& facts) { return facts.ledState; });
    }

private:
    template <class Call>
    void post(Call call) {
        RfbConnection* connection = m_connection;
        QMetaObject::invokeMethod(
            connection, [connection, call] { call(*connection); }, Qt::QueuedConnection);
    }

    void deliver() {
        const RfbNews::Changes changes = m_news->collect();
        if (changes & RfbNews::StateChange) {
            Q_EMIT stateChanged();
        }
        if (!m_open) {
            return; // the rest is of a connection that is being closed
        }
        if (changes & RfbNews::SizeChange) {
            Q_EMIT sizeChanged();
        }
        if (changes & RfbNews::ModeChange) {
            Q_EMIT pointerModeChanged();
        }
        if (changes & RfbNews::ShapeChange) {
            Q_EMIT pointerShapeChanged(
                m_news->get([](const RfbNews::Facts& facts) { return facts.shape; }));
        }
        if (changes & RfbNews::LedChange) {
            Q_EMIT ledStateChanged();
        }
        if (changes & RfbNews::ResizeAnswer) {
            Q_EMIT resizeAnswered(
                m_news->get([](const RfbNews::Facts& facts) { return facts.resizeStatus; }));
        }
        if ((changes & RfbNews::Damage) && m_frame->isDamaged()) {
            Q_EMIT damaged();
        }
        if (changes & RfbNews::Failure) {
            Q_EMIT failed(m_news->get([](const RfbNews::Facts& facts) { return facts.failure; }));
        }
    }

    const std::shared_ptr<SharedFrame> m_frame;
    const std::shared_ptr<RfbNews> m_news;
    QThread m_thread;
    RfbConnection* const m_connection; // lives on m_thread and ends with it
    bool m_open = false;
};

} // namespace

std::unique_ptr<Display> makeRfbDisplay(const QString& socketPath) {
    return std::make_unique<RfbDisplay>(socketPath);
}

} // namespace vitrine::qemu
