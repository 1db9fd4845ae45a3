// SPDX-License-Identifier: Apache-2.0
#include "vz/host/own_holder.h"

#include "core/disk/real_path.h"
#include "core/job/in_worker.h"
#include "core/snapshot/automatic_snapshot.h"

#include <utility>

namespace vitrine::vz {

namespace {

using Hold = std::shared_ptr<MachineHold>;

Result<Hold>
takeHold(const Library& library, const QString& name, bool discardsState, std::stop_token stop) {
    auto taken = MachineHold::take(library,
                                   name,
                                   discardsState ? MachineHold::SavedState::Discarded
                                                 : MachineHold::SavedState::GoesOn);
    if (!taken)
        return fail(taken.error());
    auto hold = std::make_shared<MachineHold>(std::move(*taken));
    JobContext context;
    context.stop = std::move(stop);
    if (hold->changesWait)
        hold->remarks << hold->applyWaitingChanges(context);
    if (discardsState && hold->machine.state == MachineState::Suspended) {
        const auto kept = keepBeforeRisk(hold->config,
                                         hold->folderPath(),
                                         Tr::tr("Before the saved state was thrown away"),
                                         context);
        if (!kept)
            return fail(withRealPaths(kept.error()));
    }
    return hold;
}

} // namespace

OwnHolder::OwnHolder(const Hypervisor::RunRequest& request, QObject* parent)
    : MachineHolder(parent)
    , m_library(request.library)
    , m_name(request.name)
    , m_discardsState(request.discardState) {}

OwnHolder::~OwnHolder() {
    m_stop.request_stop();
}

void OwnHolder::take(Taken done) {
    inWorker(
        this,
        [library = m_library,
         name = m_name,
         discards = m_discardsState,
         stop = m_stop.get_token()] { return takeHold(library, name, discards, stop); },
        [this, done = std::move(done)](Result<Hold> hold) {
            if (!hold) {
                done(fail(hold.error()));
                return;
            }
            m_hold = std::move(*hold);
            m_machine = m_hold->machine;
            m_runtime = m_hold->runtime;
            m_remarks = m_hold->remarks;
            m_twin = m_hold->twin;
            m_folder = m_hold->folderPath();
            done({});
        });
}

void OwnHolder::release(Released done) {
    inWorker(
        this,
        [hold = m_hold, stop = m_stop.get_token()] {
            JobContext context;
            context.stop = stop;
            return hold->applyWaitingChanges(context);
        },
        [done = std::move(done)](const QStringList& remarks) { done(remarks); });
}

} // namespace vitrine::vz
