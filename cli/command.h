// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/result/result.h"

#include <CLI/App.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace vitrine::cli {

enum class ProgressFormat { Text, Json };

// One subcommand. Its options were added to the parser; `run` is called when it was the one given.
struct Command {
    // Its exit code, or the error that main prints and turns into one.
    using Run = std::function<Result<int>()>;

    CLI::App* app = nullptr; // owned by the root
    Run run;
    // How work and its error are told; shared with the option --progress.
    std::shared_ptr<ProgressFormat> progress = std::make_shared<ProgressFormat>();
    // For a command whose words behind its first argument belong to somebody else, options too:
    // they are put here before the line is parsed, without a "--" in front.
    std::shared_ptr<std::vector<std::string>> rest = {};
    // A failure's exit code instead of the usual one, for a command whose own answer is that code.
    std::function<int(int)> failureCode = {};
    // Specification 1.6: every command but pull and clone first collects tmp/.
    bool collectsTemporary = true;
};
using CommandList = std::vector<Command>;

void addListCommand(CLI::App& root, CommandList& commands);
void addGetCommand(CLI::App& root, CommandList& commands);
void addSetCommand(CLI::App& root, CommandList& commands);
void addCreateCommand(CLI::App& root, CommandList& commands);
void addCloneCommand(CLI::App& root, CommandList& commands);
void addRenameCommand(CLI::App& root, CommandList& commands);
void addDeleteCommand(CLI::App& root, CommandList& commands);
void addPullCommand(CLI::App& root, CommandList& commands);
void addLoginCommand(CLI::App& root, CommandList& commands);
void addLogoutCommand(CLI::App& root, CommandList& commands);
void addRegistryCommand(CLI::App& root, CommandList& commands);
void addHoldCommand(CLI::App& root, CommandList& commands);
void addRunCommand(CLI::App& root, CommandList& commands);
void addSuspendCommand(CLI::App& root, CommandList& commands);
void addPauseCommands(CLI::App& root, CommandList& commands); // pause and resume
void addSnapshotCommand(CLI::App& root, CommandList& commands);
void addStopCommand(CLI::App& root, CommandList& commands);
void addIpCommand(CLI::App& root, CommandList& commands);
void addSshCommand(CLI::App& root, CommandList& commands);
void addShareCommand(CLI::App& root, CommandList& commands);
void addExecCommand(CLI::App& root, CommandList& commands);
void addForwardCommand(CLI::App& root, CommandList& commands);
void addFqnCommand(CLI::App& root, CommandList& commands);

// Words of the command line are UTF-8 (Qt switches a "C" locale to it).
[[nodiscard]] inline QString toQString(const std::string& text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// The hidden option --progress text|json.
void addProgressOption(Command& command);
// --format text|json; returns where the choice is kept.
[[nodiscard]] std::shared_ptr<bool> addFormatOption(CLI::App& app);

// A machine that exists and can be read: NotFound (exit code 2) or, for a broken one, Integrity
// with the reason.
[[nodiscard]] Result<MachineInfo> findMachine(const Library& library, const std::string& name);

} // namespace vitrine::cli
