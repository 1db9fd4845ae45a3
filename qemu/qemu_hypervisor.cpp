// SPDX-License-Identifier: Apache-2.0
#include "qemu/qemu_hypervisor.h"

#include "qemu/host_features.h"
#include "qemu/launch_planner.h"
#include "qemu/machine_process.h"
#include "qemu/rfb/rfb_display.h"

namespace vitrine::qemu {
namespace {

class QemuHypervisor final : public Hypervisor {
public:
    [[nodiscard]] HypervisorInfo info(Refresh refresh) const override {
        return describeHost(m_paths, HostInfo::read(), refresh);
    }

    [[nodiscard]] Result<> validate(const MachineInfo& machine,
                                    const RunOptions& options) const override {
        const auto plan = checkLaunch(machine, options, m_paths);
        if (!plan)
            return fail(plan.error());
        return {};
    }

    [[nodiscard]] int runMachine(const RunRequest& request) const override {
        return qemu::runMachine(request);
    }

    [[nodiscard]] std::unique_ptr<Display>
    openDisplay(const QString& displaySocket) const override {
        return makeRfbDisplay(displaySocket);
    }

private:
    ProgramPaths m_paths;
};

} // namespace

std::unique_ptr<Hypervisor> makeHypervisor() {
    return std::make_unique<QemuHypervisor>();
}

} // namespace vitrine::qemu
