// SPDX-License-Identifier: Apache-2.0
#include "core/bench/executor_set.h"

#include "core/bench/clone_executor.h"
#include "core/bench/guest_source.h"
#include "core/bench/host_executor.h"
#include "core/bench/kernel_executor.h"
#include "core/bench/running_executor.h"
#include "core/bench/share_executor.h"
#include "core/value/byte_count.h"

#include <QStandardPaths>

#include <algorithm>
#include <unistd.h>

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

// One that cannot be had stops all of them: which it is.
Error withoutIt(const Error& error, const ExecutorSpec& spec) {
    if (error.isCancelled())
        return error;
    return {error.kind,
            Tr::tr("%1 This was for the executor \"%2\"; leave it out to measure the others.")
                .arg(error.message, spec.text),
            error.detail};
}

// Makes the executors of one plan.
class Opening final {
public:
    Opening(const ExecutorSetup& setup, const JobContext& context)
        : m_setup(setup)
        , m_plan(setup.plan)
        , m_context(context) {}

    Result<> prepare(const QList<ExecutorSpec>& specs) {
        if (m_plan.guest.source.isEmpty())
            return {};
        const auto source = guestSourceOf(m_setup.library, m_plan.guest, specs);
        if (!source)
            return fail(source.error());
        m_source = *source;
        const HostSize host = hostSize();
        const auto size = guestSizeOf(*m_source.config, m_plan.guest, host);
        if (!size)
            return fail(size.error());
        m_size = *size;
        const auto clones = static_cast<quint64>(std::count_if(
            specs.begin(), specs.end(), [](const auto& s) { return s.needsClone(); }));
        const bool fit = fitTogether(clones, m_size, host);
        m_idle = fit ? CloneExecutor::Idle::Paused : CloneExecutor::Idle::ShutDown;
        if (clones > 0)
            addNotes(m_size.notes);
        if (clones > 0 && !fit)
            addNotes({Tr::tr("The free memory does not allow clones to stay while others are "
                             "measured: each is started for its measurement and shut down after "
                             "it.")});
        return {};
    }

    Result<std::unique_ptr<Executor>> make(const ExecutorSpec& spec) {
        switch (spec.kind) {
        case ExecutorSpec::Kind::Host:
            return makeHost();
        case ExecutorSpec::Kind::Machine:
            return makeClone(spec);
        case ExecutorSpec::Kind::Share:
            return makeShare(spec);
        case ExecutorSpec::Kind::Kernel:
            return makeKernel(spec);
        case ExecutorSpec::Kind::Running:
            break;
        }
        return makeRunning(spec);
    }

    [[nodiscard]] const QJsonObject& guest() const { return m_guest; }
    [[nodiscard]] const QStringList& notes() const { return m_notes; }

private:
    Result<std::unique_ptr<Executor>> makeHost() {
        auto host = HostExecutor::make(hostFolder(m_setup));
        if (!host)
            return fail(host.error());
        return *std::move(host);
    }

    [[nodiscard]] CloneExecutor::Request cloneOf(const ExecutorSpec& spec) const {
        return {.machine = {.library = m_setup.library,
                            .source = m_plan.guest.source,
                            .cpus = m_size.cpus,
                            .memory = m_size.memory},
                .guest = guestSetup(spec),
                .fio = fioFor(GuestExecutor::Fio::Install),
                .idle = m_idle,
                .space = spaceNeededFor(m_plan),
                .grow = m_plan.guest.grow};
    }

    Result<std::unique_ptr<Executor>> makeShare(const ExecutorSpec& spec) {
        const QString folder =
            QStringLiteral("%1-share-%2").arg(hostFolder(m_setup), QString::number(++m_shares));
        auto share = ShareExecutor::open(cloneOf(spec), spec.sharing, folder, m_context);
        if (!share)
            return fail(share.error());
        describe(**share, SharedFolder::Yes);
        return *std::move(share);
    }

    Result<std::unique_ptr<Executor>> makeKernel(const ExecutorSpec& spec) {
        auto kernel = KernelExecutor::make({spec.text,
                                            spec.text.section(QLatin1Char(':'), 1),
                                            m_plan.kernel.file,
                                            m_plan.kernel.modules},
                                           hostFolder(m_setup) + QLatin1Char('-') +
                                               spec.text.section(QLatin1Char(':'), 1));
        if (!kernel)
            return fail(kernel.error());
        return *std::move(kernel);
    }

    Result<std::unique_ptr<Executor>> makeClone(const ExecutorSpec& spec) {
        CloneExecutor::Request request = cloneOf(spec);
        request.machine.change = [disk = spec.rootDisk](RunOptions& options) {
            options.rootDisk = disk;
        };
        auto clone = CloneExecutor::open(request, m_context);
        if (!clone)
            return fail(clone.error());
        describe(**clone);
        return *std::move(clone);
    }

    Result<std::unique_ptr<Executor>> makeRunning(const ExecutorSpec& spec) {
        Progress progress;
        progress.step = Tr::tr("Preparing the guest for \"%1\"").arg(spec.text);
        m_context.report(progress);
        auto running = RunningExecutor::open(m_setup.library.home(),
                                             m_source.directory,
                                             guestSetup(spec),
                                             fioFor(GuestExecutor::Fio::Required),
                                             m_context.stop);
        if (!running)
            return fail(running.error());
        describe(**running);
        return *std::move(running);
    }

    [[nodiscard]] GuestExecutor::Setup guestSetup(const ExecutorSpec& spec) const {
        return {.name = spec.text,
                .options = spec.options(),
                .folderName = QStringLiteral("vitrine-benchmark-") + m_setup.campaign,
                .place = {}};
    }

    [[nodiscard]] GuestExecutor::Fio fioFor(GuestExecutor::Fio how) const {
        return needsFio(m_plan) ? how : GuestExecutor::Fio::NotNeeded;
    }

    // CloneExecutor, ShareExecutor or RunningExecutor.
    enum class SharedFolder { No, Yes };
    template <class T>
    void describe(const T& executor, SharedFolder shared = SharedFolder::No) {
        const guest::Opened& opened = executor.opened();
        if (m_guest.isEmpty()) {
            m_guest = opened.facts;
            m_guest.insert(QStringLiteral("name"), m_plan.guest.source);
            if (!m_setup.hypervisor.isEmpty())
                m_guest.insert(QStringLiteral("hypervisor"), m_setup.hypervisor);
            if (!executor.accelerator().isEmpty())
                m_guest.insert(QStringLiteral("accelerator"), executor.accelerator());
            if (!opened.filesystem.isEmpty() && shared == SharedFolder::No)
                m_guest.insert(QStringLiteral("filesystem"), opened.filesystem);
        }
        if (!executor.canDropCaches())
            addNotes({Tr::tr("The page cache of the guest cannot be emptied: no python3, no dd "
                             "that knows nocache, no rights. fio does it itself for the files "
                             "that it reads.")});
        if (!opened.isOnRoot && shared == SharedFolder::No)
            addNotes({Tr::tr("The test files in the guest are not on its root disk, which the "
                             "root disk options are for.")});
    }

    void addNotes(const QStringList& notes) {
        for (const QString& note : notes)
            if (!m_notes.contains(note))
                m_notes.append(note);
    }

    const ExecutorSetup& m_setup;
    const RunPlan& m_plan;
    const JobContext& m_context;
    MachineInfo m_source;
    GuestSize m_size;
    CloneExecutor::Idle m_idle = CloneExecutor::Idle::Paused;
    int m_shares = 0; // made so far
    QJsonObject m_guest;
    QStringList m_notes;
};

} // namespace

Result<> ExecutorSet::check(const Library& library, const RunPlan& plan) {
    const auto specs = ExecutorSpec::listFrom(plan.executors, !plan.guest.source.isEmpty());
    if (!specs)
        return fail(specs.error());
    for (const ExecutorSpec& spec : *specs) {
        if (spec.kind == ExecutorSpec::Kind::Host)
            if (auto checked = checkHost(plan); !checked)
                return checked;
        if (spec.sharing.transport == QLatin1String("9p") && ::geteuid() == 0)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("The executor \"%1\" is not for root: the file server of 9P is QEMU "
                               "itself, and the guest's root would be root here. Leave --executor "
                               "%1 out, or measure as an ordinary user.")
                            .arg(spec.text));
        if (spec.kind == ExecutorSpec::Kind::Kernel && plan.kernel.file.isEmpty())
            return fail(
                Error::Kind::InvalidInput,
                Tr::tr("The executor \"%1\" boots a kernel, and /boot has none that you may "
                       "read. Name one with --kernel: one that you have built, or a copy of "
                       "a distribution's (apt install linux-image-amd64; sudo cp where "
                       "/boot is for root only).")
                    .arg(spec.text));
    }
    if (plan.guest.source.isEmpty())
        return {};
    const auto source = guestSourceOf(library, plan.guest, *specs);
    if (!source)
        return fail(source.error());
    const auto size = guestSizeOf(*source->config, plan.guest, hostSize());
    if (!size)
        return fail(size.error());
    // No guest has to be started to see that.
    const bool isOnDisk = std::any_of(specs->begin(), specs->end(), [](const ExecutorSpec& spec) {
        return spec.kind == ExecutorSpec::Kind::Machine || spec.kind == ExecutorSpec::Kind::Running;
    });
    const auto needed = ByteCount::fromBytes(spaceNeededFor(plan));
    if (isOnDisk && !plan.guest.grow && source->diskSize.bytes() < needed.bytes())
        return fail(Error::Kind::DiskFull,
                    Tr::tr("The test files need %1, and the disk of \"%2\" has %3 in all. Let the "
                           "clone's disk grow with --grow, or choose a smaller suite.")
                        .arg(needed.toText(), source->name, source->diskSize.toText()));
    return {};
}

Result<ExecutorSet> ExecutorSet::open(const ExecutorSetup& setup, const JobContext& context) {
    const RunPlan& plan = setup.plan;
    const auto specs = ExecutorSpec::listFrom(plan.executors, !plan.guest.source.isEmpty());
    if (!specs)
        return fail(specs.error());
    Opening opening(setup, context);
    if (auto prepared = opening.prepare(*specs); !prepared)
        return fail(prepared.error());
    ExecutorSet set;
    for (const ExecutorSpec& spec : *specs) {
        auto made = opening.make(spec);
        if (!made)
            return fail(specs->size() > 1 ? withoutIt(made.error(), spec) : made.error());
        set.m_executors.push_back(*std::move(made));
    }
    if (auto enough = checkSpace(plan, set.list()); !enough)
        return fail(enough.error());
    set.m_guest = opening.guest();
    set.m_notes = opening.notes();
    return set;
}

QList<Executor*> ExecutorSet::list() const {
    QList<Executor*> list;
    for (const auto& executor : m_executors)
        list.append(executor.get());
    return list;
}

} // namespace vitrine::bench
