// SPDX-License-Identifier: Apache-2.0
#include "core/bench/executor_set.h"

#include "core/bench/guest_source.h"
#include "core/bench/host_executor.h"

#include <QStandardPaths>

#include <algorithm>

namespace vitrine::bench {

namespace {

bool needsFio(const RunPlan& plan) {
    return std::any_of(plan.workloads.begin(), plan.workloads.end(), [](const Workload& workload) {
        return workload.kind == Workload::Kind::Fio;
    });
}

Result<> checkHost(const RunPlan& plan) {
    if (!needsFio(plan) || !QStandardPaths::findExecutable(QStringLiteral("fio")).isEmpty())
        return {};
    return fail(Error::Kind::Unsupported,
                Tr::tr("The program fio is missing, with which this suite measures. Install it: "
                       "apt install fio, dnf install fio or brew install fio."));
}

QString hostFolder(const ExecutorSetup& setup) {
    return setup.plan.folder.isEmpty()
               ? setup.library.temporaryPath() + QStringLiteral("/benchmark-") + setup.campaign
               : setup.plan.folder + QStringLiteral("/vitrine-benchmark-") + setup.campaign;
}

} // namespace

Result<> ExecutorSet::check(const Library& library, const RunPlan& plan) {
    const auto specs = ExecutorSpec::listFrom(plan.executors, !plan.guest.source.isEmpty());
    if (!specs)
        return fail(specs.error());
    for (const ExecutorSpec& spec : *specs)
        if (spec.kind == ExecutorSpec::Kind::Host)
            if (auto checked = checkHost(plan); !checked)
                return checked;
    if (plan.guest.source.isEmpty())
        return {};
    const auto source = guestSourceOf(library, plan.guest, *specs);
    if (!source)
        return fail(source.error());
    const auto size = guestSizeOf(*source->config, plan.guest, hostSize());
    return size ? Result<>() : fail(size.error());
}

Result<ExecutorSet> ExecutorSet::open(const ExecutorSetup& setup, const JobContext& /*context*/) {
    const RunPlan& plan = setup.plan;
    const auto specs = ExecutorSpec::listFrom(plan.executors, !plan.guest.source.isEmpty());
    if (!specs)
        return fail(specs.error());
    ExecutorSet set;
    for (const ExecutorSpec& spec : *specs) {
        if (spec.kind != ExecutorSpec::Kind::Host)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("The executor \"%1\" cannot be used yet.").arg(spec.text));
        auto host = HostExecutor::make(hostFolder(setup));
        if (!host)
            return fail(host.error());
        set.m_executors.push_back(*std::move(host));
    }
    return set;
}

QList<Executor*> ExecutorSet::list() const {
    QList<Executor*> list;
    for (const auto& executor : m_executors)
        list.append(executor.get());
    return list;
}

} // namespace vitrine::bench
