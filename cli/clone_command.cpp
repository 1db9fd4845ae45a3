// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/registry_arguments.h"
#include "cli/work_reporter.h"
#include "core/library/machine_operations.h"
#include "core/registry/image_pull.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string source;
    std::string target;
    unsigned pruneLimit = 100;
    std::shared_ptr<FetchOptions> fetch;
};

// An image that is not in the cache is fetched first; one that is there is taken as it is.
Result<> fetchIfMissing(const Library& library, const Options& options, const JobContext& context) {
    const auto reference = ImageReference::fromText(toQString(options.source));
    if (!reference)
        return {}; // a machine
    const auto cached = library.image(*reference);
    if (cached || cached.error().kind != Error::Kind::NotFound)
        return {};
    const PullRequest request{
        *reference, registryOptions(reference->host(), *options.fetch), options.fetch->concurrency};
    const auto pulled = pullImage(library, request, context);
    if (!pulled)
        return fail(asRegistryError(pulled.error()));
    return {};
}

Result<int> run(const Options& options, ProgressFormat format) {
    if (const auto checked = checkFetchOptions(*options.fetch); !checked)
        return fail(checked.error());
    const auto target = MachineName::forNewMachine(toQString(options.target));
    if (!target)
        return fail(target.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    // Before an hour of fetching, not after it.
    if (library->machine(*target).has_value())
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("A machine named \"%1\" exists already. Choose another name.")
                        .arg(target->text()));
    WorkReporter reporter(format);
    const JobContext context = reporter.context();
    if (const auto fetched = fetchIfMissing(*library, options, context); !fetched)
        return fail(fetched.error());
    if (const auto cloned = cloneMachine(*library, toQString(options.source), *target, context);
        !cloned)
        return fail(cloned.error());
    return 0;
}

} // namespace

void addCloneCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    command.app = root.add_subcommand("clone", "Make a machine from another one or from an image");
    command.app
        ->add_option(
            "source", options->source, "A stopped machine, or an image (fetched if needed)")
        ->required()
        ->type_name("");
    command.app
        ->add_option("new-name", options->target, "Name of the new machine, which must be free")
        ->required()
        ->type_name("");
    options->fetch = addFetchOptions(*command.app);
    command.app
        ->add_option("--prune-limit",
                     options->pruneLimit,
                     "At most this many GB of cached images may be removed to make room. Vitrine "
                     "never removes any by itself, so any number holds")
        ->type_name("GB")
        ->capture_default_str();
    addProgressOption(command);
    command.app->footer("The new machine gets an address (MAC) and an identity of its own.");
    command.collectsTemporary = false;
    command.run = [options, format = command.progress] { return run(*options, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
