// SPDX-License-Identifier: Apache-2.0
#include "cli/backend.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/work_reporter.h"
#include "core/hypervisor/creation_request.h"
#include "core/hypervisor/hypervisor.h"

#include <QDir>

namespace vitrine::cli {

namespace {

struct Options {
    std::string name;
    bool isLinux = false;
    std::string restoreImage;
    std::string digest;
    std::optional<unsigned> diskSize; // GB
    std::string diskFormat = "raw";
    std::string disc;
    std::string diskImage;
    std::string architecture;
    std::optional<int> cpus;
    std::optional<quint64> memory; // MiB
    std::string caFile;
};

tl::unexpected<Error> invalid(const QString& sentence) {
    return fail(Error::Kind::InvalidInput, sentence);
}

QString fromHere(const std::string& path) {
    return path.empty() ? QString()
                        : QDir::cleanPath(QDir::current().absoluteFilePath(toQString(path)));
}

// An unset variable of a script must not make another machine than what was meant.
std::string checkNotEmpty(const std::string& text) {
    return text.empty() ? "The value is empty" : "";
}

// Options that belong to the other kind of machine, and what is missing.
Result<> checkTogether(const Options& options) {
    if (options.isLinux != options.restoreImage.empty())
        return invalid(
            options.isLinux
                ? Tr::tr("--linux and --from-ipsw exclude each other. Give one of them.")
                : Tr::tr("What is to be made? Give --linux, or --from-ipsw with a restore image of "
                         "macOS."));
    if (options.isLinux && !options.digest.empty())
        return invalid(Tr::tr("--sha256 is the digest of a restore image. Give it with "
                              "--from-ipsw."));
    if (!options.isLinux)
        for (const auto& [given, option] : {std::pair{!options.disc.empty(), "--iso"},
                                            std::pair{!options.diskImage.empty(), "--from-image"},
                                            std::pair{!options.architecture.empty(), "--arch"}})
            if (given)
                return invalid(Tr::tr("%1 is for Linux machines. Leave it away, or give --linux "
                                      "instead of --from-ipsw.")
                                   .arg(QLatin1String(option)));
    if (!options.disc.empty() && !options.diskImage.empty())
        return invalid(Tr::tr("--iso installs on an empty disk and --from-image brings a disk that "
                              "has something on it. Give one of them."));
    if (options.diskFormat != "raw")
        return fail(Error::Kind::Unsupported,
                    Tr::tr("Vitrine makes raw disks only. Leave --disk-format away."));
    return {};
}

NewLinuxMachine linuxMachine(const Options& options) {
    NewLinuxMachine machine;
    if (!options.architecture.empty())
        machine.architecture =
            options.architecture == "arm64" ? Architecture::Arm64 : Architecture::Amd64;
    machine.cpuCount = options.cpus.value_or(machine.cpuCount);
    if (options.memory)
        machine.memory = ByteCount::fromMiB(*options.memory);
    if (options.diskSize)
        machine.diskSize = ByteCount::fromGB(*options.diskSize);
    machine.diskImage = fromHere(options.diskImage);
    machine.installationDisc = fromHere(options.disc);
    return machine;
}

Result<NewMacMachine> macMachine(const Options& options) {
    NewMacMachine machine;
    machine.restoreImage = toQString(options.restoreImage);
    if (machine.restoreImage != QLatin1String("latest") &&
        !machine.restoreImage.contains(QLatin1String("://")))
        machine.restoreImage = fromHere(options.restoreImage);
    if (!options.digest.empty()) {
        const QString text = toQString(options.digest).trimmed().toLower();
        const QString prefix = QStringLiteral("sha256:");
        machine.digest = Sha256::fromHex(text.startsWith(prefix) ? text.mid(prefix.size()) : text);
        if (!machine.digest)
            return invalid(Tr::tr("\"%1\" is no SHA-256 digest. Write its 64 hex digits.")
                               .arg(toQString(options.digest)));
    }
    if (options.diskSize)
        machine.diskSize = ByteCount::fromGB(*options.diskSize);
    machine.cpuCount = options.cpus;
    if (options.memory)
        machine.memory = ByteCount::fromMiB(*options.memory);
    machine.caFile = fromHere(options.caFile);
    return machine;
}

Result<int> run(const Options& options, ProgressFormat format) {
    if (const auto checked = checkTogether(options); !checked)
        return fail(checked.error());
    const auto name = MachineName::forNewMachine(toQString(options.name));
    if (!name)
        return fail(name.error());
    std::variant<NewLinuxMachine, NewMacMachine> machine = linuxMachine(options);
    if (!options.isLinux) {
        const auto mac = macMachine(options);
        if (!mac)
            return fail(mac.error());
        machine = *mac;
    }
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    // Before an hour of fetching, not after it.
    if (library->machine(*name).has_value())
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("A machine named \"%1\" exists already. Choose another name.")
                        .arg(name->text()));
    WorkReporter reporter(format);
    const auto made =
        makeHypervisor()->createMachine({*library, *name, std::move(machine)}, reporter.context());
    if (!made)
        return fail(made.error());
    return 0;
}

} // namespace

void addCreateCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app = root.add_subcommand("create", "Make a new machine");
    command.app = app;
    app->add_option("name", options->name, "Name of the new machine, which must be free")
        ->required()
        ->type_name("");
    app->add_flag("--linux", options->isLinux, "A Linux machine");
    app->add_option("--from-ipsw",
                    options->restoreImage,
                    "A macOS machine, installed from a restore image: the latest one for this Mac, "
                    "an https address, or a file. Only on a Mac with Apple silicon")
        ->check(CLI::Validator(checkNotEmpty, ""))
        ->type_name("latest|URL|FILE");
    app->add_option("--sha256",
                    options->digest,
                    "Digest that the restore image must have; one of it in the cache is taken "
                    "without a question to the network")
        ->check(CLI::Validator(checkNotEmpty, ""))
        ->type_name("DIGEST");
    app->add_option("--ca-file",
                    options->caFile,
                    "Further certificates to trust when the restore image is fetched (PEM)")
        ->check(CLI::Validator(checkNotEmpty, ""))
        ->type_name("FILE");
    app->add_option_function<unsigned>(
           "--disk-size",
           [options](const unsigned& n) { options->diskSize = n; },
           "Size of the disk in GB (10^9 bytes): 50 if not given, or that of --from-image. Only "
           "what is written takes room")
        ->check(CLI::Range(1U, 65535U).description(""))
        ->type_name("GB");
    app->add_option("--disk-format", options->diskFormat, "Format of the disk: raw")
        ->check(CLI::IsMember({"raw", "asif"}).description(""))
        ->type_name("raw");
    app->add_option("--iso",
                    options->disc,
                    "Installation disc of a Linux machine. It stays a read-only disk of the "
                    "machine, which starts from it until something is on its own disk; the "
                    "window's settings take it out")
        ->check(CLI::Validator(checkNotEmpty, ""))
        ->type_name("FILE");
    app->add_option("--from-image",
                    options->diskImage,
                    "Raw disk image whose copy becomes the disk of a Linux machine; grows to "
                    "--disk-size")
        ->check(CLI::Validator(checkNotEmpty, ""))
        ->type_name("FILE");
    app->add_option("--arch",
                    options->architecture,
                    "Processor of a Linux machine: arm64 or amd64, that of this computer if not "
                    "given")
        ->check(CLI::IsMember({"arm64", "amd64"}).description(""))
        ->type_name("ARCH");
    app->add_option_function<int>(
           "--cpu",
           [options](const int& n) { options->cpus = n; },
           "Number of processors: 4 if not given")
        ->check(CLI::Range(1, 255).description(""))
        ->type_name("N");
    app->add_option_function<quint64>(
           "--memory",
           [options](const quint64& n) { options->memory = n; },
           "Memory in MB (2^20 bytes): 4096 if not given, or what macOS asks for")
        ->check(CLI::Range(quint64{64}, quint64{16} << 20).description(""))
        ->type_name("MB");
    addProgressOption(command);
    app->footer("A download that was cut off goes on where it stopped when the command is given "
                "again; an installation that was cut off leaves no machine.");
    command.run = [options, format = command.progress] { return run(*options, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
