// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "vz/plan/hosted_screens.h"

#include <QImage>

namespace vitrine::vz {

// A picture of the system's view as a file. Takes its time; any thread. Unsupported for one in
// which nothing was drawn: black is what a guest may show, transparent is no screen.
[[nodiscard]] Result<ScreenPicture> encodeScreen(const QImage& picture);

} // namespace vitrine::vz
