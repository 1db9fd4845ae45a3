// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_command.h"

#include "cli/kernel_session.h"
#include "cli/output.h"
#include "qemu/kernel_run/kernel_targets.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>

namespace vitrine::cli {

namespace {

using namespace qemu;

// As env(1), timeout(1) and containers have it: the command's own codes are below.
constexpr int timedOut = 124;
constexpr int notRun = 125;
constexpr int cancelled = 130;
constexpr int usageError = 64;

struct Options {
    std::string action;
    std::vector<std::string> words;
    std::string kernel;
    std::string root;
    std::string architecture;
    std::string modules;
    std::string busybox;
    std::string arguments;
    std::vector<std::string> mounts;
    std::string config;
    std::vector<std::string> targets;
    std::string report;
    std::string share = "auto";
    std::string accelerator = "auto";
    int memory = KernelRunRequest().memory;
    int cpus = 1;
    int timeout = 0;
    bool writable = false;
    bool console = false;
    bool quiet = false;
    std::shared_ptr<bool> json;
    int failureCode = 0; // of the error that was told; 0: the usual one
};

Error usage(const QString& message) {
    return {Error::Kind::InvalidInput, message, {}};
}

AcceleratorChoice acceleratorOf(const std::string& word) {
    if (word == "kvm")
        return AcceleratorChoice::Kvm;
    return word == "tcg" ? AcceleratorChoice::Tcg : AcceleratorChoice::Automatic;
}

Result<KernelRunRequest> requestOf(const Options& options) {
    KernelRunRequest request;
    if (options.kernel.empty())
        return fail(usage(Tr::tr("Name the kernel with -k, or a list of targets with --config.")));
    if (options.words.size() != 1)
        return fail(usage(Tr::tr("Give the command as one word in quotes, such as 'uname -a', or - "
                                 "for a shell.")));
    request.kernel = toQString(options.kernel);
    if (!options.root.empty())
        request.root = toQString(options.root);
    if (!options.architecture.empty())
        request.architecture =
            options.architecture == "arm64" ? Architecture::Arm64 : Architecture::Amd64;
    request.modules = toQString(options.modules);
    request.busybox = toQString(options.busybox);
    request.arguments = toQString(options.arguments);
    for (const std::string& text : options.mounts) {
        auto mount = KernelMount::fromText(toQString(text), QDir::currentPath());
        if (!mount)
            return fail(mount.error());
        request.mounts.append(*mount);
    }
    request.memory = options.memory;
    request.cpus = options.cpus;
    request.timeoutSeconds = options.timeout;
    request.writable = options.writable;
    request.share = *kernelShareFromText(toQString(options.share));
    request.accelerator = acceleratorOf(options.accelerator);
    request.command = toQString(options.words.front());
    return request;
}

// What exit code an error becomes.
int codeOf(const Error& error) {
    switch (error.kind) {
    case Error::Kind::Cancelled:
        return cancelled;
    case Error::Kind::Timeout:
        return timedOut;
    case Error::Kind::InvalidInput:
        return usageError;
    default:
        return notRun;
    }
}

// How the run ended, for a program that takes the output as it comes. The file may be a pipe.
Result<> writeReport(const QString& path, QJsonObject report) {
    report.remove(QStringLiteral("Output"));
    report.remove(QStringLiteral("Errors"));
    QFile file(path);
    const QByteArray bytes = QJsonDocument(report).toJson(QJsonDocument::Compact) + '\n';
    if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) ||
        file.write(bytes) != bytes.size() || !file.flush())
        return fail(Error::Kind::Internal,
                    Tr::tr("The report \"%1\" cannot be written: %2. Choose another file.")
                        .arg(path, file.errorString()));
    return {};
}

Result<int> runOne(Options& options) {
    const auto request = requestOf(options);
    if (!request) {
        options.failureCode = usageError;
        return fail(request.error());
    }
    const KernelSessionOptions how{!*options.json, options.console, !options.quiet};
    const KernelOutcome outcome = runKernel(*request, how);
    if (!outcome.result)
        options.failureCode = codeOf(outcome.result.error());
    if (*options.json)
        printJson(outcome.toJson(request->kernel));
    if (!options.report.empty()) {
        auto written = writeReport(toQString(options.report), outcome.toJson(request->kernel));
        if (!written && outcome.result) {
            options.failureCode = notRun;
            return fail(written.error());
        }
    }
    return outcome.result;
}

QString stateText(KernelOutcome::State state) {
    switch (state) {
    case KernelOutcome::State::Passed:
        return Tr::tr("pass");
    case KernelOutcome::State::Failed:
        return Tr::tr("fail");
    case KernelOutcome::State::NotRun:
        break;
    }
    return Tr::tr("error");
}

void tellFailure(const QString& name, const KernelOutcome& outcome) {
    printErrorBytes(outcome.output);
    printErrorBytes(outcome.errors);
    note(outcome.result
             ? Tr::tr("%1: the command ended with exit code %2.")
                   .arg(plain(name))
                   .arg(outcome.exitCode)
             : plain(name) + QStringLiteral(": ") + plainText(outcome.result.error().message));
}

Result<QList<KernelRunRequest>> targetsOf(const Options& options) {
    if (!options.kernel.empty() || !options.words.empty())
        return fail(usage(
            Tr::tr("With --config kernels and commands are those of the list. Leave them out.")));
    auto targets = readKernelTargets(toQString(options.config));
    if (!targets || options.targets.empty())
        return targets;
    QList<KernelRunRequest> chosen;
    for (const std::string& word : options.targets) {
        const QString name = toQString(word);
        const auto found = std::find_if(
            targets->cbegin(), targets->cend(), [&](const auto& one) { return one.name == name; });
        if (found == targets->cend())
            return fail(
                Error::Kind::NotFound,
                Tr::tr("\"%1\" has no target \"%2\".").arg(toQString(options.config), name));
        chosen.append(*found);
    }
    return chosen;
}

Result<int> runList(Options& options) {
    const auto targets = targetsOf(options);
    if (!targets) {
        options.failureCode = codeOf(targets.error());
        return fail(targets.error());
    }
    QJsonArray array;
    QList<QStringList> rows;
    bool passed = true;
    for (const KernelRunRequest& request : *targets) {
        if (!options.quiet)
            note(Tr::tr("%1: running").arg(plain(request.name)));
        const KernelOutcome outcome = runKernel(request, {false, options.console, false});
        if (!outcome.result && outcome.result.error().isCancelled()) {
            options.failureCode = cancelled;
            return fail(outcome.result.error());
        }
        passed = passed && outcome.state == KernelOutcome::State::Passed;
        if (outcome.state != KernelOutcome::State::Passed && !*options.json)
            tellFailure(request.name, outcome);
        array.append(outcome.toJson(request.name));
        rows.append({request.name,
                     stateText(outcome.state),
                     outcome.exitCode < 0 ? QStringLiteral("–") : QString::number(outcome.exitCode),
                     QString::number(outcome.seconds, 'f', 2),
                     outcome.method});
    }
    if (*options.json)
        printJson(array);
    else
        print(table({Tr::tr("Target"),
                     Tr::tr("Result"),
                     Tr::tr("Exit"),
                     Tr::tr("Seconds"),
                     Tr::tr("Share")},
                    rows));
    return passed ? 0 : 1;
}

// The targets, without running them.
Result<int> showList(Options& options) {
    if (options.config.empty()) {
        options.failureCode = usageError;
        return fail(usage(Tr::tr("Name the file of the list with --config.")));
    }
    const auto targets = targetsOf(options);
    if (!targets) {
        options.failureCode = codeOf(targets.error());
        return fail(targets.error());
    }
    QJsonArray array;
    QList<QStringList> rows;
    for (const KernelRunRequest& target : *targets) {
        array.append(QJsonObject{{QStringLiteral("Name"), target.name},
                                 {QStringLiteral("Kernel"), target.kernel},
                                 {QStringLiteral("Root"), target.root},
                                 {QStringLiteral("Writable"), target.writable},
                                 {QStringLiteral("Command"), target.command}});
        rows.append({target.name, target.kernel, target.command});
    }
    if (*options.json)
        printJson(array);
    else
        print(table({Tr::tr("Target"), Tr::tr("Kernel"), Tr::tr("Command")}, rows));
    return 0;
}

} // namespace

void addKernelCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    Command command;
    CLI::App* const app = root.add_subcommand(
        "kernel", "Run one command on a kernel of your own, with a folder as its root");
    command.app = app;
    app->add_option("action", options->action, "run, or list: show the targets of --config")
        ->required()
        ->check(CLI::IsMember({"run", "list"}).description(""))
        ->type_name("");
    app->add_option("command",
                    options->words,
                    "A line for the guest's /bin/sh, in quotes; - is a shell on this terminal")
        ->type_name("");
    app->add_option("-k,--kernel", options->kernel, "bzImage, vmlinux with PVH or arm64 Image")
        ->type_name("FILE");
    app->add_option("-r,--rootfs", options->root, "Root file system; this computer's if left out")
        ->type_name("FOLDER");
    app->add_option("-a,--arch", options->architecture, "amd64 or arm64; as the kernel says")
        ->check(CLI::IsMember({"amd64", "arm64"}).description(""))
        ->type_name("ARCH");
    app->add_option("--modules", options->modules, "Instead of /lib/modules/VERSION")
        ->type_name("FOLDER");
    app->add_option("--busybox", options->busybox, "A static busybox for the guest's processor")
        ->type_name("FILE");
    app->add_option("--kernel-args", options->arguments, "Further arguments of the kernel")
        ->type_name("TEXT");
    app->add_option("--mount", options->mounts, "A folder of this computer; again for more")
        ->type_name("HOST:GUEST[:ro]")
        ->take_all();
    app->add_option("--memory", options->memory, "Memory in MiB")
        ->type_name("MIB")
        ->capture_default_str();
    app->add_option("--cpus", options->cpus, "Processors")->type_name("N")->capture_default_str();
    app->add_flag("--rw", options->writable, "The guest changes the root file system itself");
    app->add_option("--timeout", options->timeout, "End it after so many seconds")->type_name("S");
    app->add_option("--share", options->share, "How folders get into the guest")
        ->check(CLI::IsMember({"auto", "virtiofs", "9p"}).description(""))
        ->type_name("virtiofs|9p|auto")
        ->capture_default_str();
    app->add_option("--accelerator", options->accelerator, "kvm or tcg (emulated)")
        ->check(CLI::IsMember({"auto", "kvm", "tcg"}).description(""))
        ->type_name("auto|kvm|tcg")
        ->capture_default_str();
    app->add_flag("--console", options->console, "Show the kernel's messages on standard error");
    app->add_flag("-q,--quiet", options->quiet, "No notes on standard error");
    app->add_option("--config", options->config, "Run the targets of a TOML file")
        ->type_name("FILE");
    app->add_option("--target", options->targets, "Only this one of them; again for more")
        ->type_name("NAME")
        ->take_all();
    app->add_option("--report", options->report, "Write how the run ended as JSON")
        ->type_name("FILE");
    options->json = addFormatOption(*app);
    app->footer(
        "The root file system is read-only for the guest: what it changes is kept in memory and "
        "gone at the end, unless --rw is given. You need not be root; files that you cannot read "
        "stay unreadable. The command starts in this folder if the guest has it, without input "
        "and network. Its output and exit code are handed back; 124 means that the time was over, "
        "125 that it did not run to its end.");
    addProgressOption(command);
    command.run = [options] {
        if (options->action == "list")
            return showList(*options);
        return options->config.empty() ? runOne(*options) : runList(*options);
    };
    command.failureCode = [options](int usual) {
        return options->failureCode != 0 ? options->failureCode : usual;
    };
    command.collectsTemporary = false;
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
