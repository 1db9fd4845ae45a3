// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace vitrine::cli {

// The whole of vitrinectl but for the application object: parses, runs, prints errors. Exit codes:
// specification 1.11 (0; 2 for "does not exist", "not running", "already running"; 64 for a command
// line that does not parse; 130 after cancelling; 1 otherwise).
[[nodiscard]] int runProgram(int argc, char** argv);

} // namespace vitrine::cli
