// SPDX-License-Identifier: Apache-2.0
#include "vz/host/vz_hypervisor.h"

#include "vz/host/machine_process.h"
#include "vz/host/no_display.h"
#include "vz/host/run_preparation.h"
#include "vz/host/vz_machine_host.h"
#include "vz/plan/host_features.h"
#include "vz/plan/machine_creation.h"

#include <mutex>
#include <optional>
#include <utility>

namespace vitrine::vz {

namespace {

class VzHypervisor final : public Hypervisor {
public:
    explicit VzHypervisor(Services services)
        : m_services(std::move(services)) {}

    [[nodiscard]] HypervisorInfo info(Refresh refresh) const override {
        return describeHost(host(refresh));
    }
    [[nodiscard]] Result<> validate(const MachineInfo& machine,
                                    const RunOptions& options) const override {
        return validateRun(host(Refresh::UseCache), machine, options);
    }
    [[nodiscard]] int runMachine(const RunRequest& request) const override {
        return vz::runMachine(m_services, request);
    }
    [[nodiscard]] std::unique_ptr<Display> openDisplay(const QString&) const override {
        return makeNoDisplay();
    }
    Result<> createMachine(const CreationRequest& request,
                           const JobContext& context) const override {
        CreationServices services;
        services.host = host(Refresh::UseCache);
        services.images = m_services.restoreImages.get();
        services.files = m_services.macFiles.get();
        services.makeInstaller = m_services.makeInstaller;
        return vz::createMachine(services, request, context);
    }
    [[nodiscard]] std::unique_ptr<MachineHost> makeMachineHost() const override {
        return std::make_unique<VzMachineHost>(m_services);
    }
    void install(Feature feature, std::function<void(const Result<>&)> done) const override {
        if (feature != Feature::Rosetta) {
            Hypervisor::install(feature, std::move(done));
            return;
        }
        m_services.rosetta->install(
            [done = std::move(done)](const std::optional<VzFailure>& failure) {
                if (failure)
                    done(fail(toError(Operation::InstallRosetta, *failure)));
                else
                    done({});
            });
    }

private:
    // Read once: only Rosetta, screens and interfaces change while a program runs.
    [[nodiscard]] HostCaps host(Refresh refresh) const {
        const std::lock_guard lock(m_mutex);
        if (!m_host || refresh == Refresh::TestAgain)
            m_host = m_services.probe->read();
        return *m_host;
    }

    const Services m_services;
    mutable std::mutex m_mutex;
    mutable std::optional<HostCaps> m_host;
};

} // namespace

std::unique_ptr<Hypervisor> makeHypervisor(Services services) {
    return std::make_unique<VzHypervisor>(std::move(services));
}

} // namespace vitrine::vz
