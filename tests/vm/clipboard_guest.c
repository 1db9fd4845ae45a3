// SPDX-License-Identifier: Apache-2.0
// Stands in for spice-vdagent in a guest without a desktop: joins the clipboard of the port
// com.redhat.spice.0 with files in a folder. Text of the host is written to FOLDER/clipboard.in; a
// file FOLDER/clipboard.out is taken away and offered as what was copied here.
//   clipboard_guest FOLDER
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Names and numbers: spice/vd_agent.h.
enum { CLIENT_PORT = 1, PROTOCOL = 1 };
enum { MSG_CLIPBOARD = 4, MSG_CAPABILITIES = 6, MSG_GRAB = 7, MSG_REQUEST = 8 };
enum { TYPE_NONE = 0, TYPE_TEXT = 1 };
enum { CAPABILITY_BY_DEMAND = 1 << 5, CAPABILITY_SELECTION = 1 << 6 };
enum { CHUNK = 2048, LONGEST = 4 << 20, SELECTION = 4 }; // bytes

static int port;
static uint8_t message[LONGEST];
static uint8_t copied[LONGEST]; // here, as far as it was offered
static size_t copied_size;
static size_t waiting; // bytes that were read and belong to the next message

static void end(const char* what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void put(uint8_t* at, uint32_t value) {
    value = htole32(value);
    memcpy(at, &value, sizeof value);
}

static uint32_t get(const uint8_t* at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static void write_all(const uint8_t* bytes, size_t size) {
    while (size > 0) {
        const ssize_t written = write(port, bytes, size);
        if (written < 0) {
            end("write");
        }
        bytes += written;
        size -= (size_t)written;
    }
}

// A port that no one listens to reads as ended: it is tried again.
static void read_all(uint8_t* bytes, size_t size) {
    static uint8_t kept[64 << 10];
    static size_t from, to;
    while (size > 0) {
        if (from == to) {
            const ssize_t got = read(port, kept, sizeof kept);
            if (got <= 0) {
                usleep(20000);
                continue;
            }
            from = 0;
            to = (size_t)got;
        }
        const size_t part = size < to - from ? size : to - from;
        memcpy(bytes, kept + from, part);
        from += part;
        bytes += part;
        size -= part;
        waiting = to - from;
    }
}

static void send_message(uint32_t type, const uint8_t* body, size_t size) {
    static uint8_t whole[20 + LONGEST];
    static uint8_t chunks[2 * LONGEST];
    memset(whole, 0, 20);
    put(whole, PROTOCOL);
    put(whole + 4, type);
    put(whole + 16, (uint32_t)size);
    memcpy(whole + 20, body, size);
    size_t length = 0;
    for (size_t at = 0; at < 20 + size; at += CHUNK) {
        const size_t part = 20 + size - at < CHUNK ? 20 + size - at : CHUNK;
        put(chunks + length, CLIENT_PORT);
        put(chunks + length + 4, (uint32_t)part);
        memcpy(chunks + length + 8, whole + at, part);
        length += 8 + part;
    }
    write_all(chunks, length);
}

static void announce(uint32_t ask) {
    uint8_t body[8];
    put(body, ask);
    put(body + 4, CAPABILITY_BY_DEMAND | CAPABILITY_SELECTION);
    send_message(MSG_CAPABILITIES, body, sizeof body);
}

static void send_of_clipboard(uint32_t type, uint32_t kind, const uint8_t* text, size_t size) {
    static uint8_t body[8 + LONGEST];
    put(body, 0); // the selection "clipboard"
    put(body + 4, kind);
    if (size > 0) {
        memcpy(body + 8, text, size);
    }
    send_message(type, body, 8 + size);
}

// Whoever reads the file sees all of a text or the one before.
static void keep(const uint8_t* text, size_t size) {
    const int file = open("clipboard.new", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || write(file, text, size) != (ssize_t)size || close(file) != 0 ||
        rename("clipboard.new", "clipboard.in") != 0) {
        end("clipboard.in");
    }
}

static void offer_copied(void) {
    const int file = open("clipboard.out", O_RDONLY);
    if (file < 0) {
        return;
    }
    copied_size = 0;
    for (ssize_t got = 1; got > 0; copied_size += (size_t)got) {
        got = read(file, copied + copied_size, sizeof copied - 8 - copied_size);
        if (got < 0) {
            end("clipboard.out");
        }
    }
    close(file);
    unlink("clipboard.out");
    printf("offered %zu bytes\n", copied_size);
    send_of_clipboard(MSG_GRAB, TYPE_TEXT, NULL, 0);
}

static void answer(void) {
    uint8_t head[20];
    uint8_t chunk[8];
    uint32_t chunk_left = 0;
    size_t done = 0;
    size_t size = sizeof head;
    uint8_t* to = head;
    for (int part = 0; part < 2; ++part) {
        for (done = 0; done < size;) {
            if (chunk_left == 0) {
                read_all(chunk, sizeof chunk);
                chunk_left = get(chunk + 4);
            }
            const size_t next = size - done < chunk_left ? size - done : chunk_left;
            read_all(to + done, next);
            done += next;
            chunk_left -= (uint32_t)next;
        }
        if (part == 0) {
            size = get(head + 16);
            to = message;
            if (size > sizeof message) {
                errno = EMSGSIZE;
                end("message");
            }
        }
    }
    const uint32_t type = get(head + 4);
    printf("message %u of %zu bytes\n", type, size);
    if (type == MSG_CAPABILITIES && size >= 8) {
        if (get(message) != 0) {
            announce(0);
        }
    } else if (type == MSG_GRAB) {
        send_of_clipboard(MSG_REQUEST, TYPE_TEXT, NULL, 0);
    } else if (type == MSG_REQUEST) {
        send_of_clipboard(
            MSG_CLIPBOARD, copied_size > 0 ? TYPE_TEXT : TYPE_NONE, copied, copied_size);
    } else if (type == MSG_CLIPBOARD && size >= SELECTION + 4 &&
               get(message + SELECTION) == TYPE_TEXT) {
        keep(message + SELECTION + 4, size - SELECTION - 4);
    }
}

int main(int count, char** words) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count != 2 || chdir(words[1]) != 0) {
        fprintf(stderr, "usage: clipboard_guest FOLDER\n");
        return 2;
    }
    port = open("/dev/virtio-ports/com.redhat.spice.0", O_RDWR);
    if (port < 0) {
        end("com.redhat.spice.0");
    }
    announce(1);
    for (;;) {
        offer_copied();
        struct pollfd ready = {.fd = port, .events = POLLIN};
        if (waiting > 0 || poll(&ready, 1, 50) > 0) {
            if (waiting > 0 || (ready.revents & POLLIN) != 0) {
                answer();
            } else {
                usleep(50000); // no one listens
            }
        }
    }
}
