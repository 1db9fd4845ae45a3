// SPDX-License-Identifier: Apache-2.0
// What a process can and cannot do behind enterSandbox(), in a child of the test.
#include "softnet/program/sandbox.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace vitrine::softnet {
namespace {

pid_t inSandbox(bool mayOpenPorts, const std::function<int()>& what) {
    const pid_t child = ::fork();
    if (child == 0) {
        (void)enterSandbox(mayOpenPorts);
        ::_exit(what());
    }
    return child;
}

int statusOf(pid_t child) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

TEST(SoftnetSandboxTest, AnAbortIsToldFromAFault) {
    const int status = statusOf(inSandbox(false, [] {
        std::abort();
        return 0;
    }));
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGABRT);
}

TEST(SoftnetSandboxTest, NoOtherProcessCanBeSignalled) {
    const int status = statusOf(inSandbox(false, [] {
        return ::kill(::getppid(), 0) != 0 && ::tgkill(::getppid(), ::getppid(), 0) != 0 ? 0 : 1;
    }));
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Those of root, or of the user namespace that the test program is in.
TEST(SoftnetSandboxTest, NoCapabilityIsLeftButThatOfLowPortsWhereItIsNeeded) {
    for (const bool mayOpenPorts : {false, true}) {
        int ready[2];
        int go[2];
        ASSERT_EQ(::pipe(ready), 0);
        ASSERT_EQ(::pipe(go), 0);
        const pid_t child = inSandbox(mayOpenPorts, [&] {
            char byte = 0;
            return ::write(ready[1], &byte, 1) == 1 && ::read(go[0], &byte, 1) == 1 ? 0 : 1;
        });
        char byte = 0;
        ASSERT_EQ(::read(ready[0], &byte, 1), 1);
        std::ifstream file("/proc/" + std::to_string(child) + "/status");
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with("CapEff:") || line.starts_with("CapPrm:")) {
                EXPECT_EQ(line.substr(8), mayOpenPorts ? "0000000000000400" : "0000000000000000")
                    << line;
            } else if (line.starts_with("CapInh:") || line.starts_with("CapAmb:")) {
                EXPECT_EQ(line.substr(8), "0000000000000000") << line;
            }
        }
        ASSERT_EQ(::write(go[1], &byte, 1), 1);
        EXPECT_EQ(statusOf(child), 0);
        for (const int end : {ready[0], ready[1], go[0], go[1]}) {
            ::close(end);
        }
    }
}

// Where a link leads out of the folders that resolvers usually use.
TEST(SoftnetSandboxTest, TheResolversFileIsReadWhereverItIs_NeedsRoot) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root mounts a folder over /etc";
    }
    const pid_t child = ::fork();
    if (child == 0) {
        const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                             ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                             ::mount("tmpfs", "/etc", "tmpfs", 0, nullptr) == 0 &&
                             ::mount("tmpfs", "/mnt", "tmpfs", 0, nullptr) == 0 &&
                             ::mkdir("/mnt/names", 0755) == 0;
        std::ofstream("/mnt/names/resolv.conf") << "nameserver 127.0.0.1\n";
        std::ofstream("/mnt/other") << "secret\n";
        if (!mounted || ::symlink("/mnt/names/resolv.conf", "/etc/resolv.conf") != 0) {
            ::_exit(2);
        }
        (void)enterSandbox(false);
        if (::open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC) < 0) {
            ::_exit(3);
        }
        ::_exit(0);
    }
    const int status = statusOf(child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace
} // namespace vitrine::softnet
