// SPDX-License-Identifier: Apache-2.0
// Any bytes as what Tart's guest agent sends inside its HTTP/2 stream: cut in two ways they must
// give the same messages, and no message may hold more than was sent. Run: tart_agent_fuzzer
// corpus/
#include "core/guest/grpc_frames.h"
#include "core/guest/tart_agent_message.h"

#include <cstdint>
#include <cstdlib>

namespace {

QByteArrayList messagesOf(QByteArrayView input, qsizetype step) {
    vitrine::GrpcFrames frames;
    QByteArrayList messages;
    for (qsizetype i = 0; i < input.size(); i += step) {
        frames.append(input.sliced(i, std::min(step, input.size() - i)));
        for (;;) {
            const auto message = frames.take();
            if (!message)
                return messages;
            if (!*message)
                break;
            messages.append(**message);
        }
    }
    return messages;
}

void decode(QByteArrayView message) {
    const auto event = vitrine::decodeExecEvent(message);
    const auto address = vitrine::decodeAddress(message);
    if ((event && event->bytes.size() > message.size()) ||
        (address && address->size() > message.size()))
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const QByteArrayView input(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    if (input.isEmpty())
        return 0;
    const QByteArrayList whole = messagesOf(input, input.size());
    if (messagesOf(input, 1 + data[0] % 67) != whole)
        std::abort();
    for (const QByteArray& message : whole)
        decode(message);
    decode(input);
    return 0;
}
