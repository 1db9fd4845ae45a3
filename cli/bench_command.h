// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"

namespace vitrine::cli {

// `vitrinectl bench`: measured and published figures, shown, compared, imported and exported.
void addBenchCommand(CLI::App& root, CommandList& commands);

} // namespace vitrine::cli
