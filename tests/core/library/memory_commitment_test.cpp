// SPDX-License-Identifier: Apache-2.0
#include "core/library/memory_commitment.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

MemoryCommitment commitment(quint64 wanted, quint64 running, quint64 available) {
    MemoryCommitment result;
    result.machine = QStringLiteral("build");
    result.wanted = ByteCount::fromMiB(wanted);
    result.running = ByteCount::fromMiB(running);
    if (running > 0)
        result.machines = {QStringLiteral("db"), QStringLiteral("web")};
    result.total = ByteCount::fromMiB(16384);
    result.available = ByteCount::fromMiB(available);
    return result;
}

} // namespace

TEST(MemoryCommitment, ThereIsNothingToSayWhileMemorySuffices) {
    EXPECT_TRUE(commitment(4096, 0, 8192).warning().isEmpty());
    EXPECT_TRUE(commitment(8192, 8192, 8192).warning().isEmpty());
}

TEST(MemoryCommitment, MachinesThatTogetherHaveMoreThanTheComputerAreNamed) {
    const QString warning = commitment(8192, 8193, 12000).warning();
    EXPECT_TRUE(warning.contains(QLatin1String("db, web"))) << warning.toStdString();
    EXPECT_TRUE(warning.contains(QLatin1String("\"build\"")));
}

TEST(MemoryCommitment, TooLittleFreeMemoryIsToldWithoutOtherMachinesToo) {
    const QString warning = commitment(8192, 0, 4096).warning();
    EXPECT_TRUE(warning.contains(QLatin1String("free now"))) << warning.toStdString();
}

TEST(MemoryCommitment, AMachineLargerThanTheComputerIsRefusedElsewhere) {
    EXPECT_TRUE(commitment(20000, 0, 4096).warning().isEmpty());
}

TEST(MemoryCommitment, TheKernelsFigureIsRead) {
    const HostMemory memory =
        hostMemoryFrom("MemTotal:       16384 kB\nMemFree: 1 kB\nMemAvailable:   8192 kB\n");
    EXPECT_EQ(memory.total, ByteCount::fromMiB(16));
    EXPECT_EQ(memory.available, ByteCount::fromMiB(8));
    EXPECT_EQ(hostMemoryFrom("nonsense").total, ByteCount());
}

} // namespace vitrine
