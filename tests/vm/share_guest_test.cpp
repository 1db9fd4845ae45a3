// SPDX-License-Identifier: Apache-2.0
// Shared folders of one guest, booted once from a kernel and once more by the last test. The order
// of the tests is the order of a working day.
#include "core/hypervisor/guest_copy.h"
#include "core/machine/sidecar.h"
#include "tests/support/send_signal.h"
#include "vm/share_guest_support.h"

#include <QCryptographicHash>
#include <QElapsedTimer>

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <map>
#include <thread>

using namespace vitrine;
using namespace vitrine::test;

TEST_F(ShareGuest, StoredSharesAreMountedOnceTheAgentAnswers) {
    ASSERT_TRUE(waitUntilShare("in", ShareState::Mounted)) << qPrintable(guest->said());
    ASSERT_TRUE(waitUntilShare("out", ShareState::Mounted));
    EXPECT_EQ(guest->shell(QStringLiteral("cat /mnt/vitrine/shared/in/name")),
              QLatin1String("stored-in"));
    EXPECT_EQ(shareList().transport, QLatin1String("virtiofs"));
    EXPECT_EQ(shareList().transportNote, QString());
    // Two under one tag are one device with one daemon.
    EXPECT_EQ(daemonProcesses().size(), 1);
}

TEST_F(ShareGuest, NamedSharesOfOneTagHaveTheirOwnAccess) {
    EXPECT_EQ(asAdmin(QStringLiteral("echo x > /mnt/vitrine/shared/out/new && echo done")),
              QLatin1String("done"));
    EXPECT_TRUE(asAdmin(QStringLiteral("echo x > /mnt/vitrine/shared/in/new"))
                    .contains(QLatin1String("Read-only file system")));
    // Beside them nothing can be written, not even by root.
    EXPECT_TRUE(guest->shell(QStringLiteral("echo x > /mnt/vitrine/shared/beside 2>&1 || echo no"))
                    .contains(QLatin1String("no")));
}

TEST_F(ShareGuest, AFolderAddedWhileItRunsIsMountedAndProvedAndReadOnly) {
    const QString folder = makeFolder("photos");
    QElapsedTimer clock;
    clock.start();
    const auto share = add(folder);
    RecordProperty("milliseconds_to_mounted", static_cast<int>(clock.elapsed()));
    ASSERT_TRUE(share) << qPrintable(share.error().message);
    EXPECT_EQ(share->state, ShareState::Mounted) << qPrintable(share->message);
    EXPECT_EQ(share->guestPath, QLatin1String("/mnt/vitrine/photos"));
    EXPECT_TRUE(share->spec.readOnly);
    EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/photos/name")), QLatin1String("photos"));
    EXPECT_EQ(QDir(folder).entryList(QDir::Files | QDir::Hidden),
              QStringList{QStringLiteral("name")})
        << "the probe is left";
    // Enforced here, whatever the guest's root says there.
    EXPECT_TRUE(
        guest
            ->shell(QStringLiteral("mount -o remount,rw /mnt/vitrine/photos; "
                                   "echo x > /mnt/vitrine/photos/x; rm /mnt/vitrine/photos/name; "
                                   "chmod 777 /mnt/vitrine/photos 2>&1 || echo refused"))
            .contains(QLatin1String("refused")));
    EXPECT_EQ(contentOf(folder + QStringLiteral("/name")), "photos");
    EXPECT_FALSE(QFile::exists(folder + QStringLiteral("/x")));
}

TEST_F(ShareGuest, FoldersOfOneNameAddedAtOnceGetPlacesOfTheirOwn) {
    std::map<QString, ShareStatus> shared; // by folder
    QStringList errors;
    for (const char* parent : {"a", "b", "c"}) {
        ASSERT_TRUE(QDir(guest->folder()).mkpath(QLatin1String(parent)));
        const QString folder = makeFolder(
            guest->folder() + QLatin1Char('/') + QLatin1String(parent), QStringLiteral("twin"));
        guest->client().call(
            QStringLiteral("share.add"),
            {{QStringLiteral("path"), folder}},
            [&shared, &errors, folder](const Result<QJsonValue>& answer) {
                if (answer)
                    shared[folder] = ShareStatus::fromJson(answer->toObject());
                else
                    errors << answer.error().message;
            },
            longWait);
    }
    ASSERT_TRUE(waitUntil(
        [&] { return static_cast<qsizetype>(shared.size()) + errors.size() == 3; }, longWait));
    EXPECT_EQ(errors, QStringList());
    QStringList places;
    for (const auto& [folder, share] : shared) {
        EXPECT_EQ(share.spec.path, folder);
        EXPECT_EQ(share.state, ShareState::Mounted) << qPrintable(share.message);
        places << share.guestPath;
        EXPECT_TRUE(onShare("share.remove", share.spec.tag.toUtf8().constData()));
    }
    places.removeDuplicates();
    EXPECT_EQ(places.size(), 3) << qPrintable(places.join(QLatin1Char(' ')));
}

TEST_F(ShareGuest, BothSidesWriteAndBothUsersOwnTheFiles) {
    const QString folder = makeFolder("src");
    const auto share = add(folder, writable);
    ASSERT_TRUE(share) << qPrintable(share.error().message);
    ASSERT_EQ(share->state, ShareState::Mounted) << qPrintable(share->message);
    EXPECT_EQ(asAdmin(QStringLiteral("echo there > /mnt/vitrine/src/guest && "
                                     "mkdir /mnt/vitrine/src/made && "
                                     "echo more >> /mnt/vitrine/src/name && echo done")),
              QLatin1String("done"));
    EXPECT_EQ(contentOf(folder + QStringLiteral("/guest")), "there\n");
    EXPECT_EQ(contentOf(folder + QStringLiteral("/name")), "srcmore\n");
    EXPECT_EQ(ownerOf(folder + QStringLiteral("/guest")), expectedOwner());
    EXPECT_EQ(asAdmin(QStringLiteral("stat -c %U /mnt/vitrine/src/name")), QLatin1String("admin"));
    QFile here(folder + QStringLiteral("/made/here"));
    ASSERT_TRUE(here.open(QIODevice::WriteOnly));
    here.write("here");
    here.close();
    EXPECT_TRUE(guest->waitUntilShellPrints(QStringLiteral("cat /mnt/vitrine/src/made/here"),
                                            QStringLiteral("here")));
    EXPECT_EQ(asAdmin(QStringLiteral("rm -r /mnt/vitrine/src/made && echo gone")),
              QLatin1String("gone"));
    EXPECT_FALSE(QFile::exists(here.fileName()));
}

TEST_F(ShareGuest, RootOfTheGuestIsNobodyHere) {
    const QString folder = guest->folder() + QStringLiteral("/src");
    EXPECT_EQ(guest->shell(QStringLiteral("echo r > /mnt/vitrine/src/by-root && echo done")),
              QLatin1String("done"));
    const uid_t owner = ownerOf(folder + QStringLiteral("/by-root"));
    EXPECT_NE(owner, 0U);
    EXPECT_NE(owner, expectedOwner());
    EXPECT_GE(owner, 65536U);
    // No file of root's here comes about, and no device or program with its powers works.
    EXPECT_EQ(guest->shell(QStringLiteral("mknod /mnt/vitrine/src/disk b 254 0 2>/dev/null && "
                                          "echo made || echo refused")),
              QLatin1String("refused"));
    guest->shell(QStringLiteral("rm /mnt/vitrine/src/by-root"));
}

TEST_F(ShareGuest, WhatRootOfTheGuestLeftBecomesTheUsers) {
    const QString folder = guest->folder() + QStringLiteral("/src");
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "cd /mnt/vitrine/src && mkdir -p left/deep && echo r > left/deep/file && "
                  "chmod 4755 left/deep/file && ln -s /etc/passwd left/link && "
                  "chown 33:33 left/deep && echo done")),
              QLatin1String("done"));
    const uid_t passwd = ownerOf(QStringLiteral("/etc/passwd"));
    const auto own = [] {
        return guest->vitrinectl({QStringLiteral("share"),
                                  QStringLiteral("guest"),
                                  QStringLiteral("own"),
                                  QStringLiteral("src")});
    };
    const auto taken = own();
    ASSERT_EQ(taken.exitCode, 0) << taken.errors.toStdString();
    EXPECT_TRUE(taken.errors.contains(QLatin1Char('4'))) << taken.errors.toStdString();
    for (const char* name : {"left", "left/deep", "left/deep/file", "left/link", "name"})
        EXPECT_EQ(ownerOf(folder + QLatin1Char('/') + QLatin1String(name)), expectedOwner())
            << name;
    EXPECT_EQ(ownerOf(QStringLiteral("/etc/passwd")), passwd) << "a link was followed";
    struct stat file {};
    ASSERT_EQ(
        ::stat(QFile::encodeName(folder + QStringLiteral("/left/deep/file")).constData(), &file),
        0);
    EXPECT_EQ(file.st_mode & S_ISUID, 0U) << "a program with the user's rights";
    EXPECT_TRUE(own().errors.contains(QLatin1String("Nothing")));
    // It is the login user's there, too.
    EXPECT_TRUE(guest->waitUntilShellPrints(
        QStringLiteral("stat -c %U /mnt/vitrine/src/left/deep/file"), QStringLiteral("admin")));
    EXPECT_EQ(asAdmin(QStringLiteral("rm -r /mnt/vitrine/src/left && echo gone")),
              QLatin1String("gone"));
}

TEST_F(ShareGuest, LinksDoNotLeadOutOfTheFolder) {
    const QString folder = guest->folder() + QStringLiteral("/src");
    QFile secret(guest->folder() + QStringLiteral("/secret"));
    ASSERT_TRUE(secret.open(QIODevice::WriteOnly));
    secret.write("of this computer");
    secret.close();
    ASSERT_TRUE(QFile::link(QStringLiteral("../secret"), folder + QStringLiteral("/up")));
    ASSERT_TRUE(QFile::link(secret.fileName(), folder + QStringLiteral("/absolute")));
    for (const char* name : {"up", "absolute", "../secret", "../../secret", "../src/../secret"}) {
        const QString read = guest->shell(
            QStringLiteral("cat /mnt/vitrine/src/%1 2>/dev/null").arg(QLatin1String(name)));
        EXPECT_EQ(read, QString()) << name;
    }
    // Nor one that the guest makes.
    EXPECT_EQ(asAdmin(QStringLiteral("ln -s %1 /mnt/vitrine/src/own; cat /mnt/vitrine/src/own "
                                     "2>/dev/null || echo nothing")
                          .arg(secret.fileName())),
              QLatin1String("nothing"));
}

TEST_F(ShareGuest, AnOpenFileLivesOnWithoutItsName) {
    const QString printed = asAdmin(QStringLiteral(
        "cd /mnt/vitrine/src && exec 3<>unnamed && echo first >&3 && rm unnamed && "
        "echo second >&3 && stat -L -c %h /proc/self/fd/3 && truncate -s 3 /proc/self/fd/3 "
        "2>&1; stat -L -c %s /proc/self/fd/3"));
    EXPECT_EQ(printed, QLatin1String("0\n3"));
}

TEST_F(ShareGuest, OneIsRemovedWhileAnotherIsInUse) {
    guest->shell(QStringLiteral(
        "(exec 3> /mnt/vitrine/src/kept; while sleep 0.2 3>&-; do echo line >&3; done) "
        "> /dev/null 2>&1 & echo $! > /tmp/writer"));
    const QString kept = guest->folder() + QStringLiteral("/src/kept");
    ASSERT_TRUE(waitUntil([&] { return QFile(kept).size() > 0; }));
    const auto removed = onShare("share.remove", "photos");
    ASSERT_TRUE(removed) << qPrintable(removed.error().message);
    EXPECT_FALSE(shareNamed(QStringLiteral("photos")));
    EXPECT_EQ(guest->shell(QStringLiteral("ls /mnt/vitrine")), QLatin1String("shared\nsrc"));
    const qint64 size = QFile(kept).size();
    EXPECT_TRUE(waitUntil([&] { return QFile(kept).size() > size; })) << "its handle is broken";
    EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/shared/in/name")),
              QLatin1String("stored-in"));
}

TEST_F(ShareGuest, OneInUseIsNotTakenAwayAndTheProcessIsNamed) {
    const QString process = guest->shell(QStringLiteral("cat /tmp/writer"));
    for (const char* method : {"share.remove", "share.change"}) {
        const auto answer = onShare(method, "src", QJsonObject{{QStringLiteral("readOnly"), true}});
        ASSERT_FALSE(answer) << method;
        EXPECT_EQ(answer.error().kind, Error::Kind::Busy);
        EXPECT_TRUE(
            answer.error().message.contains(QStringLiteral("\"sh\" (process %1)").arg(process)))
            << qPrintable(answer.error().message);
    }
    EXPECT_EQ(shareNamed(QStringLiteral("src"))->state, ShareState::Mounted);
    guest->shell(QStringLiteral("kill %1").arg(process));
    EXPECT_TRUE(guest->waitUntilShellPrints(
        QStringLiteral("[ -d /proc/%1 ] || echo ended").arg(process), QStringLiteral("ended")));
}

TEST_F(ShareGuest, BecomesReadOnlyAndWritableAgain) {
    const auto changed =
        onShare("share.change", "src", QJsonObject{{QStringLiteral("readOnly"), true}});
    ASSERT_TRUE(changed) << qPrintable(changed.error().message);
    EXPECT_EQ(shareNamed(QStringLiteral("src"))->state, ShareState::Mounted);
    EXPECT_TRUE(asAdmin(QStringLiteral("echo x > /mnt/vitrine/src/x"))
                    .contains(QLatin1String("Read-only file system")));
    ASSERT_TRUE(onShare("share.change", "src", writable));
    EXPECT_EQ(asAdmin(QStringLiteral("echo x > /mnt/vitrine/src/x && echo done")),
              QLatin1String("done"));
}

TEST_F(ShareGuest, GetsAnotherName) {
    const auto renamed = onShare(
        "share.change", "src", QJsonObject{{QStringLiteral("newName"), QStringLiteral("source")}});
    ASSERT_TRUE(renamed) << qPrintable(renamed.error().message);
    EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/source/x")), QLatin1String("x"));
    EXPECT_EQ(guest->shell(QStringLiteral("[ -e /mnt/vitrine/src ] || echo gone")),
              QLatin1String("gone"));
    const auto bad = onShare(
        "share.change", "source", QJsonObject{{QStringLiteral("newName"), QStringLiteral("../x")}});
    EXPECT_FALSE(bad);
}

TEST_F(ShareGuest, AFolderComesToATagAndGoesWithoutTheOthersNoticing) {
    guest->shell(
        QStringLiteral("(exec 3< /mnt/vitrine/shared/in/name; sleep 1000) > /dev/null 2>&1 "
                       "& echo $! > /tmp/reader"));
    const auto added = add(makeFolder("third"),
                           QJsonObject{{QStringLiteral("name"), QStringLiteral("third")},
                                       {QStringLiteral("tag"), QLatin1String(defaultShareTag)}});
    ASSERT_TRUE(added) << qPrintable(added.error().message);
    EXPECT_EQ(added->state, ShareState::Mounted) << qPrintable(added->message);
    EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/shared/third/name")),
              QLatin1String("third"));
    EXPECT_TRUE(asAdmin(QStringLiteral("echo x > /mnt/vitrine/shared/third/x"))
                    .contains(QLatin1String("Read-only file system")));
    const auto removed = onShare("share.remove",
                                 defaultShareTag,
                                 QJsonObject{{QStringLiteral("name"), QStringLiteral("third")}});
    ASSERT_TRUE(removed) << qPrintable(removed.error().message);
    EXPECT_TRUE(guest->waitUntilShellPrints(QStringLiteral("ls /mnt/vitrine/shared"),
                                            QStringLiteral("in\nout")));
    EXPECT_EQ(guest->shell(QStringLiteral("readlink /proc/$(cat /tmp/reader)/fd/3; "
                                          "kill $(cat /tmp/reader)")),
              QLatin1String("/mnt/vitrine/shared/in/name"));
}

TEST_F(ShareGuest, OneOfATagBecomesReadOnlyWhileTheOthersAreInUse) {
    const QJsonObject out{{QStringLiteral("name"), QStringLiteral("out")}};
    QJsonObject readOnly = out;
    readOnly.insert(QStringLiteral("readOnly"), true);
    const QString place = QStringLiteral("/mnt/vitrine/shared/out");
    // Open in the other one, and in this one: a folder and a file, by root of the guest.
    guest->shell(QStringLiteral(
        "(exec 3< /mnt/vitrine/shared/in/name; cd /mnt/vitrine/shared/out; exec 4< name; "
        "while [ ! -e /tmp/try ]; do sleep 0.1; done; "
        "{ echo x > inside; echo x > /proc/self/fd/4; chmod 777 .; cat <&3; echo; cat <&4; } "
        "> /tmp/tried 2>&1; touch /tmp/did; sleep 1000) > /dev/null 2>&1 & echo $! > /tmp/holder"));
    guest->shell(QStringLiteral("(exec 3> %1/written; sleep 1000) > /dev/null 2>&1 "
                                "& echo $! > /tmp/writer")
                     .arg(place));
    const QString writer = guest->shell(QStringLiteral("cat /tmp/writer"));
    ASSERT_TRUE(guest->waitUntilShellPrints(
        QStringLiteral("[ -e %1/written ] && echo open").arg(place), QStringLiteral("open")));
    const auto refused = onShare("share.change", defaultShareTag, readOnly);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Busy);
    EXPECT_TRUE(refused.error().message.contains(QStringLiteral("(process %1)").arg(writer)))
        << qPrintable(refused.error().message);
    EXPECT_FALSE(shareNamed(QStringLiteral("out"))->spec.readOnly);
    guest->shell(QStringLiteral("kill %1").arg(writer));
    EXPECT_TRUE(guest->waitUntilShellPrints(
        QStringLiteral("[ -d /proc/%1 ] || echo ended").arg(writer), QStringLiteral("ended")));

    // The server hears of a closed file a moment later.
    Result<QJsonValue> changed;
    ASSERT_TRUE(waitUntil(
        [&] {
            changed = onShare("share.change", defaultShareTag, readOnly);
            return changed.has_value();
        },
        20000))
        << qPrintable(changed.error().message);
    EXPECT_TRUE(shareNamed(QStringLiteral("out"))->spec.readOnly);
    EXPECT_EQ(shareNamed(QStringLiteral("out"))->state, ShareState::Mounted);
    guest->shell(QStringLiteral("touch /tmp/try"));
    ASSERT_TRUE(guest->waitUntilShellPrints(QStringLiteral("[ -e /tmp/did ] && echo did"),
                                            QStringLiteral("did")));
    const QString tried = guest->shell(QStringLiteral("cat /tmp/tried"));
    EXPECT_EQ(tried.count(QLatin1String("Read-only file system")), 3) << qPrintable(tried);
    EXPECT_TRUE(tried.endsWith(QLatin1String("stored-in\nstored-out"))) << qPrintable(tried);
    EXPECT_FALSE(QFile::exists(guest->folder() + QStringLiteral("/stored-out/inside")));
    EXPECT_EQ(contentOf(guest->folder() + QStringLiteral("/stored-out/name")), "stored-out");
    EXPECT_TRUE(Sidecar::read(guest->machineDirectory())->run.shares.at(1).readOnly);

    // Writable again, under another name and back; the handle on the other one lives through it.
    for (const char* name : {"exit", "out"}) {
        const QString before =
            shareNamed(QStringLiteral("out")) ? QStringLiteral("out") : QStringLiteral("exit");
        const auto again = onShare("share.change",
                                   defaultShareTag,
                                   QJsonObject{{QStringLiteral("name"), before},
                                               {QStringLiteral("newName"), QLatin1String(name)},
                                               {QStringLiteral("readOnly"), false}});
        ASSERT_TRUE(again) << qPrintable(again.error().message);
        EXPECT_TRUE(guest->waitUntilShellPrints(
            QStringLiteral("rm -f /mnt/vitrine/shared/%1/again; "
                           "echo x > /mnt/vitrine/shared/%1/again && echo done")
                .arg(QLatin1String(name)),
            QStringLiteral("done")));
    }
    EXPECT_EQ(guest->shell(QStringLiteral("readlink /proc/$(cat /tmp/holder)/fd/3; "
                                          "kill $(cat /tmp/holder)")),
              QLatin1String("/mnt/vitrine/shared/in/name"));
}

TEST_F(ShareGuest, AFileIsCopiedIntoTheHomeOfTheGuestsUser) {
    QFile file(guest->folder() + QStringLiteral("/a file's.bin"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    QByteArray bytes(900 * 1000, 'x');
    bytes[899 * 1000] = '\0';
    file.write(bytes);
    file.close();
    for (const char* expected : {"/home/admin/a file's.bin", "/home/admin/a file's.bin.2"}) {
        Result<QString> copied;
        quint64 reported = 0;
        std::atomic_bool finished = false;
        std::thread copier([&] {
            JobContext context;
            context.report = [&](const Progress& progress) { reported = progress.done; };
            copied = copyIntoGuest(
                guest->library().home(), guest->machineDirectory(), file.fileName(), context);
            finished = true;
        });
        EXPECT_TRUE(waitUntil([&] { return finished.load(); }, 60000));
        copier.join();
        ASSERT_TRUE(copied) << qPrintable(copied.error().message);
        EXPECT_EQ(copied->toStdString(), expected);
        EXPECT_EQ(reported, 900000U);
    }
    const QByteArray digest = QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
    EXPECT_EQ(
        asAdmin(QStringLiteral("sha256sum /home/admin/*.bin | cut -c1-64; stat -c %U "
                               "/home/admin/*.bin; rm /home/admin/*.bin*; ls -A /home/admin | "
                               "grep -c vitrine-copy")),
        QString::fromLatin1(digest) + QStringLiteral("\nadmin\n0"));
}

TEST_F(ShareGuest, TheCommandLineDoesTheSame) {
    const auto share = [](QStringList words) {
        return guest->vitrinectl(
            QStringList{QStringLiteral("share"), QStringLiteral("guest")} + words, longWait);
    };
    const QString folder = makeFolder("typed");
    const auto added = share({QStringLiteral("add"), folder + QStringLiteral(":ro")});
    ASSERT_EQ(added.exitCode, 0) << qPrintable(added.errors);
    EXPECT_TRUE(added.output.contains(QLatin1String("/mnt/vitrine/typed")))
        << qPrintable(added.output);
    EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/typed/name")), QLatin1String("typed"));
    const auto listed = share({QStringLiteral("list")});
    EXPECT_EQ(listed.exitCode, 0);
    EXPECT_TRUE(listed.output.contains(folder)) << qPrintable(listed.output);
    // Unmounted in the guest by hand, and mounted again from here.
    guest->shell(QStringLiteral("umount /mnt/vitrine/typed"));
    const auto mounted = share({QStringLiteral("mount"), QStringLiteral("typed")});
    EXPECT_EQ(mounted.exitCode, 0) << qPrintable(mounted.errors);
    EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/typed/name")), QLatin1String("typed"));
    const auto changed = share({QStringLiteral("change"),
                                QStringLiteral("typed"),
                                QStringLiteral("--writable"),
                                QStringLiteral("--rename"),
                                QStringLiteral("retyped")});
    ASSERT_EQ(changed.exitCode, 0) << qPrintable(changed.errors);
    ASSERT_TRUE(waitUntilShare("retyped", ShareState::Mounted));
    EXPECT_EQ(asAdmin(QStringLiteral("echo x > /mnt/vitrine/retyped/new && echo done")),
              QLatin1String("done"));
    const auto removed = share({QStringLiteral("remove"), QStringLiteral("retyped")});
    EXPECT_EQ(removed.exitCode, 0) << qPrintable(removed.errors);
    EXPECT_FALSE(shareNamed(QStringLiteral("retyped")));
    EXPECT_NE(share({QStringLiteral("remove"), QStringLiteral("retyped")}).exitCode, 0);
}

TEST_F(ShareGuest, WhatMustNotBeSharedIsRefused) {
    EXPECT_EQ(add(guest->library().home(), writable).error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(add(QStringLiteral("/etc"), writable).error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(add(guest->folder() + QStringLiteral("/none")).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(
        add(makeFolder("other"), QJsonObject{{QStringLiteral("tag"), QStringLiteral("source")}})
            .error()
            .kind,
        Error::Kind::InvalidInput);
    if (::geteuid() == 0) {
        const QString own = guest->folder() + QStringLiteral("/of-root");
        ASSERT_TRUE(QDir().mkdir(own));
        EXPECT_EQ(add(own, writable).error().kind, Error::Kind::Permission);
    } else {
        EXPECT_EQ(add(QStringLiteral("/root")).error().kind, Error::Kind::Permission);
    }
}

TEST_F(ShareGuest, OneInUseRefusesSuspendAndSnapshotsWithMemory) {
    guest->shell(QStringLiteral(
        "(i=0; while sleep 0.1; do i=$((i+1)); echo $i > /run/counter.new; mv /run/counter.new "
        "/run/counter; done) > /dev/null 2>&1 < /dev/null &"));
    guest->shell(
        QStringLiteral("(exec 3> /mnt/vitrine/source/kept; while sleep 0.2 3>&-; do echo line >&3; "
                       "done) > /dev/null 2>&1 & echo $! > /tmp/writer"));
    const QString process = guest->shell(QStringLiteral("cat /tmp/writer"));
    const QString kept = guest->folder() + QStringLiteral("/src/kept");
    ASSERT_TRUE(waitUntil([&] { return QFile(kept).size() > 0; }));
    for (const char* method : {"suspend", "snapshot.create"}) {
        SCOPED_TRACE(method);
        const auto refused =
            guest->call(method, QJsonObject{{QStringLiteral("memory"), true}}, longWait);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, Error::Kind::Busy);
        EXPECT_TRUE(
            refused.error().message.contains(QStringLiteral("\"sh\" (process %1)").arg(process)))
            << qPrintable(refused.error().message);
        EXPECT_TRUE(refused.error().message.contains(QLatin1String("source")));
        for (const char* name : {"in", "out", "source"})
            EXPECT_TRUE(waitUntilShare(name, ShareState::Mounted)) << name;
        const qint64 size = QFile(kept).size();
        EXPECT_TRUE(waitUntil([&] { return QFile(kept).size() > size; })) << "it goes on";
    }
    EXPECT_TRUE(waitUntil([] { return guest->status().state == MachineState::Running; }));
    guest->shell(QStringLiteral("kill %1").arg(process));
    EXPECT_TRUE(guest->waitUntilShellPrints(
        QStringLiteral("[ -d /proc/%1 ] || echo ended").arg(process), QStringLiteral("ended")));
}

TEST_F(ShareGuest, APausedMachineWithSharesIsNotSuspended) {
    ASSERT_TRUE(guest->call("pause"));
    const auto refused = guest->call("suspend", {}, longWait);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.contains(QLatin1String("Resume it first")))
        << qPrintable(refused.error().message);
    ASSERT_TRUE(guest->call("resume"));
    EXPECT_TRUE(guest->waitUntilState(MachineState::Running));
}

TEST_F(ShareGuest, ASnapshotWithMemoryLetsTheSharesComeBack) {
    ASSERT_TRUE(guest->waitUntilState(MachineState::Running));
    const int before = counter();
    const auto taken = guest->call("snapshot.create",
                                   QJsonObject{{QStringLiteral("memory"), true},
                                               {QStringLiteral("name"), QStringLiteral("live")}},
                                   longWait);
    ASSERT_TRUE(taken) << qPrintable(taken.error().message);
    snapshotId = taken->toObject().value(QStringLiteral("id")).toString();
    EXPECT_FALSE(snapshotId.isEmpty());
    const auto list = guest->call("share.list");
    ASSERT_TRUE(list);
    for (const ShareStatus& share : ShareList::fromJson(*list).shares)
        EXPECT_EQ(share.state, ShareState::Mounted)
            << qPrintable(share.spec.displayName())
            << " is not back although it was said to be done";
    expectSharesWork({"in", "out", "source"});
    EXPECT_TRUE(waitUntil([&] { return counter() > before; }, longWait));
}

TEST_F(ShareGuest, SuspendedAndResumedItHasItsSharesAgain) {
    // One of this run only, too.
    const auto lent = add(makeFolder("lent"), QJsonObject{{QStringLiteral("keep"), false}});
    ASSERT_TRUE(lent) << qPrintable(lent.error().message);
    const QString bootId = guest->shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id"));
    const int before = counter();
    const auto suspended =
        guest->vitrinectl({QStringLiteral("suspend"), QStringLiteral("guest")}, longWait);
    ASSERT_EQ(suspended.exitCode, 0) << qPrintable(suspended.errors);
    ASSERT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
    EXPECT_EQ(guest->library().stateOf(guest->machineDirectory()), MachineState::Suspended);
    EXPECT_TRUE(waitUntil([] { return daemonProcesses().isEmpty(); }));
    guest->start();
    ASSERT_TRUE(waitUntilAgentAnswers()) << qPrintable(guest->said());
    EXPECT_EQ(guest->shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id")), bootId);
    EXPECT_GE(counter(), before);
    expectSharesWork({"in", "out", "source", "lent"});
    EXPECT_TRUE(waitUntil([&] { return counter() > before; }, longWait));
    ASSERT_TRUE(onShare("share.remove", "lent"));
}

TEST_F(ShareGuest, AKilledDaemonMakesItsShareBrokenAndNothingHangs) {
    ASSERT_TRUE(waitUntil([] { return daemonProcesses().size() == 2; })) << "one was removed";
    const QList<qint64> daemons = daemonProcesses();
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(daemons.last()), SIGKILL), 0);
    ASSERT_TRUE(waitUntil([] {
        for (const ShareStatus& share : shareList().shares)
            if (share.state == ShareState::Broken)
                return true;
        return false;
    }));
    EXPECT_FALSE(shareList().refusal.isEmpty());
    const auto refused = add(makeFolder("late"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_EQ(guest->status().state, MachineState::Running);
    EXPECT_TRUE(guest->call("status"));
    EXPECT_EQ(guest->call("suspend", {}, longWait).error().kind, Error::Kind::Unsupported);
}

TEST_F(ShareGuest, AllComeBackAtTheNextStartAndTheDaemonsEndWithTheMachine) {
    const QList<qint64> daemons = daemonProcesses();
    ASSERT_TRUE(guest->call("forceOff"));
    ASSERT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
    EXPECT_TRUE(waitUntil([&] {
        for (const qint64 pid : daemons)
            if (vitrine::test::sendSignal(static_cast<pid_t>(pid), 0) == 0)
                return false;
        return true;
    }));
    guest->start();
    ASSERT_TRUE(guest->waitUntilReady()) << qPrintable(guest->said());
    for (const char* name : {"in", "out", "source"})
        EXPECT_TRUE(waitUntilShare(name, ShareState::Mounted)) << name;
    EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/source/x && "
                                     "echo y > /mnt/vitrine/source/x && echo done")),
              QLatin1String("x\ndone"));
    EXPECT_FALSE(shareNamed(QStringLiteral("photos"))) << "it had been removed";
}

TEST_F(ShareGuest, AllComeBackAfterTheGuestRestartsItself) {
    const QString bootId = guest->shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id"));
    guest->shell(QStringLiteral("reboot"));
    ASSERT_TRUE(waitUntil(
        [&] {
            if (!guest->status().agentAnswers)
                return false;
            // Asked once: it may be an error while the guest goes down.
            const QString now = guest->shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id"));
            return now.size() == bootId.size() && now != bootId;
        },
        longWait));
    expectSharesWork({"in", "out", "source"});
    EXPECT_EQ(daemonProcesses().size(), 2);
}

TEST_F(ShareGuest, AKilledMachineTakesItsDaemonsWithIt) {
    const QList<qint64> daemons = daemonProcesses();
    ASSERT_EQ(daemons.size(), 2);
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(guest->processId()), SIGKILL), 0);
    EXPECT_EQ(guest->waitUntilEnded(), -2);
    EXPECT_TRUE(waitUntil([&] {
        for (const qint64 pid : daemons)
            if (vitrine::test::sendSignal(static_cast<pid_t>(pid), 0) == 0)
                return false;
        return true;
    }));
}

// The snapshot was taken while the shares were mounted.
TEST_F(ShareGuest, RestoredWithItsMemoryItHasItsSharesAgain) {
    ASSERT_FALSE(snapshotId.isEmpty());
    const auto restored = guest->vitrinectl({QStringLiteral("snapshot"),
                                             QStringLiteral("guest"),
                                             QStringLiteral("restore"),
                                             snapshotId},
                                            longWait);
    ASSERT_EQ(restored.exitCode, 0) << qPrintable(restored.errors);
    guest->start();
    ASSERT_TRUE(waitUntilAgentAnswers()) << qPrintable(guest->said());
    EXPECT_GT(counter(), 0) << "what ran then goes on";
    expectSharesWork({"in", "out", "source"});
}
