// SPDX-License-Identifier: Apache-2.0
#include "core/channel/line_buffer.h"

namespace vitrine {

bool LineBuffer::append(QByteArrayView bytes) {
    qsizetype lineStart = m_start;
    qsizetype searched = m_bytes.size();
    m_bytes.append(bytes.data(), bytes.size());
    for (;;) {
        const qsizetype end = m_bytes.indexOf('\n', searched);
        const qsizetype length = (end < 0 ? m_bytes.size() : end) - lineStart;
        if (length > m_maximumLine) {
            m_bytes.truncate(lineStart);
            m_scanned = qMin(m_scanned, lineStart);
            return false;
        }
        if (end < 0) {
            return true;
        }
        lineStart = searched = end + 1;
    }
}

std::optional<QByteArray> LineBuffer::takeLine() {
    const qsizetype end = m_bytes.indexOf('\n', m_scanned);
    if (end < 0) {
        if (m_start > 0) {
            m_bytes.remove(0, m_start);
            m_start = 0;
        }
        m_scanned = m_bytes.size();
        return std::nullopt;
    }
    qsizetype length = end - m_start;
    if (length > 0 && m_bytes.at(end - 1) == '\r') {
        --length;
    }
    QByteArray line = m_bytes.mid(m_start, length);
    m_start = m_scanned = end + 1;
    return line;
}

} // namespace vitrine
