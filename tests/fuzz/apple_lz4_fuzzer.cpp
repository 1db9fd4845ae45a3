// SPDX-License-Identifier: Apache-2.0
// Any bytes, cut in two ways, must give the same fault and the same plain bytes, and what was
// encoded must come back. Run: apple_lz4_fuzzer -max_len=300000 corpus/
#include "core/image/apple_lz4_decoder.h"
#include "core/image/apple_lz4_encoder.h"

#include <cstdint>
#include <cstdlib>

namespace {

constexpr quint64 limit = 1 << 20;

vitrine::AppleLz4Decoder::Fault decode(QByteArrayView frame, qsizetype step, QByteArray* plain) {
    vitrine::AppleLz4Decoder decoder(limit, [plain](QByteArrayView bytes) {
        plain->append(bytes);
        return true;
    });
    vitrine::Result<> result;
    for (qsizetype i = 0; i < frame.size() && result; i += step)
        result = decoder.feed(frame.sliced(i, std::min(step, frame.size() - i)));
    if (result)
        (void)decoder.finish();
    return decoder.fault();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const QByteArrayView input(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
    if (input.isEmpty())
        return 0;
    QByteArray whole;
    QByteArray cut;
    const auto fault = decode(input, input.size(), &whole);
    if (decode(input, 1 + data[0] % 67, &cut) != fault || cut != whole ||
        static_cast<quint64>(whole.size()) > limit)
        std::abort();
    QByteArray back;
    const QByteArray frame = vitrine::encodeAppleLz4(input);
    if (decode(frame, frame.size(), &back) != vitrine::AppleLz4Decoder::Fault::None ||
        back != input)
        std::abort();
    return 0;
}
