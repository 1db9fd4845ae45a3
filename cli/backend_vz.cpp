// SPDX-License-Identifier: Apache-2.0
#include "cli/backend.h"

#include "cli/kernel_command.h"
#include "vz/host/stored_options.h"
#include "vz/host/vz_hypervisor.h"
#include "vz/native/native_services.h"

namespace vitrine::cli {

std::unique_ptr<Hypervisor> makeHypervisor() {
    return vz::makeHypervisor(vz::nativeServices());
}

bool suspendsOnlyOnWish() {
    return true;
}

bool screensStayInTheirProcess() {
    return true;
}

Result<QString> checkHardwareToStore(const MachineInfo& machine) {
    return vz::checkHardwareToStore(vz::nativeServices().probe->read(), machine);
}

Result<> checkOptionsToStore(const MachineInfo& machine, const RunOptions& options) {
    return vz::checkOptionsToStore(vz::nativeServices().probe->read(), machine, options);
}

Result<quint64> takeOwnership(const QString& /*folder*/) {
    return quint64{0}; // the framework writes as the user
}

void addKernelCommand(CLI::App& root, CommandList& commands) {
    CLI::App* const app = root.add_subcommand("kernel", "Run one command on a kernel of yours");
    app->group(""); // only to say why not
    app->prefix_command();
    commands.push_back(
        {app, []() -> Result<int> {
             return fail(Error::Kind::Unsupported,
                         Tr::tr("Kernel runs need QEMU, which Vitrine uses on Linux only. On "
                                "a Mac, give a Linux machine the kernel: \"vitrinectl run "
                                "NAME --kernel FILE\"."));
         }});
}

} // namespace vitrine::cli
