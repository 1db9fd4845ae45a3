// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

namespace vitrine::qemu {

// Bytes of a guest that end with a mark. What cannot be the mark any more is passed on at once. A
// plain value.
class OutputStream final {
public:
    explicit OutputStream(QByteArray mark);

    // What of the bytes so far belongs to the output. Nothing after the mark.
    [[nodiscard]] QByteArray take(const QByteArray& bytes);
    // What was held back because it may have been the mark, when nothing more comes.
    [[nodiscard]] QByteArray takeRest();
    [[nodiscard]] bool isComplete() const { return m_complete; }

private:
    QByteArray m_mark;
    QByteArray m_held;
    bool m_complete = false;
};

} // namespace vitrine::qemu
