// SPDX-License-Identifier: Apache-2.0
#include "vz/host/run_preparation.h"

#include "core/disk/directory_tree.h"
#include "core/disk/file_copy.h"
#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"
#include "vz/plan/disk_plans.h"
#include "vz/plan/running_mac_machines.h"
#include "vz/plan/saved_state.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace vitrine::vz {

namespace {

// Looked for where planDisks() does.
bool wantsCopies(const RunOptions& options) {
    const QString here = QDir::currentPath();
    return std::any_of(
        options.disks.cbegin(), options.disks.cend(), [&here](const ExtraDisk& disk) {
            return disk.kind(here) == ExtraDisk::Kind::CachedImage;
        });
}

bool wantsSoftnet(const MachinePlan& plan) {
    return std::any_of(plan.cards.cbegin(), plan.cards.cend(), [](const NetworkCard& card) {
        return std::holds_alternative<SocketAttachment>(card.attachment);
    });
}

void dropArchives(RunOptions& options) {
    options.shares.removeIf([](const ShareSpec& share) { return share.isArchive(); });
}

Result<> copyDisks(const MachinePlan& plan, const JobContext& context) {
    for (const Disk& disk : plan.disks) {
        if (disk.copyOf.isEmpty())
            continue;
        const auto copied = copyDisk(disk.copyOf, std::get<ImageDisk>(disk.source).path, context);
        if (!copied)
            return fail(copied.error());
    }
    return {};
}

} // namespace

PreparedRun::~PreparedRun() {
    if (m_copies)
        (void)removeTree(m_copies->path);
}

Result<PreparedRun> prepareRun(const Services& services,
                               const Hypervisor::RunRequest& request,
                               const MachineInfo& machine,
                               bool hasWindow,
                               const JobContext& context) {
    PreparedRun run;
    run.machine = machine;
    run.options = request.options;
    if (request.discardState && machine.state == MachineState::Suspended)
        run.machine.state = MachineState::Stopped; // that is what it will be
    const bool goesOn = run.machine.state == MachineState::Suspended;
    if (const auto sidecar = Sidecar::read(machine.directory))
        run.stored = sidecar->run;
    if (goesOn)
        run.stateSize = static_cast<quint64>(
            QFileInfo(machine.directory + QLatin1Char('/') + QLatin1String(vzStateName)).size());
    if (goesOn)
        if (const auto saved = StateFingerprint::read(machine.directory))
            run.options = optionsToGoOnWith(*saved, run.options);

    RunOptions options = run.options;
    QStringList ownFolders;
    if (ShareArchives::isNeeded(options.shares)) {
        const auto missing =
            goesOn ? ShareArchives::Missing::LeftOut : ShareArchives::Missing::Error;
        auto unpacked =
            ShareArchives::unpack(request.library, options.shares, missing, {}, context);
        if (!unpacked)
            return fail(unpacked.error());
        run.archives = std::make_shared<const ShareArchives>(*std::move(unpacked));
        options.shares = run.archives->shares();
        ownFolders = run.archives->folders();
        for (const QString& reason : run.archives->leftOut())
            run.remarks << reason;
        dropArchives(options); // those left out
    }
    QString copyFolder;
    if (wantsCopies(options)) {
        auto place = request.library.makeTemporary();
        if (!place)
            return fail(place.error());
        copyFolder = place->path;
        run.m_copies.emplace(*std::move(place));
    }
    if (context.cancelled())
        return fail(Error::cancelled());

    if (machine.config && machine.config->system == GuestSystem::Darwin)
        if (const auto machines = request.library.machines())
            for (const QString& name : machinesOfSameIdentifier(*machines, machine))
                run.remarks << Tr::tr("\"%1\", which runs, has the same machine identifier as "
                                      "\"%2\": macOS takes the two for one Mac, and what comes of "
                                      "that is not defined. Give one of them another while it is "
                                      "off: vitrinectl set \"%2\" --random-serial")
                                   .arg(name, machine.name);
    run.host = services.probe->read();
    RunIntent intent;
    intent.recovery = request.recovery;
    intent.hasWindow = hasWindow;
    intent.capturesSystemKeys = request.capturesSystemKeys;
    auto planned = PlanBuilder(run.machine, options, run.host)
                       .setIntent(intent)
                       .setLibraries({request.library.home()})
                       .setOwnFolders(ownFolders)
                       .setCopyFolder(copyFolder)
                       .buildOrFail();
    if (!planned)
        return fail(planned.error());
    run.planned = *std::move(planned);
    if (const auto copied = copyDisks(run.planned.plan, context); !copied)
        return fail(copied.error());
    auto devices = openBlockDevices(run.planned.plan);
    if (!devices)
        return fail(devices.error());
    run.devices = *std::move(devices);
    if (wantsSoftnet(run.planned.plan)) {
        auto program = services.findSoftnet();
        if (!program)
            return fail(program.error());
        run.softnet = *std::move(program);
    }
    if (context.cancelled())
        return fail(Error::cancelled());
    Library::touch(machine.directory); // for the order of pruning; nothing depends on it here
    return run;
}

QList<Error>
refusalsOf(const HostCaps& host, const MachineInfo& machine, const RunOptions& options) {
    RunOptions known = options;
    dropArchives(known); // they are fetched by the start
    return PlanBuilder(machine, known, host).setCopyFolder(QStringLiteral("/")).build().errors;
}

Result<> validateRun(const HostCaps& host, const MachineInfo& machine, const RunOptions& options) {
    const QList<Error> errors = refusalsOf(host, machine, options);
    return errors.isEmpty() ? Result<>() : fail(asOne(errors));
}

} // namespace vitrine::vz
