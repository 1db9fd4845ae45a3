// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "cli/ssh_arguments.h"
#include "core/credentials/credential_store.h"

#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include <cerrno>
#include <unistd.h>

namespace vitrine::cli {

namespace {

struct Options {
    std::string name;
    std::string user = "admin";
    std::string identity;
    int wait = 0; // s
    std::shared_ptr<std::vector<std::string>> command =
        std::make_shared<std::vector<std::string>>();
};

// Becomes ssh; returns only when that fails.
Error become(const QString& program, const QStringList& arguments, const QString& directory) {
    if (::chdir(QFile::encodeName(directory).constData()) != 0)
        return Error::fromErrno(Tr::tr("Cannot enter \"%1\".").arg(directory), errno);
    std::vector<QByteArray> words{QFile::encodeName(program)};
    for (const QString& argument : arguments)
        words.push_back(argument.toLocal8Bit());
    std::vector<QByteArray> variables;
    const QStringList environment =
        withoutSecrets(QProcessEnvironment::systemEnvironment()).toStringList();
    for (const QString& variable : environment)
        variables.push_back(variable.toLocal8Bit());
    std::vector<char*> argv;
    for (QByteArray& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    std::vector<char*> envp;
    for (QByteArray& variable : variables)
        envp.push_back(variable.data());
    envp.push_back(nullptr);
    ::execve(words.front().constData(), argv.data(), envp.data());
    return Error::fromErrno(Tr::tr("Cannot start \"%1\".").arg(program), errno);
}

Result<int> run(const Options& options) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const QString program = QStandardPaths::findExecutable(QStringLiteral("ssh"));
    if (program.isEmpty())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The program ssh is not in PATH. Install it (Debian: openssh-client)."));
    SshTarget target;
    QString directory;
    {
        const auto machine = connectToMachine(*library, options.name);
        if (!machine)
            return fail(machine.error());
        const bool reachable = waitForStatus(
            *machine->client, options.wait, [](const MachineStatus& s) { return s.sshPort != 0; });
        if (!reachable)
            return fail(Error::Kind::Timeout,
                        Tr::tr("\"%1\" has no port for ssh yet. It may still be starting: wait for "
                               "it with --wait.")
                            .arg(machine->info.name));
        target.port = machine->client->status().sshPort;
        directory = machine->info.directory;
    }
    target.user = toQString(options.user);
    if (!options.identity.empty())
        target.identityFile = QFileInfo(toQString(options.identity)).absoluteFilePath();
    for (const std::string& word : *options.command)
        target.command.append(toQString(word));
    const auto arguments = sshArguments(target);
    if (!arguments)
        return fail(arguments.error());
    return fail(become(program, *arguments, directory));
}

} // namespace

void addSshCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app =
        root.add_subcommand("ssh", "Log in to a running machine, or run a command in it");
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_option("-l,--user", options->user, "User in the guest")
        ->type_name("NAME")
        ->capture_default_str();
    app->add_option("-i,--identity", options->identity, "Private key to log in with")
        ->type_name("FILE");
    app->add_option("--wait", options->wait, "Seconds to wait until the machine can be reached")
        ->check(CLI::Range(0, 86400).description(""))
        ->type_name("SECONDS")
        ->capture_default_str();
    app->footer("The exit code is the command's. Host keys are kept in the machine's own folder.");
    commands.push_back(
        {.app = app, .run = [options] { return run(*options); }, .rest = options->command});
}

} // namespace vitrine::cli
