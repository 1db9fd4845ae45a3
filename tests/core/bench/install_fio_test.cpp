// SPDX-License-Identifier: Apache-2.0
// The script that installs fio in guests, with the real apt-get of this computer on a repository,
// lists and a status of its own: nothing of this computer changes.
#include "core/bench/guest_scripts.h"
#include "tests/core/bench/bench_support.h"
#include "tests/support/event_wait.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <fcntl.h>
#include <unistd.h>

namespace vitrine::bench {

namespace {

class InstallByApt : public testing::Test {
protected:
    void SetUp() override {
        for (const char* name :
             {"bin", "repo", "pack/DEBIAN", "state/lists/partial", "cache/archives/partial", "etc"})
            ASSERT_TRUE(QDir(folder.path()).mkpath(s(name)));
        put("pack/DEBIAN/control",
            "Package: fio\nVersion: 1\nArchitecture: all\nMaintainer: n <n@example.org>\n"
            "Description: a stand-in\n");
        QProcess pack;
        pack.start(s("dpkg-deb"), {s("--build"), path("pack"), path("repo/fio.deb")});
        ASSERT_TRUE(pack.waitForFinished() && pack.exitCode() == 0)
            << pack.readAllStandardError().constData();
        put("state/status", "");
        put("list", "deb [trusted=yes] file:" + folder.path().toUtf8() + "/repo ./\n");
        // As root of a guest; what dpkg would be called with is printed instead.
        put("bin/id", "#!/bin/sh\necho 0\n");
        put("bin/apt-get",
            "#!/bin/sh\necho \"$*\" >> log\n"
            "/usr/bin/apt-get -o Dir::Etc=etc -o Dir::Etc::SourceList=\"$PWD/list\" "
            "-o Dir::Etc::SourceParts=- -o Dir::State=\"$PWD/state\" "
            "-o Dir::State::Status=\"$PWD/state/status\" -o Dir::Cache=\"$PWD/cache\" "
            "-o APT::Sandbox::User= -o Dir::Log=\"$PWD\" -o Debug::pkgDPkgPM=1 "
            "-o DPkg::Pre-Install-Pkgs= -o DPkg::Post-Invoke= -o APT::Update::Post-Invoke= "
            "-o Debug::NoLocking=0 \"$@\" || exit\n"
            "case \"$*\" in *install*) printf '#!/bin/sh\\n' > bin/fio; /bin/chmod +x bin/fio ;; "
            "esac\n");
    }
    void putPackages() {
        QFile package(path("repo/fio.deb"));
        ASSERT_TRUE(package.open(QIODevice::ReadOnly));
        const QByteArray bytes = package.readAll();
        put("repo/Packages",
            "Package: fio\nVersion: 1\nArchitecture: all\nFilename: ./fio.deb\nSize: " +
                QByteArray::number(bytes.size()) +
                "\nSHA256: " + QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex() +
                "\nDescription: a stand-in\n\n");
    }
    [[nodiscard]] QString path(const char* name) const { return folder.filePath(s(name)); }
    void put(const char* name, const QByteArray& bytes) const {
        QFile file(path(name));
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    void start(QProcess& process) const {
        QString script = guest::installFioScript();
        script.replace(s("PATH=$PATH:"), s("OTHERS="));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        // Of this computer's programs those alone that the script needs.
        for (const char* name : {"env", "sleep"})
            (void)QFile::link(QStandardPaths::findExecutable(s(name)),
                              path("bin/") + QLatin1String(name));
        environment.insert(s("PATH"), path("bin"));
        process.setProcessEnvironment(environment);
        process.setWorkingDirectory(folder.path());
        process.start(s("/bin/sh"), {s("-c"), script});
        ASSERT_TRUE(process.waitForStarted());
    }
    [[nodiscard]] QList<QByteArray> calls() const {
        QFile log(path("log"));
        return log.open(QIODevice::ReadOnly) ? log.readAll().trimmed().split('\n')
                                             : QList<QByteArray>();
    }

    QTemporaryDir folder;
};

} // namespace

TEST_F(InstallByApt, GetsItFromARepository) {
    putPackages();
    QProcess process;
    start(process);
    ASSERT_TRUE(process.waitForFinished());
    EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().constData();
    EXPECT_EQ(calls().size(), 2);
}

TEST_F(InstallByApt, WaitsForTheListsThatAGuestFetchesByItself) {
    putPackages();
    const QByteArray lock = QFile::encodeName(path("state/lists/lock"));
    const int fd = ::open(lock.constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    ASSERT_GE(fd, 0);
    struct flock held {};
    held.l_type = F_WRLCK;
    ASSERT_EQ(::fcntl(fd, F_SETLK, &held), 0);
    QProcess process;
    start(process);
    ASSERT_TRUE(test::waitUntil([this] { return calls().size() >= 2; }, 20000));
    EXPECT_TRUE(calls().last().endsWith(" update")) << "tried again";
    ::close(fd);
    ASSERT_TRUE(process.waitForFinished());
    EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().constData();
}

TEST_F(InstallByApt, SaysThatTheRepositoryIsNotThere) {
    QProcess process;
    start(process);
    ASSERT_TRUE(process.waitForFinished());
    EXPECT_NE(process.exitCode(), 0);
    const QByteArray said = process.readAllStandardError();
    EXPECT_TRUE(said.contains("Failed to fetch") && said.contains("Packages")) << said.constData();
    EXPECT_EQ(calls().size(), 2) << "not tried for minutes";
}

} // namespace vitrine::bench
