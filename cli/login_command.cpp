// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/registry_arguments.h"
#include "cli/terminal.h"
#include "core/credentials/credential_store.h"
#include "core/registry/image_pull.h"

namespace vitrine::cli {

namespace {

struct Options {
    std::string host;
    std::string user;
    bool passwordFromInput = false;
    bool insecure = false;
    bool noValidate = false;
    StoreKind store = StoreKind::SecretService;
};

Result<Credentials> ask(const Options& options) {
    Credentials credentials;
    credentials.source = Tr::tr("the command line");
    if (options.passwordFromInput) {
        credentials.user = toQString(options.user);
        auto password = readPasswordFromInput();
        if (!password)
            return fail(password.error());
        credentials.password = *std::move(password);
    } else {
        auto user = askLine(Tr::tr("User name: "), Echo::Shown);
        if (!user)
            return fail(user.error());
        auto password = askLine(Tr::tr("Password or token: "), Echo::Hidden);
        if (!password)
            return fail(password.error());
        credentials.user = *std::move(user);
        credentials.password = *std::move(password);
    }
    if (credentials.user.isEmpty() || credentials.password.isEmpty())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Both a user name and a password are needed."));
    return credentials;
}

Result<int> run(const Options& options) {
    if (options.user.empty() == options.passwordFromInput)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Give both --username and --password-stdin, or neither of them."));
    const auto host = registryHost(options.host);
    if (!host)
        return fail(host.error());
    const auto credentials = ask(options);
    if (!credentials)
        return fail(credentials.error());
    if (!options.noValidate) {
        FetchOptions fetch;
        fetch.insecure = options.insecure;
        RegistryOptions registry = registryOptions(*host, fetch);
        // Exactly these, whatever is stored.
        registry.credentials = [host = *host, given = *credentials](
                                   const QString& asked) -> Result<std::optional<Credentials>> {
            return asked == host ? std::optional(given) : std::nullopt;
        };
        if (const auto valid = validateLogin(*host, registry); !valid)
            return fail(asRegistryError(valid.error()));
    }
    if (const auto stored =
            storeCredentials(options.store, *host, credentials->user, credentials->password);
        !stored)
        return fail(stored.error());
    if (options.store == StoreKind::File)
        note(Tr::tr("The password is kept unencrypted in \"%1\", which only you can read.")
                 .arg(defaultCredentialFile()));
    return 0;
}

} // namespace

void addLoginCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("login", "Keep the login of a registry");
    app->add_option("host", options->host, "Registry, such as ghcr.io or 127.0.0.1:5000")
        ->required()
        ->type_name("");
    app->add_option("--username", options->user, "User name; needs --password-stdin")
        ->type_name("NAME");
    app->add_flag(
        "--password-stdin", options->passwordFromInput, "Read the password from standard input");
    app->add_option_function<std::string>(
           "--store",
           [options](const std::string& word) {
               options->store = word == "file" ? StoreKind::File : StoreKind::SecretService;
           },
           "Where the password is kept: in the system's secret store, or unencrypted in a file "
           "that only you can read")
        ->check(CLI::IsMember({"secret-service", "file"}).description(""))
        ->type_name("secret-service|file")
        ->default_str("secret-service");
    app->add_flag("--insecure", options->insecure, "Talk to the registry over plain http");
    app->add_flag("--no-validate", options->noValidate, "Do not try the login first");
    app->footer("Logins of \"docker login\" are found too and need no second one.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
