// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/machine/machine_config.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "qemu/host_info.h"
#include "qemu/launch_plan.h"

#include <QByteArray>
#include <QString>

namespace vitrine::qemu {

// Whether KVM runs guests here, and if not, why.
struct AcceleratorVerdict {
    enum class Cause {
        Usable,
        NoDevice,     // /dev/kvm is missing
        NoPermission, // it may not be opened by this user
        NoEmulator,   // nothing to test with
        TestFailed,   // the test guest did not end as it should
        TestTimedOut
    };
    Cause cause = Cause::NoDevice;
    QString detail; // untranslated: exit code, last line of stderr, how far the test guest came

    [[nodiscard]] bool usable() const { return cause == Cause::Usable; }
    // Translated: what is wrong and that machines are emulated; empty when usable.
    [[nodiscard]] QString reason() const;
    friend bool operator==(const AcceleratorVerdict&, const AcceleratorVerdict&) = default;
};

// Runs a 64 KiB test guest under KVM (64-bit mode, paging, a page fault, user mode and back): a
// /dev/kvm that opens and yet runs no guest exists on some virtual hosts. The verdict is there
// within 2 s and is kept by kernel release, QEMU version, and mode and owner of /dev/kvm. A test
// that ran out of time is tried again after ten minutes: this computer may just have been busy.
// Any thread.
[[nodiscard]] AcceleratorVerdict
acceleratorVerdict(const ProgramPaths& paths,
                   Hypervisor::Refresh refresh = Hypervisor::Refresh::UseCache);

struct AcceleratorDecision {
    Accelerator accelerator = Accelerator::Tcg;
    QString note; // translated; empty when there is nothing to say
    friend bool operator==(const AcceleratorDecision&, const AcceleratorDecision&) = default;
};
// What a machine runs with. KVM chosen by hand overrides a failed test, but not a missing device,
// a missing permission or a guest of another architecture (Unsupported).
[[nodiscard]] Result<AcceleratorDecision> chooseAccelerator(AcceleratorChoice choice,
                                                            Architecture guest,
                                                            Architecture host,
                                                            const AcceleratorVerdict& verdict);

// The test guest for this computer's architecture, as `-bios` takes it (qemu/probe/ says how it
// tells that it came to its end).
[[nodiscard]] QByteArray probeRom();

} // namespace vitrine::qemu
