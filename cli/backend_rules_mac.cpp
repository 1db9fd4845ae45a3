// SPDX-License-Identifier: Apache-2.0
#include "cli/backend_rules.h"

namespace vitrine::cli {

// The framework tells its limits when a machine is planned (vz/plan), so the start refuses; options
// that are stored may be meant for another computer.
Result<QString> checkHardwareToStore(const MachineInfo&) {
    return QString();
}

Result<> checkOptionsToStore(const MachineInfo&, const RunOptions&) {
    return {};
}

Result<quint64> takeOwnership(const QString& folder) {
    return fail(Error::Kind::Unsupported,
                Tr::tr("What guests write in \"%1\" belongs to you already: macOS shares folders "
                       "as the user who runs the machine.")
                    .arg(folder));
}

} // namespace vitrine::cli
