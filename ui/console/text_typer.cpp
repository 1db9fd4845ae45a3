// SPDX-License-Identifier: Apache-2.0
#include "ui/console/text_typer.h"

namespace vitrine::ui {

TextTyper::TextTyper(Send send, QObject* parent)
    : QObject(parent)
    , m_send(std::move(send)) {
    m_timer.setInterval(20);
    connect(&m_timer, &QTimer::timeout, this, &TextTyper::typeNext);
}

void TextTyper::start(const QList<KeyStroke>& strokes) {
    m_strokes = strokes;
    m_next = 0;
    if (m_strokes.isEmpty()) {
        m_timer.stop();
        Q_EMIT finished();
        return;
    }
    m_timer.start();
}

void TextTyper::stop() {
    m_timer.stop();
    m_strokes.clear();
    m_next = 0;
}

void TextTyper::typeNext() {
    m_send(m_strokes.at(m_next));
    ++m_next;
    if (m_next < m_strokes.size()) {
        Q_EMIT progressed();
        return;
    }
    stop();
    Q_EMIT progressed();
    Q_EMIT finished();
}

} // namespace vitrine::ui
