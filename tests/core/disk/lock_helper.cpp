// SPDX-License-Identifier: Apache-2.0
// The other process of the tests of locks. Says one line when it has done what was asked, then
// waits until its standard input ends.
//   hold FILE       classic write lock, as a running machine has it
//   share FILE      classic read lock
//   ofd FILE        lock that belongs to no process: its holder reads as -1
//   flock PATH      flock on a file or directory
//   look FILE       says the process id that F_GETLK tells, 0 when free
//   write FILE TEXT [STEP]  ConfigFile::write(), killed with SIGKILL at STEP
#include "core/disk/file_lock.h"

#include <QCoreApplication>
#include <QFile>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace {

void say(const char* word) {
    std::printf("%s\n", word);
    std::fflush(stdout);
}

void waitForEnd() {
    char byte = 0;
    while (::read(STDIN_FILENO, &byte, 1) > 0) {
    }
}

int lockWith(const char* path, int command, short type) {
    const int fd = ::open(path, O_RDWR | O_CLOEXEC);
    struct flock range {};
    range.l_type = type;
    if (fd < 0 || ::fcntl(fd, command, &range) != 0) {
        say("failed");
        return 1;
    }
    say("held");
    waitForEnd();
    return 0;
}

int look(const char* path) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    struct flock range {};
    range.l_type = F_RDLCK;
    ::fcntl(fd, F_GETLK, &range);
    say(QByteArray::number(range.l_type == F_UNLCK ? 0 : range.l_pid).constData());
    return 0;
}

int write(const QString& path, const QByteArray& text, const QByteArray& fatalStep) {
    auto file = vitrine::ConfigFile::tryLock(path);
    if (!file) {
        say("failed");
        return 1;
    }
    vitrine::ConfigFile::setWriteObserver([&fatalStep](const char* step) {
        if (fatalStep == step)
            ::kill(::getpid(), SIGKILL);
    });
    say(file->write(text) ? "written" : "failed");
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    if (argc < 3)
        return 64;
    const QByteArray action = argv[1];
    if (action == "hold")
        return lockWith(argv[2], F_SETLK, F_WRLCK);
    if (action == "share")
        return lockWith(argv[2], F_SETLK, F_RDLCK);
    if (action == "ofd")
        return lockWith(argv[2], F_OFD_SETLK, F_WRLCK);
    if (action == "look")
        return look(argv[2]);
    if (action == "flock") {
        const int fd = ::open(argv[2], O_RDONLY | O_CLOEXEC);
        say(fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? "held" : "failed");
        waitForEnd();
        return 0;
    }
    if (action == "write" && argc >= 4)
        return write(QFile::decodeName(argv[2]), argv[3], argc > 4 ? argv[4] : "");
    return 64;
}
