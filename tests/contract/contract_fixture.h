// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/hypervisor/machine_exec.h"
#include "core/machine/sidecar.h"
#include "core/sharing/share_status.h"
#include "core/snapshot/snapshot_operations.h"
#include "tests/contract/contract_machine.h"
#include "tests/support/event_wait.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <initializer_list>
#include <unistd.h>

namespace vitrine::test {

inline constexpr int bootTime = 120000; // ms, emulated and on a busy computer
inline constexpr int endTime = 60000;   // ms

// What the cases of the contract ask a machine and look at from outside.
class MachineContract : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder = std::make_unique<QTemporaryDir>();
        // The guest's user has to come through.
        QFile::setPermissions(folder->path(),
                              QFile::permissions(folder->path()) | QFile::ReadGroup |
                                  QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther);
        machine = makeContractMachine();
        ASSERT_TRUE(machine);
        client = std::make_unique<MachineClient>(machine->library().home(), machine->directory());
    }
    static void TearDownTestSuite() {
        client.reset();
        machine.reset();
        folder.reset();
    }
    static bool waitForState(MachineState state) {
        return waitUntil([state] { return client->status().state == state; }, 30000);
    }
    static Result<QJsonValue> call(const char* method, const QJsonObject& parameters = {}) {
        return client->callAndWait(QLatin1String(method), parameters, 60000);
    }
    static Result<GuestAgent::ExecResult> run(const QString& path, const QStringList& arguments) {
        const auto answer = call("agent.exec", QJsonObject());
        EXPECT_EQ(answer.error().kind, Error::Kind::InvalidInput); // nothing named
        const auto result = client->callAndWait(
            QStringLiteral("agent.exec"), execParameters(path, arguments, {}, 30000), 40000);
        return result ? execFromJson(*result) : fail(result.error());
    }
    // What it printed; empty also when it failed.
    static QByteArray printed(const char* program, const QString& argument) {
        const auto result = run(QLatin1String(program), {argument});
        return result ? result->standardOutput : QByteArray();
    }
    static bool succeeds(const char* program, const QString& argument) {
        const auto result = run(QLatin1String(program), {argument});
        return result && result->exitCode == 0;
    }
    static Error::Kind kindOf(const char* method, const QJsonObject& parameters) {
        const auto answer = call(method, parameters);
        EXPECT_FALSE(answer) << method;
        return answer ? Error::Kind::Internal : answer.error().kind;
    }
    // Whether these requests are among those the backend cannot have. Then each is refused as
    // `hello` tells it, with a reason, whatever is asked.
    static bool areRefused(const std::initializer_list<const char*>& methods) {
        const QStringList unavailable = machine->unavailable();
        int refused = 0;
        for (const char* method : methods) {
            const bool expected = unavailable.contains(QLatin1String(method));
            EXPECT_NE(client->supports(QLatin1String(method)), expected) << method;
            if (!expected)
                continue;
            ++refused;
            const QString reason = client->hello()
                                       .value(QLatin1String("unavailable"))
                                       .toObject()
                                       .value(QLatin1String(method))
                                       .toString();
            EXPECT_GT(reason.size(), 20) << method;
            const auto answer = call(method);
            EXPECT_FALSE(answer) << method;
            if (answer)
                continue;
            EXPECT_EQ(answer.error().kind, Error::Kind::Unsupported) << method;
            EXPECT_EQ(answer.error().message, reason) << method;
        }
        EXPECT_TRUE(refused == 0 || refused == static_cast<int>(methods.size()))
            << "a role is there or it is not";
        return refused > 0;
    }
    static QJsonObject object(const char* method, const QJsonObject& parameters = {}) {
        const auto answer = call(method, parameters);
        EXPECT_TRUE(answer) << method << ": "
                            << qPrintable(answer ? QString() : answer.error().message);
        return answer ? answer->toObject() : QJsonObject();
    }
    static std::optional<ShareStatus> share(const QString& tag) {
        for (const ShareStatus& one : ShareList::fromJson(object("share.list")).shares) {
            if (one.spec.tag == tag) {
                return one;
            }
        }
        return std::nullopt;
    }
    static QList<ShareSpec> storedShares() {
        return Sidecar::read(machine->directory())->run.shares;
    }
    // A folder that a guest may write to: nobody shares root's own for writing.
    static QString makeFolder(const char* name) {
        const QString path = folder->filePath(QLatin1String(name));
        EXPECT_TRUE(QDir().mkpath(path));
        QFile file(path + QLatin1String("/file"));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(name);
        constexpr uid_t owner = 1234;
        if (::geteuid() == 0) {
            EXPECT_EQ(::chown(QFile::encodeName(path).constData(), owner, owner), 0);
        }
        return path;
    }
    static QJsonObject rootDisk() {
        return object("disk.list").value(QLatin1String("disks")).toArray().at(0).toObject();
    }
    static qint64 diskSize() {
        return QFileInfo(machine->directory() + QLatin1String("/disk.img")).size();
    }
    static SnapshotTree snapshots() {
        return readSnapshots(machine->directory()).value_or(SnapshotTree());
    }
    static QByteArray configuration() {
        const auto text = ConfigFile::read(machine->directory() + QLatin1String("/config.json"));
        return text.value_or(QByteArray());
    }
    static bool isFree() {
        const auto holder =
            ConfigFile::holder(machine->directory() + QLatin1String("/config.json"));
        return holder && !holder->has_value();
    }

    static inline std::unique_ptr<ContractMachine> machine;
    static inline std::unique_ptr<MachineClient> client;
    static inline std::unique_ptr<QTemporaryDir> folder; // of what is shared
};

} // namespace vitrine::test
