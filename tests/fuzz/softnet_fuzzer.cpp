// SPDX-License-Identifier: Apache-2.0
// A hostile guest and a hostile network. Each step is a byte that says what happens, for frames
// followed by two bytes of length and the frame; the first 14 bytes are set right on request, so
// that the fuzzer need not guess addresses.
#include "softnet/filter_trial.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace vitrine::softnet;
    FilterTrial trial;
    Bytes left(data, size);
    while (left.size() >= 3) {
        const unsigned step = left[0];
        const std::size_t length = std::size_t{left[1]} << 8 | left[2];
        left = left.subspan(3);
        if ((step & 3) == 3) {
            trial.setPolicy(step >> 2);
            trial.pass(Time{length});
            continue;
        }
        const std::size_t taken = std::min(length, left.size());
        std::vector<std::uint8_t> frame(left.begin(),
                                        left.begin() + static_cast<std::ptrdiff_t>(taken));
        left = left.subspan(taken);
        if ((step & 4) != 0 && frame.size() >= 14) {
            static constexpr std::uint8_t head[] = {2, 0, 0, 0, 0, 1, 8, 0};
            std::copy(std::begin(head), std::end(head), frame.begin() + 6);
            if ((step & 8) != 0 && frame.size() >= 34) { // from the reserved address
                static constexpr std::uint8_t guest[] = {10, 0, 2, 15};
                std::copy(std::begin(guest), std::end(guest), frame.begin() + 26);
            }
        }
        const std::string wrong = (step & 3) == 2 ? trial.toGuest(frame) : trial.fromGuest(frame);
        if (!wrong.empty()) {
            std::fprintf(stderr, "It passed: %s\n", wrong.c_str());
            std::abort();
        }
    }
    return 0;
}
