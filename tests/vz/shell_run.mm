// SPDX-License-Identifier: Apache-2.0
#include "tests/vz/shell_run.h"

namespace vitrine::vz {

void ShellRun::perform(const Action& action) {
    const QString state = QStringLiteral("/tmp/state.vzvmsave");
    done.append(action.kind);
    switch (action.kind) {
    case Action::Kind::Start:
        machine->start(action.recovery, answer(Operation::Start));
        break;
    case Action::Kind::Restore:
        machine->restore(state, answer(Operation::Restore));
        break;
    case Action::Kind::Resume:
        machine->resume(answer(Operation::Resume));
        break;
    case Action::Kind::Pause:
        machine->pause(answer(Operation::Pause));
        break;
    case Action::Kind::Save:
        machine->save(state + QLatin1String(".part"), answer(Operation::Save));
        break;
    case Action::Kind::PublishState:
        perform(lifecycle.statePublished());
        break;
    case Action::Kind::RenewFingerprint:
        perform(lifecycle.fingerprintRenewed());
        break;
    case Action::Kind::MarkStateUsed:
        perform(lifecycle.stateMarkedUsed());
        break;
    case Action::Kind::RequestStop:
        machine->requestStop(answer(Operation::RequestStop));
        break;
    case Action::Kind::Stop:
        machine->stop(answer(Operation::Stop));
        break;
    case Action::Kind::Reattach: {
        const Result<> again =
            machine->setAttachment(action.card, {MacAddress::random(), NatAttachment{}});
        EXPECT_TRUE(again);
        break;
    }
    case Action::Kind::ArmTimer:
        timerArmed = true;
        break;
    case Action::Kind::CancelTimer:
        timerArmed = false;
        break;
    case Action::Kind::Report:
        reports.append(action.error->message);
        break;
    case Action::Kind::Finish:
        finished = action;
        break;
    case Action::Kind::DeleteState:
    case Action::Kind::DeletePartial:
    case Action::Kind::StartNetwork:
    case Action::Kind::StopNetwork:
    case Action::Kind::OpenServices:
    case Action::Kind::TellState:
        break;
    }
}

} // namespace vitrine::vz
