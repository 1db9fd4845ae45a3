// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/registry_arguments.h"
#include "core/credentials/credential_store.h"

namespace vitrine::cli {

namespace {

Result<int> run(const std::string& host) {
    const auto name = registryHost(host);
    if (!name)
        return fail(name.error());
    const auto removed = removeCredentials(*name);
    if (!removed)
        return fail(removed.error());
    if (!*removed)
        note(Tr::tr("There was no login for \"%1\".").arg(*name));
    return 0;
}

} // namespace

void addLogoutCommand(CLI::App& root, CommandList& commands) {
    auto host = std::make_shared<std::string>();
    CLI::App* const app = root.add_subcommand("logout", "Forget the login of a registry");
    app->add_option("host", *host, "Registry, such as ghcr.io or 127.0.0.1:5000")
        ->required()
        ->type_name("");
    app->footer("Logins of Docker stay: use docker logout for them.");
    commands.push_back({app, [host] { return run(*host); }});
}

} // namespace vitrine::cli
