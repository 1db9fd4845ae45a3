// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/live_state.h"
#include "cli/output.h"
#include "core/library/unnamed_folders.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string source;
    bool quiet = false;
    std::shared_ptr<bool> json;
};

void noteUnnamed(const Library& library) {
    for (const QString& name : unnamedFolders(library))
        note(Tr::tr("The folder \"%1\" in \"%2\" is left out, because its name is not valid UTF-8. "
                    "Rename it.")
                 .arg(name, plain(library.machinesPath())));
}

Result<int> run(const Options& options) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    QList<MachineInfo> all;
    if (options.source != "oci") {
        const auto machines = library->machines();
        if (!machines)
            return fail(machines.error());
        all += *machines;
    }
    if (options.source != "local") {
        const auto images = library->images();
        if (!images)
            return fail(images.error());
        all += *images;
    }
    if (options.quiet) {
        for (const MachineInfo& info : std::as_const(all))
            printLine(plain(info.name));
        return 0;
    }
    addLiveStates(*library, all);
    if (options.source != "oci")
        noteUnnamed(*library);
    if (*options.json) {
        printJson(listJson(all));
        return 0;
    }
    print(listText(all,
                   QDateTime::currentDateTime(),
                   standardOutputIsTerminal() ? SizeStyle::Fitting : SizeStyle::WholeGB));
    for (const MachineInfo& info : std::as_const(all)) {
        if (info.state == MachineState::Broken)
            note(Tr::tr("\"%1\" is broken: %2").arg(plain(info.name), plain(info.brokenReason)));
        else if (info.state == MachineState::Paused)
            note(pausedText(info));
    }
    return 0;
}

} // namespace

void addListCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("list", "List machines and cached images");
    app->add_option("--source", options->source, "Only local machines, or only cached images (oci)")
        ->check(CLI::IsMember({"local", "oci"}).description(""))
        ->type_name("local|oci");
    options->json = addFormatOption(*app);
    app->add_flag("-q,--quiet", options->quiet, "Only the names");
    app->footer("Broken machines are listed too; why they are broken, or paused, goes to standard "
                "error. Disk and Size are whole GB, as in JSON, unless they go to a terminal.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
