// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"

namespace vitrine::cli {

// `kernel run`: one command on a kernel of the user's, with a folder as its root file system.
void addKernelCommand(CLI::App& root, CommandList& commands);

} // namespace vitrine::cli
