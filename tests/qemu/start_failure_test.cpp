// SPDX-License-Identifier: Apache-2.0
#include "qemu/start_failure.h"

#include <gtest/gtest.h>

using vitrine::Error;
using vitrine::qemu::startFailure;

namespace {

// As QEMU 7.2 wrote them.
struct Case {
    const char* text;
    Error::Kind kind;
    const char* said; // part of the sentence
};

} // namespace

TEST(StartFailure, TurnsKnownReasonsIntoSentencesWithARemedy) {
    const Case cases[] = {
        {"qemu-system-x86_64: -blockdev driver=raw: Failed to get \"write\" lock\n"
         "Is another process using the image [/vms/a/disk.img]?",
         Error::Kind::Busy,
         "/vms/a/disk.img"},
        {"qemu-system-x86_64: -drive file=x: Failed to get shared \"write\" lock",
         Error::Kind::Busy,
         "another program"},
        {"qemu-system-x86_64: cannot set up guest memory 'pc.ram': Cannot allocate memory",
         Error::Kind::InvalidInput,
         "memory"},
        {"qemu-system-x86_64: Invalid SMP CPUs 999. The max CPUs supported by machine "
         "'pc-q35-7.2' is 255",
         Error::Kind::InvalidInput,
         "255"},
        {"qemu-system-x86_64: -blockdev x: Could not open '/a/disk.img': No such file or directory",
         Error::Kind::NotFound,
         "/a/disk.img"},
        {"qemu-system-x86_64: -blockdev x: Could not open '/a/disk.img': Permission denied",
         Error::Kind::Permission,
         "/a/disk.img"},
        {"Could not access KVM kernel module: Permission denied\n"
         "qemu-system-x86_64: -accel kvm: failed to initialize kvm: Permission denied",
         Error::Kind::Permission,
         "group kvm"},
        {"Could not access KVM kernel module: No such file or directory\n"
         "qemu-system-x86_64: -accel kvm: failed to initialize kvm: No such file or directory",
         Error::Kind::Unsupported,
         "no KVM"},
        {"qemu-system-aarch64: -device foo: 'foo' is not a valid device model name",
         Error::Kind::Internal,
         "'foo' is not a valid device model name"},
    };
    for (const Case& one : cases) {
        const Error error = startFailure(QString::fromLatin1(one.text).split(QLatin1Char('\n')), 0);
        EXPECT_EQ(error.kind, one.kind) << one.text;
        EXPECT_TRUE(error.message.contains(QLatin1String(one.said)))
            << qPrintable(error.message) << " for " << one.text;
        EXPECT_FALSE(error.message.contains(QLatin1String("qemu-system")))
            << qPrintable(error.message);
    }
}

TEST(StartFailure, PassesOverWarnings) {
    const Error error =
        startFailure({QStringLiteral("qemu-system-x86_64: the real reason"),
                      QStringLiteral("qemu-system-x86_64: warning: TCG doesn't support x")},
                     0);
    EXPECT_TRUE(error.message.endsWith(QStringLiteral("the real reason")));
}

TEST(StartFailure, NamesTheNetworkDiskAndNotTheWordsOfTheCommandLine) {
    const QStringList lines{QStringLiteral(
        R"(qemu-system-x86_64: -blockdev {"driver":"raw","file":{"driver":"nbd","server":{}},)"
        R"("node-name":"disk2"}: The certificate hasn't got a known issuer)")};
    const Error named =
        startFailure(lines, 0, {{QStringLiteral("disk2"), QStringLiteral("nbds://server/")}});
    EXPECT_EQ(named.kind, Error::Kind::Network);
    EXPECT_TRUE(named.message.contains(QLatin1String(
        "\"nbds://server/\" cannot be used (The certificate hasn't got a known issuer)")))
        << qPrintable(named.message);
    const Error other = startFailure(lines, 0);
    EXPECT_TRUE(other.message.endsWith(
        QLatin1String("QEMU says: The certificate hasn't got a known issuer")))
        << qPrintable(other.message);
}

TEST(StartFailure, SaysSomethingWhenQemuSaidNothing) {
    EXPECT_FALSE(startFailure({}, 0).message.isEmpty());
    EXPECT_TRUE(startFailure({}, 6).message.contains(QStringLiteral("signal 6")));
}
