// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "core/library/machine_operations.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string from;
    std::string to;
};

Result<int> run(const Options& options) {
    const auto from = MachineName::fromText(toQString(options.from));
    const auto to = MachineName::forNewMachine(toQString(options.to));
    if (!from)
        return fail(from.error());
    if (!to)
        return fail(to.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    if (const auto renamed = renameMachine(*library, *from, *to); !renamed)
        return fail(renamed.error());
    return 0;
}

} // namespace

void addRenameCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    command.app = root.add_subcommand("rename", "Rename a stopped machine");
    command.app->add_option("name", options->from, "Its name now")->required()->type_name("");
    command.app->add_option("new-name", options->to, "Its new name, which must be free")
        ->required()
        ->type_name("");
    addProgressOption(command);
    command.run = [options] { return run(*options); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
