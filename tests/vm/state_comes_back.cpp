// SPDX-License-Identifier: Apache-2.0
#include "state_comes_back.h"

#include "core/machine/sidecar.h"
#include "support/event_wait.h"

#include <QFile>

#include <gtest/gtest.h>

namespace vitrine::test {

namespace {

// Where the variables are; the guest's own choice of file is in the sidecar.
QByteArray variablesOf(const RunningGuest& guest) {
    QByteArray all;
    for (const char* name : {"nvram.bin", "efivars-amd64.fd", "efivars-arm64.fd"}) {
        QFile file(guest.machineDirectory() + QLatin1Char('/') + QLatin1String(name));
        if (file.open(QIODevice::ReadOnly))
            all += file.readAll();
    }
    return all;
}

// The firmware keeps names as UTF-16.
bool hasVariable(const RunningGuest& guest, const QString& name) {
    return variablesOf(guest).contains(QByteArray(reinterpret_cast<const char*>(name.utf16()),
                                                  name.size() * qsizetype(sizeof(char16_t))));
}

void setVariable(RunningGuest& guest, const QString& name) {
    const QString file =
        QStringLiteral("/sys/firmware/efi/efivars/%1-7f3c6a52-1d0b-4c8e-9a55-2e60c4b7d913")
            .arg(name);
    // Attributes: kept without power, seen at boot and at run time.
    EXPECT_EQ(guest.shell(QStringLiteral("grep -q efivarfs /proc/mounts || { modprobe efivarfs; "
                                         "mount -t efivarfs efivarfs /sys/firmware/efi/efivars; }; "
                                         "printf '\\007\\000\\000\\000\\001' > %1 && echo done")
                              .arg(file)),
              QLatin1String("done"));
    EXPECT_TRUE(waitUntil([&] { return hasVariable(guest, name); })) << qPrintable(name);
}

QString bootIdOf(RunningGuest& guest) {
    return guest.shell(QStringLiteral("cat /proc/sys/kernel/random/boot_id"));
}

int counterOf(RunningGuest& guest) {
    return guest.shell(QStringLiteral("cat /run/counter")).toInt();
}

bool startAgain(RunningGuest& guest) {
    guest.start();
    return guest.waitUntilState(MachineState::Running) &&
           waitUntil([&] { return guest.status().agentAnswers; }, longWait);
}

void expectItGoesOn(RunningGuest& guest, const QString& bootId) {
    EXPECT_EQ(bootIdOf(guest), bootId);
    const int before = counterOf(guest);
    EXPECT_GT(before, 0);
    EXPECT_TRUE(waitUntil([&] { return counterOf(guest) > before; }, longWait));
}

} // namespace

void expectStateComesBack(RunningGuest& guest) {
    const QString before = QStringLiteral("VitrineBefore");
    const QString after = QStringLiteral("VitrineAfter");
    guest.shell(QStringLiteral(
        "(i=0; while :; do i=$((i+1)); echo $i > /run/counter.new; mv /run/counter.new "
        "/run/counter; sleep 0.1; done) >/dev/null 2>&1 </dev/null &"));
    ASSERT_TRUE(waitUntil([&] { return counterOf(guest) > 0; }, longWait));
    const QString bootId = bootIdOf(guest);
    setVariable(guest, before);

    const RunningGuest::Ran suspended =
        guest.vitrinectl({QStringLiteral("suspend"), QStringLiteral("guest")}, longWait);
    ASSERT_EQ(suspended.exitCode, 0) << qPrintable(suspended.errors);
    ASSERT_EQ(guest.waitUntilEnded(), 0) << qPrintable(guest.said());
    ASSERT_EQ(guest.library().stateOf(guest.machineDirectory()), MachineState::Suspended);
    ASSERT_TRUE(startAgain(guest)) << qPrintable(guest.said());
    expectItGoesOn(guest, bootId);

    const auto taken = guest.call(
        "snapshot.create",
        {{QStringLiteral("name"), QStringLiteral("Before")}, {QStringLiteral("memory"), true}},
        longWait);
    ASSERT_TRUE(taken) << qPrintable(taken.error().message);
    guest.shell(QStringLiteral("touch /root/after; sync"));
    setVariable(guest, after);
    ASSERT_TRUE(guest.call("forceOff"));
    ASSERT_EQ(guest.waitUntilEnded(), 0) << qPrintable(guest.said());
    ASSERT_TRUE(hasVariable(guest, after));

    const auto restore = [&](const QStringList& options) {
        const RunningGuest::Ran restored = guest.vitrinectl(QStringList{QStringLiteral("snapshot"),
                                                                        QStringLiteral("guest"),
                                                                        QStringLiteral("restore"),
                                                                        QStringLiteral("Before")}
                                                                << options,
                                                            longWait);
        EXPECT_EQ(restored.exitCode, 0) << qPrintable(restored.errors);
        EXPECT_TRUE(hasVariable(guest, before));
        EXPECT_FALSE(hasVariable(guest, after)) << "the variables of the snapshot come back";
    };
    restore({});
    ASSERT_TRUE(startAgain(guest)) << qPrintable(guest.said());
    expectItGoesOn(guest, bootId);
    EXPECT_EQ(guest.shell(QStringLiteral("[ -e /root/after ] || echo gone")),
              QLatin1String("gone"));
    setVariable(guest, after); // the firmware in memory still works on its variables
    ASSERT_TRUE(guest.call("forceOff"));
    ASSERT_EQ(guest.waitUntilEnded(), 0) << qPrintable(guest.said());

    restore({QStringLiteral("--without-memory")});
    ASSERT_TRUE(startAgain(guest)) << qPrintable(guest.said());
    EXPECT_NE(bootIdOf(guest), bootId) << "without memory it boots";
    EXPECT_EQ(guest.shell(QStringLiteral("[ -e /root/after ] || echo gone")),
              QLatin1String("gone"));
    EXPECT_FALSE(hasVariable(guest, after));
}

} // namespace vitrine::test
