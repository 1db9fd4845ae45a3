// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_command.h"

#include <memory>
#include <string>
#include <vector>

namespace vitrine::cli {

// The words are taken, so that scripts get the reason and not an error of the command line.
void addKernelCommand(CLI::App& root, CommandList& commands) {
    auto words = std::make_shared<std::vector<std::string>>();
    Command command;
    CLI::App* const app = root.add_subcommand(
        "kernel", "Run one command on a kernel of your own (not on this system)");
    command.app = app;
    app->prefix_command();
    app->add_option("words", *words, "Nothing of it is read")->type_name("");
    command.run = [words]() -> Result<int> {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("Kernel runs need QEMU and a Linux computer; this Vitrine was built for "
                           "macOS. Make a Linux machine and start it with a kernel instead, or run "
                           "them inside a Linux guest."));
    };
    command.collectsTemporary = false;
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
