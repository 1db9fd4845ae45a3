// SPDX-License-Identifier: Apache-2.0
#include "core/run/run_request_file.h"

#include "core/channel/local_socket.h"
#include "core/library/runtime_directory.h"
#include "core/machine/mac_options.h"
#include "tests/support/held_machine.h"

#include <QJsonDocument>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using vitrine::test::SmallLibrary;

namespace {

const QString web = QStringLiteral("web");

class RunRequestFileTest : public testing::Test {
protected:
    // One that has nothing at its default.
    [[nodiscard]] Hypervisor::RunRequest full() const {
        RunOptions options;
        options.rootDisk = *DiskOptions::fromText(QStringLiteral("ro,sync=none,caching=cached"));
        options.disks = {*ExtraDisk::fromText(QStringLiteral("/data/a:b.img:ro,sync=fsync"))};
        options.forwards = {{0, 22}, {8080, 80}};
        options.shares = {*ShareSpec::fromText(QStringLiteral("build:/src:ro"))};
        options.kernel = KernelBoot{QStringLiteral("/k"), QStringLiteral("i"), QStringLiteral("c")};
        options.network.mode = NetworkMode::Bridged;
        options.network.interfaces = {QStringLiteral("en0"), QStringLiteral("en7")};
        options.serial = SerialLine::fromText(QStringLiteral("/dev/ttys001"));
        options.vncServer = options.nested = true;
        options.audio = options.clipboard = options.pointer = options.keyboard = false;
        options.accelerator = AcceleratorChoice::Tcg;
        MacOptions mac;
        mac.rosetta = QStringLiteral("rosetta");
        mac.trackpad = false;
        mac.suspendable = mac.captureSystemKeys = true;
        mac.storeIn(options);
        options.unknown[QStringLiteral("ofANewerProgram")] = 7;
        Hypervisor::RunRequest request{small.library, web, options};
        request.forceOffAfterSeconds = 77;
        request.verbose = request.discardState = request.recovery = true;
        request.capturesSystemKeys = true;
        return request;
    }
    // As it is handed over, with somebody who waits for the answer.
    void handOver() {
        file.emplace(*RunRequestFile::write(full()));
        const auto listening = listenOnLocalSocket(file->socketPath());
        ASSERT_TRUE(listening);
        server = FileDescriptor(*listening);
        id = *RunRequestFile::idOf(small.library.home(), file->path());
    }
    [[nodiscard]] std::optional<RunRequestFile::Taken> take(const QString& name = web) const {
        return RunRequestFile::take(small.library, id, name);
    }
    void replace(const QByteArray& text) const { SmallLibrary::write(file->path(), text); }
    [[nodiscard]] std::optional<Error::Kind> refusal(const QString& name = web) const {
        const auto taken = take(name);
        if (!taken || !taken->request || *taken->request)
            return std::nullopt;
        EXPECT_FALSE(taken->request->error().message.isEmpty());
        return taken->request->error().kind;
    }

    SmallLibrary small;
    std::optional<RunRequestFile> file;
    FileDescriptor server;
    QString id;
};

} // namespace

TEST_F(RunRequestFileTest, EveryOptionArrives) {
    const Hypervisor::RunRequest wish = full();
    const QByteArray text = QJsonDocument(toJson(wish)).toJson();
    const auto read = runRequestFromJson(small.library, QJsonDocument::fromJson(text).object());
    ASSERT_TRUE(read) << read.error().message.toStdString();
    EXPECT_EQ(read->library.home(), wish.library.home());
    EXPECT_EQ(read->name, web);
    EXPECT_EQ(read->options, wish.options);
    EXPECT_EQ(read->forceOffAfterSeconds, 77);
    EXPECT_TRUE(read->verbose && read->discardState && read->recovery && read->capturesSystemKeys);
    EXPECT_FALSE(read->withoutWindow);
    // The same with all at its default.
    const Hypervisor::RunRequest plain{small.library, web, {}};
    const auto plainRead = runRequestFromJson(small.library, toJson(plain));
    ASSERT_TRUE(plainRead);
    EXPECT_EQ(toJson(*plainRead), toJson(plain));
}

TEST_F(RunRequestFileTest, WhatIsNotUnderstoodIsRefusedAsAWhole) {
    const QJsonObject good = toJson(full());
    const auto kind = [this](const QJsonObject& object) {
        const auto read = runRequestFromJson(small.library, object);
        return read ? std::optional<Error::Kind>() : read.error().kind;
    };
    const auto with = [&good](const char* key, const QJsonValue& value) {
        QJsonObject object = good;
        object[QLatin1String(key)] = value;
        return object;
    };
    EXPECT_FALSE(kind(good));
    for (const QJsonValue& version : {QJsonValue(2),
                                      QJsonValue(0),
                                      QJsonValue(QStringLiteral("1")),
                                      QJsonValue(QJsonValue::Undefined)})
        EXPECT_EQ(kind(with("version", version)), Error::Kind::Unsupported);
    EXPECT_EQ(kind(with("ofANewerProgram", true)), Error::Kind::Integrity);
    EXPECT_EQ(kind(with("recovery", 1)), Error::Kind::Integrity);
    EXPECT_EQ(kind(with("options", QJsonValue::Null)), Error::Kind::Integrity);
    EXPECT_TRUE(kind(with("options", QJsonObject{{QStringLiteral("audio"), 3}})));
    EXPECT_EQ(kind(with("forceOffAfterSeconds", -1)), Error::Kind::Integrity);
    EXPECT_EQ(kind(with("forceOffAfterSeconds", 1e9)), Error::Kind::Integrity);
    EXPECT_EQ(kind(with("name", QStringLiteral("../web"))), Error::Kind::Integrity);
    EXPECT_EQ(kind(with("library", QStringLiteral("/"))), Error::Kind::Integrity);
    for (const QString& key : good.keys()) {
        QJsonObject less = good;
        less.remove(key);
        EXPECT_TRUE(kind(less)) << key.toStdString();
    }
}

TEST_F(RunRequestFileTest, ItIsPrivateAndTakenOnce) {
    handOver();
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(file->path()).constData(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600);
    const auto first = take();
    ASSERT_TRUE(first && first->request);
    ASSERT_TRUE(*first->request) << first->request->error().message.toStdString();
    EXPECT_EQ((*first->request)->options, full().options);
    const auto second = take();
    ASSERT_TRUE(second) << "it is told that it came too late";
    EXPECT_FALSE(second->request);
    EXPECT_FALSE(file->takeBack());
    const QString folder = QFileInfo(file->path()).path();
    file.reset();
    EXPECT_FALSE(QFileInfo::exists(folder));
}

TEST_F(RunRequestFileTest, TakenBackNobodyHasIt) {
    handOver();
    EXPECT_TRUE(file->takeBack());
    EXPECT_FALSE(take()->request);
}

TEST_F(RunRequestFileTest, WhereNobodyWaitsNothingIsTaken) {
    handOver();
    server.reset(); // as a kill leaves it
    EXPECT_FALSE(take());
    EXPECT_TRUE(QFileInfo::exists(file->path()));
}

TEST_F(RunRequestFileTest, WhatIsNotOfThisUserAloneIsRefused) {
    handOver();
    ::chmod(QFile::encodeName(file->path()).constData(), 0644);
    EXPECT_EQ(refusal(), Error::Kind::Permission);

    handOver();
    QFile::rename(file->path(), small.library.home() + QStringLiteral("/elsewhere"));
    QFile::link(small.library.home() + QStringLiteral("/elsewhere"), file->path());
    EXPECT_EQ(refusal(), Error::Kind::Permission);

    handOver();
    QFile::remove(file->path());
    ASSERT_EQ(::mkfifo(QFile::encodeName(file->path()).constData(), 0600), 0);
    EXPECT_EQ(refusal(), Error::Kind::Permission) << "and nothing waits for its other end";

    handOver();
    ASSERT_EQ(::link(QFile::encodeName(file->path()).constData(),
                     QFile::encodeName(small.library.home() + QStringLiteral("/name")).constData()),
              0);
    EXPECT_EQ(refusal(), Error::Kind::Permission);
}

TEST_F(RunRequestFileTest, AFolderThatOthersMayReadIsLeftAlone) {
    handOver();
    const QString folder = QFileInfo(file->path()).path();
    ::chmod(QFile::encodeName(folder).constData(), 0755);
    EXPECT_FALSE(take());
    ::chmod(QFile::encodeName(folder).constData(), 0700);
    const QString moved = small.library.home() + QStringLiteral("/moved");
    ASSERT_TRUE(QDir().rename(folder, moved));
    ASSERT_TRUE(QFile::link(moved, folder));
    EXPECT_FALSE(take()) << "a link";
    EXPECT_TRUE(QFileInfo::exists(moved + QStringLiteral("/request.json")));
}

TEST_F(RunRequestFileTest, NonsenseIsRefused) {
    for (const QByteArray& text : {QByteArray("nonsense"),
                                   QByteArray(),
                                   QByteArray("[]"),
                                   QByteArray(8 << 20, ' '),
                                   QByteArray(200000, '[')}) {
        handOver();
        replace(text);
        EXPECT_EQ(refusal(), Error::Kind::Integrity) << text.left(20).toStdString();
    }
}

TEST_F(RunRequestFileTest, AnotherMachineThanAnnouncedIsRefused) {
    handOver();
    EXPECT_EQ(refusal(QStringLiteral("other")), Error::Kind::Integrity);
}

TEST_F(RunRequestFileTest, OnlyFilesOfTheLibraryAreRequests) {
    handOver();
    const QString home = small.library.home();
    const QString base = RuntimeDirectory::basePath(home);
    EXPECT_EQ(id.size(), 32);
    SmallLibrary other;
    EXPECT_FALSE(RunRequestFile::idOf(other.library.home(), file->path()));
    EXPECT_FALSE(RunRequestFile::idOf(home, QStringLiteral("/etc/passwd")));
    EXPECT_FALSE(RunRequestFile::idOf(home, QString()));
    for (const char* path : {"/start-/request.json",
                             "/start-00000000000000000000000000000000/other.json",
                             "/start-0000000000000000000000000000000g/request.json",
                             "/00000000000000000000000000000000/request.json",
                             "/start-00000000000000000000000000000000/../../request.json"})
        EXPECT_FALSE(RunRequestFile::idOf(home, base + QLatin1String(path))) << path;
    EXPECT_FALSE(RunRequestFile::isId(QStringLiteral("../../../../../../../../etc/pass")));
}

TEST_F(RunRequestFileTest, WhatAKillLeftIsCollected) {
    handOver();
    const QString folder = QFileInfo(file->path()).path();
    EXPECT_FALSE(RuntimeDirectory::collect(small.library.home()).contains(folder)) << "locked";
    // Another program's look at it: the lock is this process's.
    const QString left = folder.left(folder.size() - 1) +
                         (folder.endsWith(QLatin1Char('0')) ? QLatin1Char('1') : QLatin1Char('0'));
    ASSERT_EQ(::mkdir(QFile::encodeName(left).constData(), 0700), 0);
    EXPECT_FALSE(RuntimeDirectory::collect(small.library.home()).contains(left)) << "just made";
    const timespec before[2] = {{::time(nullptr) - 120, 0}, {::time(nullptr) - 120, 0}};
    for (const QString& path : {left, folder})
        ASSERT_EQ(::utimensat(AT_FDCWD, QFile::encodeName(path).constData(), before, 0), 0);
    EXPECT_EQ(RuntimeDirectory::collect(small.library.home()), QStringList{left});
    EXPECT_TRUE(QFileInfo::exists(folder));
}
