// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/output.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string source;
    bool quiet = false;
    std::shared_ptr<bool> json;
};

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
    if (*options.json) {
        printJson(listJson(all));
        return 0;
    }
    print(listText(all, QDateTime::currentDateTime()));
    for (const MachineInfo& info : std::as_const(all)) {
        if (info.state == MachineState::Broken)
            note(Tr::tr("\"%1\" is broken: %2").arg(plain(info.name), plain(info.brokenReason)));
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
    app->footer("Broken machines are listed too; why they are broken goes to standard error.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
