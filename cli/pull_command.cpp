// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/registry_arguments.h"
#include "cli/work_reporter.h"
#include "core/registry/image_pull.h"

namespace vitrine::cli {

namespace {

Result<int> run(const std::string& name, const FetchOptions& options, ProgressFormat format) {
    const QString text = toQString(name);
    if (const auto checked = checkFetchOptions(options); !checked)
        return fail(checked.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    // A machine's name needs no network (specification 3.10, step 1).
    if (const auto machine = MachineName::fromText(text);
        machine && library->machine(*machine).has_value()) {
        note(Tr::tr("\"%1\" is a machine of this library; there is nothing to pull.").arg(text));
        return 0;
    }
    const auto reference = ImageReference::fromText(text);
    if (!reference)
        return fail(reference.error());
    WorkReporter reporter(format);
    if (format == ProgressFormat::Text)
        note(Tr::tr("Pulling %1").arg(reference->toText()));
    const PullRequest request{
        *reference, registryOptions(reference->host(), options), options.concurrency};
    const auto pulled = pullImage(*library, request, reporter.context());
    if (!pulled)
        return fail(asRegistryError(pulled.error()));
    if (format == ProgressFormat::Text && pulled->wasAlreadyHere)
        note(Tr::tr("The image is here already."));
    return 0;
}

} // namespace

void addPullCommand(CLI::App& root, CommandList& commands) {
    auto name = std::make_shared<std::string>();
    Command command;
    command.app = root.add_subcommand("pull", "Fetch an image from a registry into the cache");
    command.app->add_option("remote", *name, "Image, such as ghcr.io/user/image:latest")
        ->required()
        ->type_name("");
    const auto options = addFetchOptions(*command.app);
    addProgressOption(command);
    command.app->footer("A pull that was cut off goes on where it stopped when it is given again.");
    command.collectsTemporary = false;
    command.run = [name, options, format = command.progress] {
        return run(*name, *options, *format);
    };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
