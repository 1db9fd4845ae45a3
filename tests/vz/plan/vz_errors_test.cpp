// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/running_mac_machines.h"
#include "vz/plan/vz_errors.h"

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::vz;

namespace {

struct Case {
    Operation operation;
    const char* domain;
    int code;
    const char* words;
    Error::Kind kind;
    const char* says; // part of the sentence
};

const Case cases[]{
    {Operation::Start, "VZErrorDomain", 1, "Internal.", Error::Kind::Internal, "Internal."},
    {Operation::Configure,
     "VZErrorDomain",
     2,
     "The process doesn't have the \"com.apple.security.virtualization\" entitlement.",
     Error::Kind::Permission,
     "not signed"},
    {Operation::Configure,
     "VZErrorDomain",
     2,
     "The memory size is invalid",
     Error::Kind::InvalidInput,
     "The memory size is invalid."},
    {Operation::Pause, "VZErrorDomain", 3, "", Error::Kind::Busy, "something else"},
    {Operation::Pause, "VZErrorDomain", 4, "", Error::Kind::Busy, "something else"},
    {Operation::Configure, "VZErrorDomain", 5, "Bad", Error::Kind::Integrity, "512 bytes"},
    {Operation::Start, "VZErrorDomain", 6, "", Error::Kind::Busy, "commonly two"},
    {Operation::Run, "VZErrorDomain", 7, "Lost", Error::Kind::Network, "Lost."},
    {Operation::Save, "VZErrorDomain", 8, "", Error::Kind::DiskFull, "Make room"},
    {Operation::Install, "VZErrorDomain", 9, "", Error::Kind::Cancelled, "cancelled"},
    {Operation::Save, "VZErrorDomain", 10, "No", Error::Kind::Unsupported, "cannot do that"},
    {Operation::Save, "VZErrorDomain", 11, "No", Error::Kind::Internal, "goes on as before"},
    {Operation::Restore, "VZErrorDomain", 12, "", Error::Kind::Integrity, "--discard-state"},
    {Operation::LoadRestoreImage, "VZErrorDomain", 10001, "", Error::Kind::Network, "connection"},
    {Operation::LoadRestoreImage, "VZErrorDomain", 10002, "", Error::Kind::Integrity, "list"},
    {Operation::LoadRestoreImage, "VZErrorDomain", 10003, "", Error::Kind::Unsupported, "Update"},
    {Operation::LoadRestoreImage, "VZErrorDomain", 10004, "", Error::Kind::NotFound, "loaded"},
    {Operation::LoadRestoreImage, "VZErrorDomain", 10005, "", Error::Kind::Integrity, "damaged"},
    {Operation::Install, "VZErrorDomain", 10006, "", Error::Kind::Unsupported, "device support"},
    {Operation::Install, "VZErrorDomain", 10007, "Bad", Error::Kind::Internal, "Bad. Try again"},
    {Operation::Start, "VZErrorDomain", 20001, "", Error::Kind::Network, "export"},
    {Operation::Disk, "VZErrorDomain", 20002, "", Error::Kind::Network, "gone for good"},
    {Operation::Run, "VZErrorDomain", 30001, "No", Error::Kind::Unsupported, "No."},
    {Operation::Run, "VZErrorDomain", 30002, "No", Error::Kind::Unsupported, "No."},
    {Operation::Run, "VZErrorDomain", 30003, "No", Error::Kind::Unsupported, "No."},
    {Operation::Run, "VZErrorDomain", 30004, "No", Error::Kind::Unsupported, "No."},
    {Operation::Run, "VZErrorDomain", 4711, "New!", Error::Kind::Internal, "New!"},
    {Operation::Run, "VZErrorDomain", 4711, "", Error::Kind::Internal, "VZErrorDomain 4711"},
    {Operation::Start, "NSPOSIXErrorDomain", ENOSPC, "", Error::Kind::DiskFull, "no space left"},
    {Operation::Start, "NSPOSIXErrorDomain", EACCES, "", Error::Kind::Permission, "denied"},
    {Operation::Start, "NSCocoaErrorDomain", 6, "Odd", Error::Kind::Internal, "Odd."},
};

} // namespace

TEST(VzErrors, EachHasItsKindAndAWholeSentence) {
    for (const Case& c : cases) {
        const VzFailure failure{
            QLatin1String(c.domain), c.code, QString::fromLatin1(c.words), QString()};
        const Error error = toError(c.operation, failure, {QStringLiteral("web"), {}});
        const std::string text = error.message.toStdString();
        EXPECT_EQ(error.kind, c.kind) << c.code << ' ' << text;
        EXPECT_NE(text.find(c.says), std::string::npos) << c.code << ' ' << text;
        EXPECT_TRUE(text.back() == '.' || text.back() == '!' || text.back() == ')') << text;
        EXPECT_EQ(text.find(".."), std::string::npos) << text;
        EXPECT_TRUE(
            error.detail.startsWith(QStringLiteral("%1 %2").arg(failure.domain).arg(failure.code)));
    }
}

TEST(VzErrors, EveryOperationIsNamed) {
    for (int operation = 0; operation <= static_cast<int>(Operation::Disk); ++operation) {
        const Error error =
            toError(static_cast<Operation>(operation), {}, {QStringLiteral("w"), {}});
        EXPECT_FALSE(error.message.startsWith(QLatin1Char(' '))) << operation;
    }
}

TEST(VzErrors, TheReasonOfAnErrorIsNotLost) {
    const VzFailure failure{QStringLiteral("VZErrorDomain"),
                            VzInternal,
                            QStringLiteral("The machine stopped."),
                            QStringLiteral("The hypervisor is out of resources.")};
    const Error error = toError(Operation::Run, failure, {QStringLiteral("web"), {}});
    EXPECT_TRUE(error.message.contains(failure.reason));
    EXPECT_TRUE(error.detail.contains(failure.reason));
}

TEST(VzErrors, ACodeOfAnotherDomainIsNoCodeOfTheFrameworks) {
    const VzFailure failure{QStringLiteral("NSCocoaErrorDomain"), VzRestore, {}, {}};
    EXPECT_FALSE(failure.is(VzRestore));
    EXPECT_TRUE((VzFailure{QLatin1String(vzErrorDomain), VzRestore, {}, {}}.is(VzRestore)));
}

TEST(VzErrors, TheLimitWithoutMachinesOfThisLibraryNamesOtherPrograms) {
    const VzFailure failure{QLatin1String(vzErrorDomain), VzLimitExceeded, {}, {}};
    const Error error = toError(Operation::Start, failure, {QStringLiteral("web"), {}});
    EXPECT_TRUE(error.message.contains(QLatin1String("another program")));
}

// As in Apple's VZError.h.
TEST(VzErrors, TheNumbersAreApples) {
    EXPECT_EQ(VzUsbNoController, 30001);
    EXPECT_EQ(VzUsbAlreadyAttached, 30002);
    EXPECT_EQ(VzUsbInitialization, 30003);
    EXPECT_EQ(VzUsbNotFound, 30004);
}

TEST(RunningMacMachines, AreTheOnesThatRunAndNoOthers) {
    const auto machine = [](const char* name, MachineState state, GuestSystem system) {
        MachineInfo info;
        info.name = QLatin1String(name);
        info.state = state;
        info.config = MachineConfig{};
        info.config->system = system;
        return info;
    };
    MachineInfo image = machine("image", MachineState::Running, GuestSystem::Darwin);
    image.isImage = true;
    MachineInfo broken = machine("broken", MachineState::Running, GuestSystem::Darwin);
    broken.config.reset();
    const QList<MachineInfo> machines{
        machine("z", MachineState::Running, GuestSystem::Darwin),
        machine("tarts", MachineState::RunningElsewhere, GuestSystem::Darwin),
        machine("b", MachineState::Paused, GuestSystem::Darwin),
        machine("self", MachineState::Starting, GuestSystem::Darwin),
        machine("linux", MachineState::Running, GuestSystem::Linux),
        machine("off", MachineState::Stopped, GuestSystem::Darwin),
        machine("asleep", MachineState::Suspended, GuestSystem::Darwin),
        image,
        broken};
    EXPECT_EQ(runningMacMachines(machines, QStringLiteral("self")).join(QLatin1Char(' ')),
              QLatin1String("b tarts z"));
    QList<MachineInfo> same = machines;
    for (MachineInfo& one : same)
        if (one.config)
            one.config->ecid = one.name == QLatin1String("b") ? "another" : "one";
    EXPECT_EQ(machinesOfSameIdentifier(same, same.at(3)).join(QLatin1Char(' ')),
              QLatin1String("tarts z"));
}
