// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/registry_arguments.h"
#include "core/registry/registry_settings.h"

#include <QDir>
#include <QJsonArray>

#include <optional>

namespace vitrine::cli {

namespace {

struct Options {
    std::string host;
    std::optional<bool> insecure;
    std::optional<std::string> caFile;
    std::optional<std::string> proxy;
    bool forget = false;
    std::shared_ptr<bool> json;

    [[nodiscard]] bool changes() const { return insecure || caFile || proxy; }
};

QJsonObject toJson(const QString& host, const RegistrySettings& settings) {
    return {{QStringLiteral("Host"), host},
            {QStringLiteral("Insecure"), settings.insecure},
            {QStringLiteral("CA"), settings.caFile},
            {QStringLiteral("Proxy"), settings.proxy}};
}

Result<int> list(const RegistrySettingsFile& file, bool asJson) {
    const auto all = file.all();
    if (!all)
        return fail(all.error());
    QJsonArray array;
    QList<QStringList> rows;
    for (const auto& [host, settings] : *all) {
        array.append(toJson(host, settings));
        rows.append({host,
                     settings.insecure ? QStringLiteral("http") : QStringLiteral("https"),
                     settings.caFile.isEmpty() ? QStringLiteral("-") : settings.caFile,
                     settings.proxy.isEmpty() ? QStringLiteral("-") : settings.proxy});
    }
    if (asJson)
        printJson(array);
    else
        print(table({QStringLiteral("Host"),
                     QStringLiteral("Scheme"),
                     QStringLiteral("CA"),
                     QStringLiteral("Proxy")},
                    rows));
    return 0;
}

Result<int> run(const Options& options) {
    const RegistrySettingsFile file(defaultRegistrySettingsFile());
    if (options.host.empty()) {
        if (options.changes() || options.forget)
            return fail(Error::Kind::InvalidInput, Tr::tr("Name the registry to change."));
        return list(file, *options.json);
    }
    const auto host = registryHost(options.host);
    if (!host)
        return fail(host.error());
    if (options.forget) {
        if (options.changes())
            return fail(Error::Kind::InvalidInput, Tr::tr("--forget stands alone."));
        const auto removed = file.remove(*host);
        if (!removed)
            return fail(removed.error());
        if (!*removed)
            note(Tr::tr("Nothing was set for \"%1\".").arg(*host));
        return 0;
    }
    auto settings = file.find(*host);
    if (!settings)
        return fail(settings.error());
    if (options.changes()) {
        if (options.insecure)
            settings->insecure = *options.insecure;
        if (options.caFile)
            settings->caFile = options.caFile->empty()
                                   ? QString()
                                   : QDir::current().absoluteFilePath(toQString(*options.caFile));
        if (options.proxy)
            settings->proxy = toQString(*options.proxy);
        if (const auto stored = file.store(*host, *settings); !stored)
            return fail(stored.error());
        return 0;
    }
    if (*options.json) {
        printJson(toJson(*host, *settings));
        return 0;
    }
    const QString found =
        settings->caFile.isEmpty() ? containerCertificate(*host) : settings->caFile;
    printLine(Tr::tr("Scheme: %1")
                  .arg(settings->insecure ? QStringLiteral("http") : QStringLiteral("https")));
    printLine(Tr::tr("Certificates: %1")
                  .arg(found.isEmpty() ? Tr::tr("those of the system") : plain(found)));
    printLine(Tr::tr("Proxy: %1")
                  .arg(settings->proxy.isEmpty() ? Tr::tr("that of the system")
                                                 : plain(settings->proxy)));
    return 0;
}

} // namespace

void addRegistryCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("registry", "Show or set how to talk to a registry");
    app->add_option(
           "host", options->host, "Registry; without one all that have settings are listed")
        ->type_name("");
    app->add_flag_function(
        "--insecure,!--no-insecure",
        [options](std::int64_t count) { options->insecure = count > 0; },
        "Always talk to it over plain http, or no longer");
    app->add_option_function<std::string>(
           "--ca",
           [options](const std::string& path) { options->caFile = path; },
           "PEM file that is trusted besides the system's certificates; \"\" takes it back")
        ->type_name("FILE");
    app->add_option_function<std::string>(
           "--proxy",
           [options](const std::string& text) { options->proxy = text; },
           "http://HOST:PORT, socks5://HOST:PORT or none; \"\" for the system's")
        ->type_name("PROXY");
    app->add_flag("--forget", options->forget, "Take back all that was set for it");
    options->json = addFormatOption(*app);
    app->footer("Certificates that Docker or Podman keep in certs.d are used without being set.");
    commands.push_back({app, [options] { return run(*options); }});
}

} // namespace vitrine::cli
