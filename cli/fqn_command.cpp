// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"

#include <QFileInfo>

namespace vitrine::cli {

namespace {

Result<int> run(const std::string& name) {
    const auto reference = ImageReference::fromText(toQString(name));
    if (!reference)
        return fail(reference.error());
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto image = library->image(*reference);
    if (!image)
        return fail(image.error());
    if (reference->isByDigest()) {
        printLine(reference->toText());
        return 0;
    }
    const auto target = Library::tagTarget(library->imagePath(*reference));
    const auto digest =
        target ? Sha256::fromText(QFileInfo(*target).fileName()) : std::optional<Sha256>();
    if (!digest)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The tag \"%1\" does not lead to a cached image. Pull it again.")
                        .arg(reference->toText()));
    printLine(ImageReference::withDigest(*reference, *digest).toText());
    return 0;
}

} // namespace

void addFqnCommand(CLI::App& root, CommandList& commands) {
    auto name = std::make_shared<std::string>();
    CLI::App* const app =
        root.add_subcommand("fqn", "Print a cached image's reference with its digest");
    app->group(""); // hidden, as in Tart
    app->add_option("name", *name, "Reference of a cached image")->required()->type_name("");
    commands.push_back({app, [name] { return run(*name); }});
}

} // namespace vitrine::cli
