// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/sandbox.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <iterator>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace vitrine::softnet {

namespace {

// The limit in force from now on.
rlim_t limit(__rlimit_resource what, rlim_t most) {
    rlimit current{};
    if (::getrlimit(what, &current) != 0) {
        return most;
    }
    const rlim_t value = std::min(most, current.rlim_max);
    const rlimit wanted{value, value};
    return ::setrlimit(what, &wanted) == 0 ? value : current.rlim_cur;
}

// Ambient and file capabilities outlive execve(), so that an ordinary user may have some.
void dropCapabilities(bool mayOpenPorts) {
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct sets[2] = {};
    if (::syscall(SYS_capget, &header, sets) != 0) {
        return;
    }
    const std::uint32_t kept = mayOpenPorts ? std::uint32_t{1} << CAP_NET_BIND_SERVICE : 0;
    sets[0] = {sets[0].effective & kept, sets[0].permitted & kept, 0};
    sets[1] = {};
    ::syscall(SYS_capset, &header, sets);
}

std::string folderOf(const char* file) {
    std::string path(PATH_MAX, '\0');
    if (::realpath(file, path.data()) == nullptr) {
        return {};
    }
    path.resize(std::strlen(path.c_str()));
    return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

// Reading below /etc (resolv.conf is replaced by a rename, so its folder is named), where the usual
// resolvers keep the file that it links to and where it leads now. Ports are left out: libslirp
// connects anywhere.
void enterLandlock() {
    const long abi =
        ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) {
        return;
    }
    // All rights to files that this version knows: 13, then refer, truncate and ioctl were added.
    struct {
        std::uint64_t files;
        std::uint64_t network;
        std::uint64_t scoped;
    } handled{(std::uint64_t{1} << (abi >= 5   ? 16
                                    : abi >= 3 ? 15
                                    : abi == 2 ? 14
                                               : 13)) -
                  1,
              0,
              abi >= 6 ? std::uint64_t{3} : 0}; // abstract Unix sockets, signals
    const std::size_t size = abi >= 6 ? 24 : abi >= 4 ? 16 : 8;
    const auto rules = static_cast<int>(::syscall(SYS_landlock_create_ruleset, &handled, size, 0));
    if (rules < 0) {
        return;
    }
    for (const std::string& folder : {std::string("/etc"),
                                      std::string("/run/systemd/resolve"),
                                      std::string("/run/resolvconf"),
                                      std::string("/run/NetworkManager"),
                                      folderOf("/etc/resolv.conf")}) {
        const int at = folder.size() > 1 ? ::open(folder.c_str(), O_PATH | O_CLOEXEC) : -1;
        if (at < 0) {
            continue;
        }
        landlock_path_beneath_attr beneath{};
        beneath.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
        beneath.parent_fd = at;
        ::syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
        ::close(at);
    }
    ::syscall(SYS_landlock_restrict_self, rules, 0);
    ::close(rules);
}

#if defined(__x86_64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif

// What libslirp, its loop and libc need after the start.
constexpr long allowed[] = {
    SYS_read,       SYS_write,        SYS_close,        SYS_ppoll,          SYS_recvfrom,
    SYS_recvmsg,    SYS_recvmmsg,     SYS_sendto,       SYS_sendmsg,        SYS_setsockopt,
    SYS_getsockopt, SYS_fcntl,        SYS_shutdown,     SYS_accept,         SYS_accept4,
    SYS_connect,    SYS_bind,         SYS_listen,       SYS_getsockname,    SYS_getpeername,
    SYS_ioctl,      SYS_openat,       SYS_newfstatat,   SYS_fstat,          SYS_brk,
    SYS_mmap,       SYS_munmap,       SYS_mremap,       SYS_madvise,        SYS_futex,
    SYS_exit,       SYS_exit_group,   SYS_getrusage,    SYS_clock_gettime,  SYS_clock_nanosleep,
    SYS_nanosleep,  SYS_rt_sigreturn, SYS_lseek,        SYS_getrandom,      SYS_gettimeofday,
    SYS_sendmmsg,   SYS_writev,       SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_getpid,
    SYS_gettid,
#ifdef __NR_poll
    SYS_poll,
#endif
#ifdef __NR_stat
    SYS_stat,
#endif
#ifdef VITRINE_SANITIZED // its runtime looks at memory through a pipe and stops without
#ifdef __NR_pipe
    SYS_pipe,
#endif
    SYS_pipe2,      SYS_sched_yield,  SYS_sigaltstack,
#endif
};
// Nothing of ours ever asks for these.
constexpr long deadly[] = {SYS_execve,
                           SYS_execveat,
                           SYS_ptrace,
                           SYS_clone,
                           SYS_mount,
                           SYS_umount2,
                           SYS_setns,
                           SYS_unshare,
                           SYS_bpf,
                           SYS_init_module,
                           SYS_finit_module,
                           SYS_kexec_load,
                           SYS_process_vm_readv,
                           SYS_process_vm_writev,
                           SYS_keyctl};

void enterSeccomp() {
#if defined(__x86_64__) || defined(__aarch64__)
    const auto statement = [](unsigned code, std::uint32_t value) {
        return sock_filter{static_cast<std::uint16_t>(code), 0, 0, value};
    };
    const auto jumpIfEqual = [](std::uint32_t value, std::uint8_t yes, std::uint8_t no) {
        return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, yes, no, value};
    };
    constexpr unsigned load = BPF_LD | BPF_W | BPF_ABS;
    constexpr unsigned answer = BPF_RET | BPF_K;
    std::vector<sock_filter> program = {
        statement(load, offsetof(seccomp_data, arch)),
        jumpIfEqual(architecture, 1, 0),
        statement(answer, SECCOMP_RET_KILL_PROCESS),
        statement(load, offsetof(seccomp_data, nr)),
        // A new socket may only be of IPv4 (the low half of the first argument; both are
        // little-endian).
        jumpIfEqual(SYS_socket, 0, 4),
        statement(load, offsetof(seccomp_data, args)),
        jumpIfEqual(AF_INET, 0, 1),
        statement(answer, SECCOMP_RET_ALLOW),
        statement(answer, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
        // abort() ends this process itself, so that its end can be told from a fault.
        jumpIfEqual(SYS_tgkill, 0, 4),
        statement(load, offsetof(seccomp_data, args)),
        jumpIfEqual(static_cast<std::uint32_t>(::getpid()), 0, 1),
        statement(answer, SECCOMP_RET_ALLOW),
        statement(answer, SECCOMP_RET_ERRNO | EPERM),
    };
    for (const long number : allowed) {
        program.push_back(jumpIfEqual(static_cast<std::uint32_t>(number), 0, 1));
        program.push_back(statement(answer, SECCOMP_RET_ALLOW));
    }
    for (const long number : deadly) {
        program.push_back(jumpIfEqual(static_cast<std::uint32_t>(number), 0, 1));
        program.push_back(statement(answer, SECCOMP_RET_KILL_PROCESS));
    }
    program.push_back(statement(answer, SECCOMP_RET_ERRNO | EPERM));
    const sock_fprog whole{static_cast<unsigned short>(program.size()), program.data()};
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole, 0, 0);
#endif
}

} // namespace

Checked<void> dropPrivileges(const std::optional<std::string>& user,
                             const std::optional<std::string>& group) {
    if (::geteuid() != 0) {
        return {};
    }
    if (!user) {
        return refuse("does not run as root: name whom to become with --user");
    }
    const passwd* const account = ::getpwnam(user->c_str());
    if (account == nullptr || account->pw_uid == 0) {
        return refuse("there is no ordinary user named \"" + *user + "\"");
    }
    const uid_t uid = account->pw_uid;
    gid_t gid = account->pw_gid;
    if (group) {
        const ::group* const named = ::getgrnam(group->c_str());
        if (named == nullptr) {
            return refuse("there is no group named \"" + *group + "\"");
        }
        gid = named->gr_gid;
    }
    if (::setgroups(0, nullptr) != 0 || ::setresgid(gid, gid, gid) != 0 ||
        ::setresuid(uid, uid, uid) != 0 || ::setuid(0) == 0) {
        return refuse("cannot become \"" + *user + "\": " + std::strerror(errno));
    }
    return {};
}

std::size_t enterSandbox(bool mayOpenPorts) {
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NPROC, 0);
    const rlim_t mostFiles = limit(RLIMIT_NOFILE, 2048); // the brake on the guest's connections
#ifndef VITRINE_SANITIZED              // which takes terabytes of addresses for its shadow
    limit(RLIMIT_AS, rlim_t{1} << 30); // each of them takes 256 KiB
#endif
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    dropCapabilities(mayOpenPorts);
    enterLandlock();
    enterSeccomp();
    return mostFiles;
}

} // namespace vitrine::softnet
