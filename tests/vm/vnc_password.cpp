// SPDX-License-Identifier: Apache-2.0
// DES is obsolete, and what this protocol asks for.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "vm/vnc_password.h"

#include <openssl/des.h>

namespace vitrine::test {

QByteArray vncAnswer(const QByteArray& challenge, const QByteArray& password) {
    DES_cblock key{};
    for (int i = 0; i < 8 && i < password.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) // the protocol counts the bits of the key from below
            if ((static_cast<unsigned char>(password.at(i)) >> bit & 1) != 0)
                key[i] = static_cast<unsigned char>(key[i] | 0x80 >> bit);
    DES_key_schedule schedule;
    DES_set_key_unchecked(&key, &schedule);
    QByteArray answer;
    for (int block = 0; block < 2; ++block) {
        DES_cblock in{};
        DES_cblock out{};
        for (int i = 0; i < 8; ++i)
            in[i] = static_cast<unsigned char>(challenge.at(block * 8 + i));
        DES_ecb_encrypt(&in, &out, &schedule, DES_ENCRYPT);
        for (const unsigned char byte : out)
            answer.append(static_cast<char>(byte));
    }
    return answer;
}

} // namespace vitrine::test
