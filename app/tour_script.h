// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/options.h"
#include "app/tour.h"
#include "ui/services.h"

namespace vitrine::ui {
class MainWindow;
}

namespace vitrine::app {

// The way through the program: library, pull, a machine of the image, start, console with its login
// prompt, typing, overview, settings, pause, shut down. Without an image to pull the first machine
// of the library is cloned instead.
void fillTour(Tour& tour,
              ui::MainWindow& window,
              const ui::Services& services,
              const Options& options);

} // namespace vitrine::app
