// SPDX-License-Identifier: Apache-2.0
// Draws on the screen through the kernel's mode setting and follows it: when the screen gets
// another preferred size (the window of the host was resized), the picture is made anew in that
// size.
//
//   screen-demo [-s SECONDS] [-p card|flat|scroll|noise] [-f FRAMES_PER_SECOND] [-d DEVICE]
//
// card   a frame of one pixel around the edge, colour bars, the size in figures; a small square
// moves flat   the whole screen in one colour that changes with each frame scroll moving lines, as
// a terminal full of text does noise  every pixel anew: nothing can be saved by comparing or
// packing
//
// Prints a line "mode WIDTHxHEIGHT" whenever the size is set, and at the end how many frames were
// drawn. On a virtual terminal the screen is given up while another terminal is in front. Ends on a
// signal or after SECONDS.
#include <errno.h>
#include <fcntl.h>
#include <libdrm/drm.h>
#include <libdrm/drm_mode.h>
#include <linux/kd.h>
#include <linux/netlink.h>
#include <linux/vt.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t wantedEnd, wantedRelease, wantedAcquire;

static int card = -1;
static uint32_t connector, crtc;
static struct drm_mode_modeinfo mode;
static uint32_t framebuffer, bufferHandle, pitch;
static uint64_t bufferSize;
static uint8_t* pixels;
static uint32_t randomState = 1;

static void onSignal(int number) {
    if (number == SIGUSR1)
        wantedRelease = 1;
    else if (number == SIGUSR2)
        wantedAcquire = 1;
    else
        wantedEnd = 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t address(const void* p) {
    return (uint64_t)(uintptr_t)p;
}

// The first connected screen and its preferred mode. Asking also makes the driver read the screen's
// data again.
static bool findScreen(void) {
    enum { Screens = 16, Modes = 128, Properties = 64 };
    static uint32_t connectors[Screens], crtcs[Screens], encoders[Screens], framebuffers[Screens];
    static uint32_t properties[Properties];
    static uint64_t values[Properties];
    static struct drm_mode_modeinfo modes[Modes];

    struct drm_mode_card_res resources = {.connector_id_ptr = address(connectors),
                                          .crtc_id_ptr = address(crtcs),
                                          .encoder_id_ptr = address(encoders),
                                          .fb_id_ptr = address(framebuffers),
                                          .count_connectors = Screens,
                                          .count_crtcs = Screens,
                                          .count_encoders = Screens,
                                          .count_fbs = Screens};
    if (ioctl(card, DRM_IOCTL_MODE_GETRESOURCES, &resources) != 0 || resources.count_crtcs == 0)
        return false;
    for (uint32_t i = 0; i < resources.count_connectors && i < Screens; ++i) {
        struct drm_mode_get_connector c = {.connector_id = connectors[i]};
        if (ioctl(card, DRM_IOCTL_MODE_GETCONNECTOR, &c) != 0 || c.connection != 1)
            continue;
        if (c.count_modes > Modes || c.count_props > Properties || c.count_encoders > Screens)
            continue;
        c.modes_ptr = address(modes);
        c.encoders_ptr = address(encoders);
        c.props_ptr = address(properties);
        c.prop_values_ptr = address(values);
        if (ioctl(card, DRM_IOCTL_MODE_GETCONNECTOR, &c) != 0 || c.count_modes == 0)
            continue;
        const struct drm_mode_modeinfo* chosen = &modes[0];
        for (uint32_t m = 0; m < c.count_modes && m < Modes; ++m) {
            if (modes[m].type & DRM_MODE_TYPE_PREFERRED) {
                chosen = &modes[m];
                break;
            }
        }
        connector = connectors[i];
        crtc = crtcs[0];
        mode = *chosen;
        return true;
    }
    return false;
}

static bool showBuffer(uint32_t id) {
    struct drm_mode_crtc set = {.crtc_id = crtc,
                                .fb_id = id,
                                .set_connectors_ptr = address(&connector),
                                .count_connectors = 1,
                                .mode = mode,
                                .mode_valid = 1};
    return ioctl(card, DRM_IOCTL_MODE_SETCRTC, &set) == 0;
}

// A new picture in the current mode; the old one goes once the new one shows.
static bool makeBuffer(void) {
    struct drm_mode_create_dumb dumb = {.width = mode.hdisplay, .height = mode.vdisplay, .bpp = 32};
    if (ioctl(card, DRM_IOCTL_MODE_CREATE_DUMB, &dumb) != 0)
        return false;
    struct drm_mode_fb_cmd add = {.width = dumb.width,
                                  .height = dumb.height,
                                  .pitch = dumb.pitch,
                                  .bpp = 32,
                                  .depth = 24,
                                  .handle = dumb.handle};
    struct drm_mode_map_dumb map = {.handle = dumb.handle};
    if (ioctl(card, DRM_IOCTL_MODE_ADDFB, &add) != 0 ||
        ioctl(card, DRM_IOCTL_MODE_MAP_DUMB, &map) != 0)
        return false;
    uint8_t* memory =
        mmap(NULL, dumb.size, PROT_READ | PROT_WRITE, MAP_SHARED, card, (off_t)map.offset);
    if (memory == MAP_FAILED || !showBuffer(add.fb_id))
        return false;
    if (pixels != NULL) {
        munmap(pixels, bufferSize);
        uint32_t oldBuffer = framebuffer;
        ioctl(card, DRM_IOCTL_MODE_RMFB, &oldBuffer);
        struct drm_mode_destroy_dumb destroy = {.handle = bufferHandle};
        ioctl(card, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy);
    }
    pixels = memory;
    bufferSize = dumb.size;
    pitch = dumb.pitch;
    framebuffer = add.fb_id;
    bufferHandle = dumb.handle;
    printf("mode %dx%d\n", mode.hdisplay, mode.vdisplay);
    fflush(stdout);
    return true;
}

static void changed(int x, int y, int width, int height) {
    struct drm_clip_rect clip = {
        (uint16_t)x, (uint16_t)y, (uint16_t)(x + width), (uint16_t)(y + height)};
    struct drm_mode_fb_dirty_cmd dirty = {
        .fb_id = framebuffer, .num_clips = 1, .clips_ptr = address(&clip)};
    ioctl(card, DRM_IOCTL_MODE_DIRTYFB, &dirty); // some drivers need none and have none
}

static void fill(int x, int y, int width, int height, uint32_t colour) {
    for (int row = y < 0 ? 0 : y; row < y + height && row < mode.vdisplay; ++row) {
        uint32_t* line = (uint32_t*)(void*)(pixels + (size_t)row * pitch);
        for (int column = x < 0 ? 0 : x; column < x + width && column < mode.hdisplay; ++column)
            line[column] = colour;
    }
}

// Figures of 3x5 cells, one octal digit a row, the top row first; the eleventh is a multiplication
// sign.
static void drawText(const char* text, int x, int y, int cell) {
    static const uint16_t Shapes[] = {
        075557, 026227, 071747, 071717, 055711, 074717, 074757, 071111, 075757, 075717, 000525};
    for (; *text != '\0'; ++text, x += 4 * cell) {
        const uint16_t shape = Shapes[*text >= '0' && *text <= '9' ? *text - '0' : 10];
        for (int bit = 0; bit < 15; ++bit) {
            if (shape >> (14 - bit) & 1)
                fill(x + bit % 3 * cell, y + bit / 3 * cell, cell, cell, 0xffffff);
        }
    }
}

static void drawCard(void) {
    static const uint32_t Bars[] = {
        0xc0c0c0, 0xc0c000, 0x00c0c0, 0x00c000, 0xc000c0, 0xc00000, 0x0000c0, 0x101010};
    const int width = mode.hdisplay, height = mode.vdisplay;
    for (int i = 0; i < 8; ++i)
        fill(width * i / 8, 0, width * (i + 1) / 8 - width * i / 8, height, Bars[i]);
    char text[32];
    const int length = snprintf(text, sizeof text, "%dx%d", width, height);
    const int cell = width / (8 * length) > 1 ? width / (8 * length) : 1;
    const int textWidth = (4 * length - 1) * cell;
    fill((width - textWidth) / 2 - 2 * cell,
         height / 2 - 5 * cell,
         textWidth + 4 * cell,
         9 * cell,
         0x000000);
    drawText(text, (width - textWidth) / 2, height / 2 - 3 * cell, cell);
    fill(0, 0, width, 1, 0xffffff);
    fill(0, height - 1, width, 1, 0xffffff);
    fill(0, 0, 1, height, 0xffffff);
    fill(width - 1, 0, 1, height, 0xffffff);
    changed(0, 0, width, height);
}

static void drawFrame(const char* pattern, long frame) {
    const int width = mode.hdisplay, height = mode.vdisplay;
    if (strcmp(pattern, "flat") == 0) {
        fill(0, 0, width, height, (uint32_t)(frame * 37 & 255) * 0x010101U);
        changed(0, 0, width, height);
    } else if (strcmp(pattern, "scroll") == 0) {
        memmove(pixels, pixels + 16 * (size_t)pitch, (size_t)(height - 16) * pitch);
        for (int y = height - 16; y < height; ++y) {
            uint32_t* line = (uint32_t*)(void*)(pixels + (size_t)y * pitch);
            for (int x = 0; x < width; ++x) {
                randomState = randomState * 1664525U + 1013904223U;
                line[x] = (x & 8) != 0 && randomState >> 31 ? 0xffffff : 0x202020;
            }
        }
        changed(0, 0, width, height);
    } else if (strcmp(pattern, "noise") == 0) {
        uint32_t* all = (uint32_t*)(void*)pixels;
        for (size_t i = 0; i < bufferSize / 4; ++i) {
            randomState = randomState * 1664525U + 1013904223U;
            all[i] = randomState >> 8;
        }
        changed(0, 0, width, height);
    } else {
        const int side = 24;
        const int travel = width - side - 2 > 1 ? width - side - 2 : 1;
        const int y = height * 7 / 8;
        fill(1, y, width - 2, side, 0x202020);
        fill(1 + (int)(frame * 8 % travel), y, side, side, 0xffffff);
        changed(0, y, width, side);
    }
}

// True if one of the waiting kernel messages tells that a screen changed.
static bool screenChanged(int messages) {
    char text[8192];
    bool found = false;
    for (;;) {
        const ssize_t length = recv(messages, text, sizeof text - 1, MSG_DONTWAIT);
        if (length <= 0)
            return found;
        text[length] = '\0';
        for (ssize_t i = 0; i < length; i += (ssize_t)strlen(text + i) + 1)
            found = found || strcmp(text + i, "HOTPLUG=1") == 0;
    }
}

static void takeTerminal(bool take) {
    struct vt_mode terminal = {.mode = VT_AUTO};
    if (take) {
        terminal.mode = VT_PROCESS;
        terminal.relsig = SIGUSR1;
        terminal.acqsig = SIGUSR2;
    }
    ioctl(STDIN_FILENO, VT_SETMODE, &terminal);
    ioctl(STDIN_FILENO, KDSETMODE, take ? KD_GRAPHICS : KD_TEXT);
}

int main(int argc, char** argv) {
    double seconds = 0, rate = 30;
    const char *pattern = "card", *device = "/dev/dri/card0";
    int option;
    while ((option = getopt(argc, argv, "s:p:f:d:")) != -1) {
        if (option == 's')
            seconds = atof(optarg);
        else if (option == 'p')
            pattern = optarg;
        else if (option == 'f')
            rate = atof(optarg);
        else if (option == 'd')
            device = optarg;
        else
            return 2;
    }
    if (rate < 0.1 || rate > 1000)
        rate = 30;

    card = open(device, O_RDWR | O_CLOEXEC);
    if (card < 0) {
        perror(device);
        return 1;
    }
    struct sigaction action = {.sa_handler = onSignal};
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i)
        sigaction(signals[i], &action, NULL);

    struct vt_mode terminal;
    const bool onTerminal = ioctl(STDIN_FILENO, VT_GETMODE, &terminal) == 0;
    if (onTerminal)
        takeTerminal(true);
    int result = 1;
    const int messages = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
    const struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = 1};
    if (messages < 0 || bind(messages, (const struct sockaddr*)&group, sizeof group) != 0) {
        perror("kernel messages");
        goto end;
    }
    ioctl(card, DRM_IOCTL_SET_MASTER, 0);
    if (!findScreen() || !makeBuffer()) {
        perror("screen");
        goto end;
    }
    drawCard();

    bool shown = true;
    long frame = 0;
    const double started = now();
    double next = started;
    while (!wantedEnd && (seconds <= 0 || now() - started < seconds)) {
        if (wantedRelease) {
            wantedRelease = 0;
            shown = false;
            ioctl(card, DRM_IOCTL_DROP_MASTER, 0);
            ioctl(STDIN_FILENO, VT_RELDISP, 1);
        }
        if (wantedAcquire) {
            wantedAcquire = 0;
            ioctl(STDIN_FILENO, VT_RELDISP, VT_ACKACQ);
            ioctl(card, DRM_IOCTL_SET_MASTER, 0);
            shown = findScreen() && makeBuffer();
            drawCard();
        }
        struct pollfd wait = {.fd = messages, .events = POLLIN};
        const double left = next - now();
        const int patience = !shown ? 1000 : left > 0 ? (int)(left * 1000) + 1 : 0;
        if (poll(&wait, 1, patience) > 0 && screenChanged(messages) && shown) {
            const struct drm_mode_modeinfo before = mode;
            if (findScreen() &&
                (before.hdisplay != mode.hdisplay || before.vdisplay != mode.vdisplay) &&
                makeBuffer())
                drawCard();
        }
        if (!shown || now() < next)
            continue;
        drawFrame(pattern, frame++);
        next = now() - next > 1 ? now() : next + 1 / rate;
    }
    const double elapsed = now() - started;
    printf("%ld frames in %.1f s, %.1f a second\n",
           frame,
           elapsed,
           elapsed > 0 ? (double)frame / elapsed : 0);
    result = 0;
end:
    if (onTerminal)
        takeTerminal(false);
    return result;
}
