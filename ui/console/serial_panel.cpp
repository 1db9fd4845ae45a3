// SPDX-License-Identifier: Apache-2.0
#include "ui/console/serial_panel.h"

#include "ui/terminal/terminal_view.h"

#include <QLocale>
#include <QVBoxLayout>

namespace vitrine::ui {

SerialPanel::SerialPanel(QWidget* parent)
    : QWidget(parent)
    , m_view(new TerminalView(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_view);
    setFocusProxy(m_view);
    m_view->setSurface(&m_surface);
    connect(&m_client, &SerialClient::history, this, [this](const QByteArray& bytes) {
        m_surface.clear();
        m_surface.feed(bytes, TerminalSurface::Origin::Replay);
        m_hasContent = m_hasContent || !bytes.isEmpty();
        Q_EMIT changed();
    });
    connect(&m_client, &SerialClient::received, this, [this](const QByteArray& bytes) {
        m_surface.feed(bytes);
        if (!m_hasContent) {
            m_hasContent = true;
            Q_EMIT changed();
        }
    });
    connect(&m_client, &SerialClient::connectedChanged, this, &SerialPanel::changed);
    connect(&m_surface, &TerminalSurface::output, this, [this](const QByteArray& bytes) {
        if (m_client.isConnected() && !m_client.send(bytes)) {
            Q_EMIT inputLost();
        }
    });
    connect(m_view, &TerminalView::gridSizeChanged, this, &SerialPanel::changed);
    connect(m_view, &TerminalView::keyboardTaken, this, &SerialPanel::keyboardTaken);
    connect(m_view, &TerminalView::keyboardGivenBack, this, [this] { m_view->clearFocus(); });
}

void SerialPanel::setMachineName(const QString& name) {
    m_view->setAccessibleName(tr("Serial console of \"%1\"").arg(name));
    m_view->setAccessibleDescription(
        tr("Keys go to the guest. Press Right Ctrl to take the keyboard back."));
}

void SerialPanel::setSocket(const QString& path) {
    m_socket = path;
    applyConnection();
}

void SerialPanel::forget() {
    m_socket.clear();
    applyConnection();
    m_surface.clear();
    m_hasContent = false;
}

void SerialPanel::applyConnection() {
    m_client.open(m_seen ? m_socket : QString());
}

QString SerialPanel::sizeText() const {
    const TerminalSize size = m_surface.size();
    return tr("%1 × %2 characters")
        .arg(QLocale().toString(size.columns), QLocale().toString(size.rows));
}

void SerialPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_seen = true;
    applyConnection();
}

void SerialPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_seen = false;
    applyConnection();
}

} // namespace vitrine::ui
