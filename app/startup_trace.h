// SPDX-License-Identifier: Apache-2.0
#pragma once

class QWidget;

namespace vitrine::app {

// With VITRINE_TRACE_STARTUP=1: prints "vitrine: first paint at SECONDS" (CLOCK_MONOTONIC) on
// standard error when `window` has been painted for the first time. Nothing otherwise.
void traceStartup(QWidget* window);

} // namespace vitrine::app
