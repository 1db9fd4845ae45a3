// SPDX-License-Identifier: Apache-2.0
// What macOS tells of volumes: statfs(2), getfsstat(2), setxattr(2), getxattr(2).
#include "tests/core/posix_mac/mac_faults.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mntent.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <vector>

namespace vitrine::mac {

bool pretendedVolume(std::string& kind, bool& isLocal); // mac_calls.cpp

} // namespace vitrine::mac

namespace {

struct Mount {
    std::string place;
    std::string source;
};

std::vector<Mount> mounts() {
    std::vector<Mount> all;
    std::FILE* const table = ::setmntent("/proc/self/mounts", "re");
    if (table == nullptr)
        return all;
    struct mntent entry {};
    std::array<char, 16384> text{};
    while (::getmntent_r(table, &entry, text.data(), text.size()) != nullptr)
        all.push_back({entry.mnt_dir, entry.mnt_fsname});
    ::endmntent(table);
    return all;
}

std::string beginOf(const char* path) {
    std::array<char, 4097> real{};
    if (::realpath(path, real.data()) == nullptr)
        return "/";
    const std::string whole(real.data());
    std::string longest = "/";
    for (const Mount& mount : mounts()) {
        const bool isIn = whole == mount.place || whole.rfind(mount.place + '/', 0) == 0;
        if (isIn && mount.place.size() > longest.size())
            longest = mount.place;
    }
    return longest;
}

template <size_t size>
void put(char (&field)[size], const std::string& text) {
    std::strncpy(field, text.c_str(), size - 1);
    field[size - 1] = '\0';
}

// Names of macOS for the file systems of linux/magic.h.
const char* kindOf(unsigned long type) {
    switch (static_cast<unsigned>(type)) {
    case 0x4D44:
        return "msdos";
    case 0x2011BAB0:
        return "exfat";
    case 0x6969:
        return "nfs";
    case 0xFE534D42:
    case 0xFF534D42:
        return "smbfs";
    case 0x65735546:
        return "macfuse";
    default:
        return "apfs";
    }
}

struct Facts {
    std::string kind;
    bool isLocal = true;
    std::string place;
};

int factsOf(const char* path, Facts& facts) {
    struct statfs info {};
    if (::statfs(path, &info) != 0)
        return -1;
    facts.kind = kindOf(static_cast<unsigned long>(info.f_type));
    facts.isLocal = facts.kind != "nfs" && facts.kind != "smbfs";
    (void)vitrine::mac::pretendedVolume(facts.kind, facts.isLocal);
    facts.place = beginOf(path);
    return 0;
}

// The attribute's name as Linux takes it.
std::string ownName(const char* name) {
    const std::string text(name);
    return "user." + (text.rfind("org.", 0) == 0 ? text.substr(4) : text);
}

} // namespace

extern "C" {

int mac_setxattr(const char* path,
                 const char* name,
                 const void* value,
                 size_t size,
                 uint32_t position,
                 int options) {
    if (vitrine::mac::mustFail(vitrine::mac::Call::SetAttribute))
        return -1;
    if (position != 0 || options != 0) {
        errno = EINVAL;
        return -1;
    }
    return ::setxattr(path, ownName(name).c_str(), value, size, 0);
}

ssize_t mac_getxattr(
    const char* path, const char* name, void* value, size_t size, uint32_t position, int options) {
    if (vitrine::mac::mustFail(vitrine::mac::Call::GetAttribute))
        return -1;
    if (position != 0 || options != 0) {
        errno = EINVAL;
        return -1;
    }
    return ::getxattr(path, ownName(name).c_str(), value, size);
}

} // extern "C"

// From here on the structure is macOS's.
#define statfs mac_statfs
#define fstatfs mac_fstatfs
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // a structure and a call of one name
#include "vz/check/darwin/sys/mount.h"
#pragma GCC diagnostic pop

extern "C" {

int mac_statfs(const char* path, struct mac_statfs* told) {
    Facts facts;
    if (vitrine::mac::mustFail(vitrine::mac::Call::Statfs) || factsOf(path, facts) != 0)
        return -1;
    *told = {};
    told->f_flags = facts.isLocal ? MNT_LOCAL : 0U;
    put(told->f_fstypename, facts.kind);
    put(told->f_mntonname, facts.place);
    return 0;
}

// As many as fit, or how many there are when there is no place for them.
int getfsstat(struct mac_statfs* told, int size, int) {
    if (vitrine::mac::mustFail(vitrine::mac::Call::ListVolumes))
        return -1;
    const std::vector<Mount> all = mounts();
    if (told == nullptr)
        return static_cast<int>(all.size());
    const size_t room = static_cast<size_t>(size) / sizeof(struct mac_statfs);
    const size_t count = std::min(room, all.size());
    for (size_t i = 0; i < count; ++i) {
        told[i] = {};
        put(told[i].f_mntonname, all.at(i).place);
        put(told[i].f_mntfromname, all.at(i).source);
    }
    return static_cast<int>(count);
}

} // extern "C"
