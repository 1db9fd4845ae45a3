// SPDX-License-Identifier: Apache-2.0
#include "cli/registry_arguments.h"

#include "cli/command.h"
#include "cli/output.h"
#include "core/image/image_reference.h"
#include "core/registry/registry_settings.h"

namespace vitrine::cli {

Result<QString> registryHost(const std::string& text) {
    const QString host = toQString(text);
    const auto reference = ImageReference::fromText(host + QLatin1String("/image"));
    if (!reference || reference->host() != host)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is not the name of a registry. Give the host alone, such as "
                           "ghcr.io or 127.0.0.1:5000.")
                        .arg(host));
    return host;
}

std::shared_ptr<FetchOptions> addFetchOptions(CLI::App& app) {
    auto options = std::make_shared<FetchOptions>();
    app.add_flag("--insecure", options->insecure, "Talk to the registry over plain http");
    app.add_option("--concurrency", options->concurrency, "Layers fetched at once, 1 to 64")
        ->check(CLI::Range(1, 64).description(""))
        ->type_name("N")
        ->capture_default_str();
    app.add_flag("--deduplicate", options->deduplicate)->group("");
    return options;
}

RegistryOptions registryOptions(const QString& host, const FetchOptions& options) {
    CredentialFinder::Options finder;
    finder.commandLineHost = host;
    finder.notice = [](const QString& line) { note(plain(line)); };
    RegistryOptions registry;
    registry.insecure = options.insecure;
    registry.advice.plainHttp =
        Tr::tr("If you trust the network, give --insecure, or keep that for this registry with "
               "\"vitrinectl registry %1 --insecure\".");
    registry.advice.authority =
        Tr::tr("If you trust that authority, name the file of its certificate with \"vitrinectl "
               "registry %1 --ca FILE\".");
    registry.settingsFile = defaultRegistrySettingsFile();
    registry.credentials = [finder](const QString& asked) {
        return CredentialFinder(finder).find(asked);
    };
    registry.consentToRealm = [](const QString& registryName, const QString& realmHost) {
        note(Tr::tr("The registry \"%1\" sends the login to \"%2\".")
                 .arg(plain(registryName), plain(realmHost)));
        return true;
    };
    return registry;
}

Error asRegistryError(Error error) {
    if (error.kind == Error::Kind::NotFound)
        error.kind = Error::Kind::Network;
    return error;
}

Result<> checkFetchOptions(const FetchOptions& options) {
    if (options.deduplicate)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("--deduplicate is not available in this release. Layers that a cached "
                           "image holds are not fetched again in any case."));
    return {};
}

} // namespace vitrine::cli
