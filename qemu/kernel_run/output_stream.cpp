// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/output_stream.h"

#include <algorithm>
#include <utility>

namespace vitrine::qemu {

OutputStream::OutputStream(QByteArray mark)
    : m_mark(std::move(mark)) {}

QByteArray OutputStream::take(const QByteArray& bytes) {
    if (m_complete) {
        return {};
    }
    QByteArray all = m_held + bytes;
    m_held.clear();
    if (const qsizetype at = all.indexOf(m_mark); at >= 0) {
        m_complete = true;
        all.truncate(at);
        return all;
    }
    // The longest end that is a beginning of the mark.
    for (qsizetype length = std::min(all.size(), m_mark.size() - 1); length > 0; --length) {
        if (m_mark.startsWith(all.last(length))) {
            m_held = all.last(length);
            all.chop(length);
            break;
        }
    }
    return all;
}

QByteArray OutputStream::takeRest() {
    return std::exchange(m_held, {});
}

} // namespace vitrine::qemu
