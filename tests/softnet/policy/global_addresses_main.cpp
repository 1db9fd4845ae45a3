// SPDX-License-Identifier: Apache-2.0
// Compares the shipped function with the table on all 2^32 addresses. Takes minutes.
#include "softnet/global_addresses.h"
#include "softnet/policy/special_addresses.h"

#include <cstdio>

int main() {
    using namespace vitrine::softnet;
    std::uint32_t value = 0;
    do {
        if (isGlobal({value}) != isGlobalByTable({value})) {
            std::printf("They disagree on %s.\n", Ipv4{value}.text().c_str());
            return 1;
        }
    } while (++value != 0);
    std::puts("All addresses agree.");
    return 0;
}
