// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/view/embedded_surface.h"

#include <QString>

#include <memory>

namespace vitrine::vz {

class HostedScreens;

// The console's surface for a machine of this process, kept in step with what its host tells: it
// may be made before the machine's screen is there, and lets go of it before that goes. `screens`
// is not owned and may go first.
[[nodiscard]] std::unique_ptr<EmbeddedSurface>
makeHostedSurface(HostedScreens* screens, const QString& machine, std::unique_ptr<ViewHost> view);

} // namespace vitrine::vz
