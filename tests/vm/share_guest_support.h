// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sharing/share_status.h"
#include "running_guest.h"
#include "support/event_wait.h"

#include <QDir>
#include <QFile>

#include <gtest/gtest.h>

#include <optional>
#include <sys/stat.h>
#include <unistd.h>

// What tests of shared folders ask their one guest.
namespace vitrine::test {

inline std::unique_ptr<RunningGuest> guest;

inline constexpr uid_t folderOwner = 1234; // of a root's test; no guest may write as root

// A folder of this computer with one file that says its name.
inline QString makeFolder(const QString& parent, const QString& name) {
    const QString path = parent + QLatin1Char('/') + name;
    EXPECT_TRUE(QDir().mkpath(path));
    QFile file(path + QStringLiteral("/name"));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(name.toUtf8());
    file.close();
    if (::geteuid() == 0) {
        for (const QString& each : {path, file.fileName()})
            EXPECT_EQ(::chown(QFile::encodeName(each).constData(), folderOwner, folderOwner), 0);
    }
    return path;
}

inline QString makeFolder(const char* name) {
    return makeFolder(guest->folder(), QLatin1String(name));
}

inline QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("(missing)");
}

inline uid_t ownerOf(const QString& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(QFile::encodeName(path).constData(), &status), 0) << qPrintable(path);
    return status.st_uid;
}

inline uid_t expectedOwner() {
    return ::geteuid() == 0 ? folderOwner : ::geteuid();
}

inline ShareList shareList() {
    const auto answer = guest->call("share.list");
    EXPECT_TRUE(answer) << (answer ? "" : qPrintable(answer.error().message));
    return answer ? ShareList::fromJson(*answer) : ShareList();
}

inline std::optional<ShareStatus> shareNamed(const QString& name) {
    for (const ShareStatus& share : shareList().shares)
        if (share.spec.displayName() == name)
            return share;
    return std::nullopt;
}

inline bool waitUntilShare(const char* name, ShareState state) {
    return waitUntil(
        [&] {
            const auto share = shareNamed(QLatin1String(name));
            return share && share->state == state;
        },
        60000);
}

inline Result<ShareStatus> add(const QString& path, QJsonObject parameters = {}) {
    parameters.insert(QStringLiteral("path"), path);
    const auto answer = guest->call("share.add", parameters);
    if (!answer)
        return fail(answer.error());
    return ShareStatus::fromJson(answer->toObject());
}

inline Result<QJsonValue>
onShare(const char* method, const char* tag, QJsonObject parameters = {}) {
    parameters.insert(QStringLiteral("tag"), QLatin1String(tag));
    return guest->call(method, parameters);
}

inline const QJsonObject writable{{QStringLiteral("readOnly"), false}};

// As the user who logs in.
inline QString asAdmin(const QString& line) {
    QString quoted = line;
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return guest->shell(
        QStringLiteral("setpriv --reuid 1000 --regid 1000 --init-groups sh -c '%1' 2>&1")
            .arg(quoted));
}

// The virtiofsd whose parent is a helper of our machine's process.
inline QList<qint64> daemonProcesses() {
    QList<qint64> found;
    const QStringList processes = QDir(QStringLiteral("/proc")).entryList(QDir::Dirs);
    const auto parentOf = [](qint64 pid) {
        const QByteArray text = contentOf(QStringLiteral("/proc/%1/stat").arg(pid));
        return text.mid(text.lastIndexOf(')') + 2).split(' ').value(1).toLongLong();
    };
    for (const QString& name : processes) {
        const qint64 pid = name.toLongLong();
        if (pid <= 0 ||
            contentOf(QStringLiteral("/proc/%1/comm").arg(pid)).trimmed() != "virtiofsd")
            continue;
        if (parentOf(parentOf(pid)) == guest->processId())
            found.append(pid);
    }
    return found;
}

inline bool waitUntilAgentAnswers() {
    return waitUntil([] { return guest->client().isConnected() && guest->status().agentAnswers; },
                     longWait);
}

class ShareGuest : public testing::Test {
protected:
    // Of a process in the guest that touches no share.
    static int counter() { return guest->shell(QStringLiteral("cat /run/counter")).toInt(); }
    // Mounted, readable, and the writable one leads here.
    static void expectSharesWork(std::initializer_list<const char*> names) {
        for (const char* name : names)
            ASSERT_TRUE(waitUntilShare(name, ShareState::Mounted)) << name;
        EXPECT_EQ(asAdmin(QStringLiteral("cat /mnt/vitrine/shared/in/name")),
                  QLatin1String("stored-in"));
        EXPECT_EQ(asAdmin(QStringLiteral("echo $$ > /mnt/vitrine/source/fresh && echo done")),
                  QLatin1String("done"));
        EXPECT_TRUE(QFile::remove(guest->folder() + QStringLiteral("/src/fresh")));
    }

    static void SetUpTestSuite() {
        RunningGuest::Setup setup;
        setup.byKernel = true;
        setup.change = [](RunOptions& options, const QString& folder) {
            options.shares = {
                {QStringLiteral("in"), makeFolder(folder, QStringLiteral("stored-in")), true},
                {QStringLiteral("out"), makeFolder(folder, QStringLiteral("stored-out")), false}};
        };
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        m_ready = guest->waitUntilReady();
    }
    static void TearDownTestSuite() { guest.reset(); }
    void SetUp() override { ASSERT_TRUE(m_ready) << "the guest did not become ready"; }

    static inline bool m_ready = false;
    static inline QString snapshotId;
};

} // namespace vitrine::test
