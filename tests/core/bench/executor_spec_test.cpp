// SPDX-License-Identifier: Apache-2.0
#include "core/bench/executor_spec.h"

#include "core/bench/executor_set.h"
#include "core/bench/guest_source.h"
#include "tests/core/bench/bench_support.h"
#include "tests/support/held_machine.h"

#include <QFile>
#include <QTemporaryDir>

namespace vitrine::bench {

namespace {

QString spelled(const char* text) {
    const auto spec = ExecutorSpec::fromText(s(text));
    return spec ? spec->text : s("refused: ") + spec.error().message;
}

QStringList listed(const QStringList& texts, bool hasMachine) {
    const auto specs = ExecutorSpec::listFrom(texts, hasMachine);
    return specs ? textsOf(*specs) : QStringList{s("refused")};
}

constexpr quint64 gibi = 1ULL << 30;

MachineConfig machineOf(int cpus, quint64 memory) {
    MachineConfig config;
    config.cpuCount = cpus;
    config.memory = ByteCount::fromBytes(memory);
    return config;
}

} // namespace

TEST(ExecutorSpec, HasOneSpelling) {
    EXPECT_EQ(spelled("host"), s("host"));
    EXPECT_EQ(spelled(" running "), s("running"));
    EXPECT_EQ(spelled("kernel:9p"), s("kernel:9p"));
    EXPECT_EQ(spelled("kernel:virtiofs"), s("kernel:virtiofs"));
    EXPECT_EQ(spelled("default"), s("default"));
    EXPECT_EQ(spelled("sync=full"), s("default")) << "that is what it is";
    EXPECT_EQ(spelled("caching=cached,sync=none"), s("sync=none,caching=cached"));
    EXPECT_EQ(spelled("sync=fsync"), s("sync=fsync"));
    EXPECT_EQ(spelled("caching=uncached"), s("caching=uncached"));
}

TEST(ExecutorSpec, ASharesDefaultIsWrittenOut) {
    EXPECT_EQ(spelled("share:virtiofs"), s("share:virtiofs,cache=auto"));
    EXPECT_EQ(spelled("share:virtiofs,cache=always"), s("share:virtiofs,cache=always"));
    EXPECT_EQ(spelled("share:virtiofs,cache=never"), s("share:virtiofs,cache=none"));
    EXPECT_EQ(spelled("share:9p"), s("share:9p,security=none"));
    EXPECT_EQ(spelled("share:9p,security=mapped-xattr"), s("share:9p,security=mapped-xattr"));
    EXPECT_TRUE(spelled("share:virtiofs,cache=metadata").contains(s("QEMU 7.2 has no such")));
    const auto spec = ExecutorSpec::fromText(s("share:9p,security=mapped-file"));
    ASSERT_TRUE(spec);
    EXPECT_TRUE(spec->needsClone());
    EXPECT_EQ(spec->options(),
              (QJsonObject{{s("kind"), s("vm")},
                           {s("share"), s("9p")},
                           {s("share_security"), s("mapped-file")}}));
}

TEST(ExecutorSpec, WhatIsNoExecutorIsRefusedWithWhatThereIs) {
    for (const char* text : {"",
                             "  ",
                             "Host",
                             "hots",
                             "sync",
                             "sync=never",
                             "sync=none,x",
                             ",",
                             "ro",
                             "ro,sync=none",
                             "sync=none;rm",
                             "share:",
                             "share:nfs",
                             "share:virtiofs,",
                             "share:virtiofs,cache=",
                             "share:virtiofs,cache=metadata",
                             "share:virtiofs,security=none",
                             "share:9p,cache=auto",
                             "share:9p,security=mapped",
                             "share:9p,security=none,x"}) {
        const auto spec = ExecutorSpec::fromText(s(text));
        ASSERT_FALSE(spec) << text;
        EXPECT_EQ(spec.error().kind, Error::Kind::InvalidInput) << text;
        EXPECT_TRUE(spec.error().message.contains(s("sync=none, sync=fsync"))) << text;
    }
}

TEST(ExecutorSpec, OptionsAreThoseOfThePublishedSets) {
    const auto optionsOf = [](const char* text) {
        return ExecutorSpec::fromText(s(text)).value_or(ExecutorSpec{}).options();
    };
    EXPECT_EQ(optionsOf("host"), (QJsonObject{{s("kind"), s("host")}}));
    EXPECT_EQ(optionsOf("default"), (QJsonObject{{s("kind"), s("vm")}}));
    EXPECT_EQ(
        optionsOf("sync=none,caching=cached"),
        (QJsonObject{{s("kind"), s("vm")}, {s("sync"), s("none")}, {s("caching"), s("cached")}}));
}

TEST(ExecutorSpec, WithoutAWordItIsTheHostAndWhatTartCompares) {
    EXPECT_EQ(listed({}, false), QStringList{s("host")});
    EXPECT_EQ(listed({}, true),
              (QStringList{s("host"),
                           s("default"),
                           s("sync=none"),
                           s("caching=cached"),
                           s("sync=none,caching=cached")}));
    EXPECT_EQ(listed({s("sync=none"), s("host"), s("sync=none")}, true),
              (QStringList{s("sync=none"), s("host")}));
    EXPECT_EQ(listed({s("default")}, false), QStringList{s("refused")}) << "there is no machine";
    EXPECT_EQ(listed({s("host")}, true), QStringList{s("refused")}) << "the machine has no use";
}

TEST(GuestSize, IsTheMachinesOwnButNeverAllOfThisComputer) {
    const HostSize host{4, 16 * gibi, 12 * gibi};
    const auto own = guestSizeOf(machineOf(2, 4 * gibi), {}, host);
    ASSERT_TRUE(own);
    EXPECT_EQ(*own, (GuestSize{2, 4 * gibi, {}}));
    const auto large = guestSizeOf(machineOf(8, 64 * gibi), {}, host);
    ASSERT_TRUE(large);
    EXPECT_EQ(large->cpus, 3);
    EXPECT_EQ(large->memory, 12 * gibi);
    EXPECT_EQ(large->notes.size(), 2);
    const auto tiny = guestSizeOf(machineOf(4, gibi), {}, {1, 0, 0});
    ASSERT_TRUE(tiny);
    EXPECT_EQ(tiny->cpus, 1) << "there is no less";
}

TEST(GuestSize, WhatWasAskedForIsGivenOrRefused) {
    const HostSize host{4, 16 * gibi, 12 * gibi};
    GuestPlan wanted;
    wanted.cpus = 3;
    wanted.memory = 2 * gibi;
    const auto given = guestSizeOf(machineOf(1, gibi), wanted, host);
    ASSERT_TRUE(given);
    EXPECT_EQ(*given, (GuestSize{3, 2 * gibi, {}}));
    wanted.cpus = 4;
    EXPECT_EQ(guestSizeOf(machineOf(1, gibi), wanted, host).error().kind,
              Error::Kind::InvalidInput);
    wanted.cpus = 0;
    wanted.memory = 13 * gibi;
    EXPECT_EQ(guestSizeOf(machineOf(1, gibi), wanted, host).error().kind,
              Error::Kind::InvalidInput);
}

TEST(GuestSize, ClonesStayTogetherWhereTheFreeMemorySuffices) {
    const GuestSize size{1, gibi - (256U << 20), {}}; // 1 GiB with its emulator
    EXPECT_TRUE(fitTogether(4, size, {4, 16 * gibi, 4 * gibi}));
    EXPECT_FALSE(fitTogether(4, size, {4, 16 * gibi, 4 * gibi - 1}));
    EXPECT_FALSE(fitTogether(1, size, {4, 16 * gibi, 0})) << "all of it is used";
    EXPECT_TRUE(fitTogether(4, size, {4, 0, 0})) << "nothing is known";
}

TEST(ExecutorSpec, AKernelNeedsNoMachineAndTellsItsShare) {
    const auto specs = ExecutorSpec::listFrom({s("kernel:9p"), s("kernel:virtiofs")}, false);
    ASSERT_TRUE(specs);
    ASSERT_EQ(specs->size(), 2);
    EXPECT_FALSE(specs->first().needsMachine());
    EXPECT_EQ(specs->first().options().value(s("share")).toString(), s("9p"));
    EXPECT_EQ(specs->last().options().value(s("share")).toString(), s("virtiofs"));
    EXPECT_FALSE(ExecutorSpec::fromText(s("kernel:nfs")));
    EXPECT_FALSE(ExecutorSpec::fromText(s("kernel:")));
}

TEST(ExecutorSpec, AKernelWithoutAFileIsRefusedBeforeTheStart) {
    const QTemporaryDir folder;
    RunPlan plan;
    plan.executors = {s("kernel:9p")};
    const auto checked = ExecutorSet::check(*Library::open(folder.path()), plan);
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().kind, Error::Kind::InvalidInput);
    EXPECT_TRUE(checked.error().message.contains(s("--kernel")));
}

TEST(GuestSource, ASuspendedMachineIsRefusedBeforeAnythingStarts) {
    test::SmallLibrary library;
    const QString directory = library.add(s("m"));
    RunPlan plan;
    plan.workloads = {{s("w"), Workload::Kind::Time, {}, s("true"), {}}};
    plan.executors = QStringList{s("default")};
    plan.guest.source = s("m");
    const auto checked = [&] { return ExecutorSet::check(library.library, plan); };
    const auto stopped = checked();
    EXPECT_TRUE(stopped || !stopped.error().message.contains(s("suspended")));
    ASSERT_TRUE(QFile(directory + s("/state.vzvmsave")).open(QIODevice::WriteOnly));
    const auto refused = checked();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Busy);
    EXPECT_TRUE(refused.error().message.contains(s("\"m\" is suspended")))
        << refused.error().message.toStdString();
}

} // namespace vitrine::bench
