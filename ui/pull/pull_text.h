// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/image_pull.h"

#include <QString>

namespace vitrine::ui {

// What the Pull dialogue says, in whole sentences where it is one.

// "94 layers · disk of 161 MB · made on Tuesday, 12 May 2026"; the day is the manifest's own.
[[nodiscard]] QString foundText(const PullPlan& plan);
[[nodiscard]] QString notFoundText(const Error& error); // in a few words
[[nodiscard]] QString fetchNote(const PullPlan& plan);

} // namespace vitrine::ui
