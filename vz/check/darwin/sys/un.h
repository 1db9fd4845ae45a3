// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/socket.h>
struct sockaddr_un {
    unsigned char sun_len;
    sa_family_t sun_family;
    char sun_path[104];
};
