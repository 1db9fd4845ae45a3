// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "core/library/machine_operations.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::vector<std::string> names;
    bool trash = false;
    bool yes = false;
};

// Asks only somebody who can answer: scripts delete without a question, as with Tart.
Result<bool> isWished(const Options& options, ProgressFormat format) {
    if (options.yes || options.trash || format == ProgressFormat::Json ||
        !standardInputIsTerminal() || !standardErrorIsTerminal())
        return true;
    QStringList names;
    for (const std::string& name : options.names)
        names.append(QLatin1Char('"') + plain(toQString(name)) + QLatin1Char('"'));
    return askYesNo(Tr::tr("Delete %1 permanently?").arg(names.join(QLatin1String(", "))));
}

Result<int> run(const Options& options, ProgressFormat format) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    // Nothing is deleted if one of the names is wrong.
    for (const std::string& name : options.names) {
        if (const auto found = library->find(toQString(name)); !found)
            return fail(found.error());
    }
    const auto wished = isWished(options, format);
    if (!wished)
        return fail(wished.error());
    if (!*wished)
        return fail(Error::cancelled());
    const DeleteMode mode = options.trash ? DeleteMode::Trash : DeleteMode::Permanent;
    std::optional<Error> first;
    for (const std::string& name : options.names) {
        const auto deleted = deleteMachine(*library, toQString(name), mode);
        if (deleted)
            continue;
        if (first)
            note(plain(deleted.error().message));
        else
            first = deleted.error();
    }
    if (first)
        return fail(*std::move(first));
    return 0;
}

} // namespace

void addDeleteCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    command.app = root.add_subcommand("delete", "Delete machines or cached images");
    command.app->add_option("name", options->names, "Machines or images")
        ->required()
        ->type_name("");
    command.app->add_flag("--trash",
                          options->trash,
                          "Move machines to the Trash instead of deleting them permanently");
    command.app->add_flag("-y,--yes", options->yes, "Do not ask (only a terminal is asked)");
    addProgressOption(command);
    command.run = [options, format = command.progress] { return run(*options, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
