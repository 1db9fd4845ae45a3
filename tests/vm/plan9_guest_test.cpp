// SPDX-License-Identifier: Apache-2.0
// Shares by 9P, as an ordinary user gets them where virtiofs cannot be had, in a guest whose root
// disk is read-only. Booted once from a kernel and once suspended.
#include "core/sharing/share_status.h"
#include "running_guest.h"
#include "support/event_wait.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

std::unique_ptr<RunningGuest> guest;

QString makeFolder(const QString& name) {
    const QString path = guest->folder() + QLatin1Char('/') + name;
    EXPECT_TRUE(QDir().mkpath(path));
    QFile file(path + QStringLiteral("/name"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(name.toUtf8());
    return path;
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

ShareList shareList() {
    const auto answer = guest->call("share.list");
    EXPECT_TRUE(answer) << (answer ? "" : qPrintable(answer.error().message));
    return answer ? ShareList::fromJson(*answer) : ShareList();
}

ShareState stateOf(const QString& tag) {
    for (const ShareStatus& share : shareList().shares)
        if (share.spec.tag == tag)
            return share.state;
    return ShareState::Failed;
}

Result<ShareStatus> add(const QString& name, bool readOnly, const QString& tag = {}) {
    QJsonObject parameters{{QStringLiteral("path"), makeFolder(name)},
                           {QStringLiteral("readOnly"), readOnly}};
    if (!tag.isEmpty()) {
        parameters.insert(QStringLiteral("tag"), tag);
        parameters.insert(QStringLiteral("name"), name);
    }
    const auto answer = guest->call("share.add", parameters);
    if (!answer)
        return fail(answer.error());
    return ShareStatus::fromJson(answer->toObject());
}

Result<QJsonValue> remove(const QString& tag, bool force = false) {
    return guest->call("share.remove",
                       QJsonObject{{QStringLiteral("tag"), tag}, {QStringLiteral("force"), force}});
}

class Plan9GuestNotAsRoot : public testing::Test {
protected:
    static void SetUpTestSuite() {
        if (::geteuid() == 0)
            return;
        qputenv("VITRINE_SHARE_TRANSPORT", "9p");
        RunningGuest::Setup setup;
        setup.byKernel = true;
        setup.change = [](RunOptions& options, const QString&) {
            options.rootDisk.readOnly = true;
            options.kernel->commandLine.replace(QStringLiteral(" rw "), QStringLiteral(" ro "));
        };
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        m_ready = guest->waitUntilReady();
        // Somewhere to mount at.
        guest->shell(QStringLiteral("mount -t tmpfs none /mnt"));
    }
    static void TearDownTestSuite() {
        guest.reset();
        qunsetenv("VITRINE_SHARE_TRANSPORT");
    }
    void SetUp() override {
        if (::geteuid() == 0)
            GTEST_SKIP() << "As root there is no 9P: guest root would be root of this computer.";
        ASSERT_TRUE(m_ready) << "the guest did not become ready";
    }

    static inline bool m_ready = false;
};

} // namespace

TEST_F(Plan9GuestNotAsRoot, TheRootDiskCannotBeWritten) {
    const auto answer = guest->call("disk.list");
    ASSERT_TRUE(answer) << qPrintable(answer.error().message);
    const QJsonArray disks = answer->toObject().value(QStringLiteral("disks")).toArray();
    EXPECT_TRUE(disks.at(0)[QStringLiteral("readOnly")].toBool());
    EXPECT_EQ(guest->shell(QStringLiteral("cat /sys/block/vda/ro")), QLatin1String("1"));
    const QFileInfo before(guest->machineDirectory() + QStringLiteral("/disk.img"));
    const QDateTime changed = before.lastModified();
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "mount -o remount,rw / 2>/dev/null; echo 0 > /sys/block/vda/force_ro; "
                  "touch /made 2>/dev/null && echo written; "
                  "dd if=/dev/zero of=/dev/vda bs=512 count=1 conv=fsync 2>/dev/null && "
                  "echo written; echo end")),
              QLatin1String("end"));
    EXPECT_EQ(QFileInfo(before.filePath()).lastModified(), changed);
}

TEST_F(Plan9GuestNotAsRoot, TheReasonAndWhatItCannotDoAreShown) {
    const ShareList list = shareList();
    EXPECT_EQ(list.transport, QLatin1String("9p"));
    EXPECT_TRUE(list.transportNote.contains(QLatin1String("9P, not virtiofs")))
        << qPrintable(list.transportNote);
    EXPECT_TRUE(list.transportNote.contains(QLatin1String("VITRINE_SHARE_TRANSPORT")));
    EXPECT_TRUE(list.transportNote.contains(QLatin1String("cannot be taken away")));
    EXPECT_EQ(list.refusal, QString());
}

TEST_F(Plan9GuestNotAsRoot, AReadOnlyShareAppearsAndThisComputerKeepsItSo) {
    const auto share = add(QStringLiteral("photos"), true);
    ASSERT_TRUE(share) << qPrintable(share.error().message);
    EXPECT_EQ(share->state, ShareState::Mounted) << qPrintable(share->message);
    EXPECT_EQ(share->transport, QLatin1String("9p"));
    EXPECT_TRUE(share->mountLine.contains(QLatin1String("-t 9p"))) << qPrintable(share->mountLine);
    EXPECT_EQ(guest->shell(QStringLiteral("cat /mnt/vitrine/photos/name")),
              QLatin1String("photos"));
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "mount -o remount,rw /mnt/vitrine/photos; cd /mnt/vitrine/photos; "
                  "for line in 'echo x > made' 'echo x >> name' 'rm name' 'mkdir folder' "
                  "'chmod 777 name' 'mv name other'; do sh -c \"$line\" 2>/dev/null && "
                  "echo \"$line\"; done; echo end")),
              QLatin1String("end"));
    EXPECT_EQ(contentOf(guest->folder() + QStringLiteral("/photos/name")), "photos");
    EXPECT_EQ(QDir(guest->folder() + QStringLiteral("/photos"))
                  .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
              QStringList{QStringLiteral("name")});
}

TEST_F(Plan9GuestNotAsRoot, WhatTheGuestWritesBelongsToTheUserHere) {
    const auto share = add(QStringLiteral("src"), false);
    ASSERT_TRUE(share) << qPrintable(share.error().message);
    ASSERT_EQ(share->state, ShareState::Mounted) << qPrintable(share->message);
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "setpriv --reuid 1000 --regid 1000 --init-groups sh -c 'echo there > "
                  "/mnt/vitrine/src/by-admin'; echo root > /mnt/vitrine/src/by-root; echo end")),
              QLatin1String("end"));
    EXPECT_EQ(contentOf(share->spec.path + QStringLiteral("/by-root")), "root\n");
    struct stat status {};
    ASSERT_EQ(::stat(QFile::encodeName(share->spec.path + QStringLiteral("/by-root")).constData(),
                     &status),
              0);
    EXPECT_EQ(status.st_uid, ::geteuid());
}

TEST_F(Plan9GuestNotAsRoot, OneThatIsMountedIsNeverTakenAwayNotEvenByForce) {
    guest->shell(QStringLiteral("(exec 3< /mnt/vitrine/photos/name; sleep 1000) > /dev/null 2>&1 & "
                                "echo $! > /run/reader"));
    const QString process = guest->shell(QStringLiteral("cat /run/reader"));
    for (const bool force : {false, true}) {
        const auto refused = remove(QStringLiteral("photos"), force);
        ASSERT_FALSE(refused) << force;
        EXPECT_EQ(refused.error().kind, Error::Kind::Busy);
        EXPECT_TRUE(refused.error().message.contains(process))
            << qPrintable(refused.error().message);
        EXPECT_EQ(stateOf(QStringLiteral("photos")), ShareState::Mounted);
        EXPECT_EQ(guest->shell(QStringLiteral("cat /mnt/vitrine/photos/name")),
                  QLatin1String("photos"));
    }
    const auto suspended = guest->call("suspend", {}, longWait);
    ASSERT_FALSE(suspended);
    EXPECT_EQ(suspended.error().kind, Error::Kind::Busy);
    guest->shell(QStringLiteral("kill %1").arg(process));
    EXPECT_TRUE(guest->waitUntilShellPrints(
        QStringLiteral("[ -d /proc/%1 ] || echo ended").arg(process), QStringLiteral("ended")));
    const auto removed = remove(QStringLiteral("photos"));
    ASSERT_TRUE(removed) << qPrintable(removed.error().message);
    // Its place is free again.
    const auto again = add(QStringLiteral("again"), true);
    ASSERT_TRUE(again) << qPrintable(again.error().message);
    EXPECT_EQ(again->state, ShareState::Mounted) << qPrintable(again->message);
}

TEST_F(Plan9GuestNotAsRoot, WhatItCannotDoIsRefusedWithTheReason) {
    const auto named = add(QStringLiteral("named"), true, QStringLiteral("several"));
    ASSERT_FALSE(named);
    EXPECT_TRUE(named.error().message.contains(QLatin1String("Without virtiofs")))
        << qPrintable(named.error().message);
    for (const char* name : {"second", "third", "fourth"})
        ASSERT_TRUE(add(QLatin1String(name), true)) << name;
    const auto fifth = add(QStringLiteral("fifth"), true);
    ASSERT_FALSE(fifth);
    EXPECT_TRUE(fifth.error().message.contains(QLatin1String("at most")))
        << qPrintable(fifth.error().message);
}

TEST_F(Plan9GuestNotAsRoot, SuspendedAndResumedItHasItsSharesAgain) {
    const auto suspended = guest->call("suspend", {}, longWait);
    ASSERT_TRUE(suspended) << qPrintable(suspended.error().message);
    ASSERT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
    guest->start();
    for (const char* tag : {"src", "again", "second"})
        EXPECT_TRUE(waitUntil(
            [&] {
                return guest->client().isConnected() &&
                       stateOf(QLatin1String(tag)) == ShareState::Mounted;
            },
            longWait))
            << tag;
    EXPECT_EQ(guest->shell(QStringLiteral("cat /mnt/vitrine/src/by-root")), QLatin1String("root"));
}
