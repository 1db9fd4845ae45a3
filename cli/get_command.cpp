// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/live_state.h"
#include "cli/output.h"
#include "core/machine/sidecar.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string name;
    std::shared_ptr<bool> json;
};

Result<int> run(const Options& options) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    auto machine = findMachine(*library, options.name);
    if (!machine)
        return fail(machine.error());
    addLiveState(*library, *machine);
    const auto sidecar = Sidecar::read(machine->directory);
    if (!sidecar) // config.json tells its part all the same
        note(plain(sidecar.error().message));
    const Sidecar stored = sidecar.value_or(Sidecar());
    if (*options.json) {
        printJson(getJson(*machine, stored));
        return 0;
    }
    print(getText(*machine, stored));
    if (machine->state == MachineState::Paused)
        note(pausedText(*machine));
    return 0;
}

} // namespace

void addGetCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("get", "Show a machine's configuration");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    options->json = addFormatOption(*app);
    app->footer("Below the table: what vitrinectl set has stored and differs from the defaults, as "
                "it would be typed.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
