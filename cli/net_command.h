// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"

namespace vitrine::cli {

// `vitrinectl net`: rules, ports and log of a machine's firewall.
void addNetCommand(CLI::App& root, CommandList& commands);

} // namespace vitrine::cli
