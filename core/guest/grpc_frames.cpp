// SPDX-License-Identifier: Apache-2.0
#include "core/guest/grpc_frames.h"

#include <QtEndian>

namespace vitrine {

namespace {

constexpr qsizetype prefix = 5; // bytes

} // namespace

void GrpcFrames::append(QByteArrayView bytes) {
    m_bytes.remove(0, m_start);
    m_start = 0;
    m_bytes.append(bytes.data(), bytes.size());
}

Result<std::optional<QByteArray>> GrpcFrames::take() {
    const QByteArrayView left = QByteArrayView(m_bytes).sliced(m_start);
    if (left.isEmpty())
        return std::nullopt;
    if (left.front() != 0)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The guest agent sent a compressed message, which was not agreed on. "
                           "Nothing of it was used."));
    if (left.size() < prefix)
        return std::nullopt;
    const auto length = qFromBigEndian<quint32>(left.data() + 1);
    if (length > maximumMessage)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The guest agent announced a message of %1 bytes; at most %2 MiB are "
                           "taken. Nothing of it was used.")
                        .arg(length)
                        .arg(maximumMessage >> 20));
    if (left.size() - prefix < static_cast<qsizetype>(length))
        return std::nullopt;
    m_start += prefix + static_cast<qsizetype>(length);
    return left.sliced(prefix, static_cast<qsizetype>(length)).toByteArray();
}

QByteArray GrpcFrames::frame(QByteArrayView message) {
    QByteArray bytes(prefix, '\0');
    qToBigEndian(static_cast<quint32>(message.size()), bytes.data() + 1);
    bytes.append(message.data(), message.size());
    return bytes;
}

} // namespace vitrine
