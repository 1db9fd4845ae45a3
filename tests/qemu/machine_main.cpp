// SPDX-License-Identifier: Apache-2.0
// The machine's process and nothing else, for tests: LIBRARY NAME SECONDS runs a machine without
// the command line's parsing. SECONDS: time for the guest to shut down after a signal. A fourth
// argument kills the process at that step of suspending or resuming (qemu/suspend_steps.h).
#include "qemu/machine_process.h"
#include "qemu/suspend_steps.h"

#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"
#include "core/snapshot/snapshot_draft.h"

#include <QCoreApplication>
#include <QTextStream>

#include <csignal>

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    const QStringList words = QCoreApplication::arguments();
    if (words.size() != 4 && words.size() != 5) {
        QTextStream(stderr) << "three or four arguments wanted" << Qt::endl;
        return 64;
    }
    if (words.size() == 5) {
        const auto killAt = [last = words.at(4)](const char* step) {
            if (last == QLatin1String(step)) {
                ::raise(SIGKILL);
            }
        };
        vitrine::qemu::setStepObserver(killAt);
        vitrine::setSnapshotObserver(killAt);
    }
    const auto library = vitrine::Library::open(words.at(1));
    if (!library) {
        return 1;
    }
    vitrine::Hypervisor::RunRequest request{
        *library, words.at(2), {}, words.at(3).toInt(), true, false, true};
    const auto sidecar =
        vitrine::Sidecar::read(library->machinesPath() + QLatin1Char('/') + request.name);
    if (sidecar) {
        request.options = sidecar->run;
    }
    const auto saved =
        vitrine::StateFingerprint::read(library->machinesPath() + QLatin1Char('/') + request.name);
    if (saved) {
        request.options = vitrine::optionsToGoOnWith(*saved, request.options);
    }
    return vitrine::qemu::runMachine(request);
}
