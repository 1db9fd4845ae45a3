// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include "cli/bench_command.h"
#include "cli/command.h"
#include "cli/help_formatter.h"
#include "cli/kernel_command.h"
#include "cli/net_command.h"
#include "cli/output.h"
#include "core/job/progress_line.h"

#include <algorithm>
#include <sstream>

namespace vitrine::cli {

namespace {

constexpr int usageError = 64; // EX_USAGE, as Swift's argument parser

void addCommands(CLI::App& root, CommandList& commands) {
    addListCommand(root, commands);
    addGetCommand(root, commands);
    addSetCommand(root, commands);
    addCreateCommand(root, commands);
    addCloneCommand(root, commands);
    addRenameCommand(root, commands);
    addDeleteCommand(root, commands);
    addRunCommand(root, commands);
    addHoldCommand(root, commands);
    addSnapshotCommand(root, commands);
    addSuspendCommand(root, commands);
    addPauseCommands(root, commands);
    addStopCommand(root, commands);
    addIpCommand(root, commands);
    addSshCommand(root, commands);
    addShareCommand(root, commands);
    addExecCommand(root, commands);
    addForwardCommand(root, commands);
    addNetCommand(root, commands);
    addBenchCommand(root, commands);
    addKernelCommand(root, commands);
    addPullCommand(root, commands);
    addLoginCommand(root, commands);
    addLogoutCommand(root, commands);
    addRegistryCommand(root, commands);
    addFqnCommand(root, commands);
}

// Where the first argument is that is neither an option nor an option's value.
std::size_t firstArgument(const CLI::App& app, const std::vector<std::string>& words) {
    std::size_t i = 1; // behind the command's own name
    while (i < words.size()) {
        const std::string& word = words[i];
        if (word == "--")
            return i + 1;
        if (word.size() < 2 || word.front() != '-')
            return i;
        const CLI::Option* const option = app.get_option_no_throw(word);
        i += option && option->get_items_expected_max() > 0 ? 2 : 1;
    }
    return i;
}

// Tart's rule: behind the machine's name everything is the guest's. Who meant an option of ours is
// told; "--" says that it is not meant.
void hintAtOption(const CLI::App& app, const std::string& name, const std::string& word) {
    if (word.size() < 2 || word.front() != '-' || word == "--" ||
        !app.get_option_no_throw(word.substr(0, word.find('='))))
        return;
    note(Tr::tr("\"%1\" is part of the command for the guest. If it is meant for vitrinectl, write "
                "it before \"%2\"; if not, write -- before it.")
             .arg(plain(toQString(word)), plain(toQString(name))));
}

// Words for the parser; those behind a command's first argument go to Command::rest if it has one.
std::vector<std::string> takeRest(std::vector<std::string> words, const CommandList& commands) {
    for (const Command& command : commands) {
        if (!command.rest || words.empty() || command.app->get_name() != words.front())
            continue;
        std::size_t end = std::min(firstArgument(*command.app, words) + 1, words.size());
        std::size_t begin = end;
        if (begin < words.size() && words[begin] == "--")
            ++begin;
        else if (begin < words.size())
            hintAtOption(*command.app, words[begin - 1], words[begin]);
        command.rest->assign(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end());
        words.resize(end);
    }
    return words;
}

// How many letters have to be put in, taken out, replaced or swapped with the next.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
            cost[i][j] =
                std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + other});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

// The option or command that was probably meant; empty when none is near.
std::string nearest(const CLI::App& app, const std::string& word) {
    std::vector<std::string> known;
    if (word.rfind("--", 0) == 0) {
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames())
                known.push_back("--" + name);
        }
    } else {
        for (const CLI::App* command : app.get_subcommands({}))
            known.push_back(command->get_name());
    }
    const std::string typed = word.substr(0, std::min(word.find('='), std::size_t{40}));
    std::string best;
    std::size_t least = 3; // more is another word
    for (const std::string& name : known) {
        const std::size_t far = distance(typed, name);
        if (far < least && far * 2 < name.size()) {
            least = far;
            best = name;
        }
    }
    return best;
}

std::string unexpected(const CLI::App& app) {
    std::string text = "Not expected:";
    const std::vector<std::string> words = app.remaining();
    for (const std::string& word : words)
        text += ' ' + word;
    for (const std::string& word : words) {
        if (const std::string meant = nearest(app, word); !meant.empty())
            return text + "\nDid you mean " + meant + "?";
    }
    return text;
}

// What is wrong with the first word when it is no command of ours; empty when it is one. The parser
// would take "--help" behind it for its own.
std::string wrongCommand(const CLI::App& root, const std::vector<std::string>& words) {
    if (words.empty() || words.front().empty() || words.front().front() == '-')
        return {};
    const std::string& word = words.front();
    const auto known = root.get_subcommands({});
    if (std::any_of(known.begin(), known.end(), [&word](const CLI::App* command) {
            return command->check_name(word);
        }))
        return {};
    for (const char* missing : {"export", "import", "prune", "push"}) {
        if (word == missing)
            return "`" + word + "` is a command of Tart that Vitrine does not have yet.";
    }
    std::string text = "Not expected:";
    for (const std::string& one : words)
        text += ' ' + plain(toQString(one)).toStdString();
    const std::string meant = nearest(root, word);
    return meant.empty() ? text : text + "\nDid you mean " + meant + "?";
}

// An option that nobody knows, which explains what else is missing.
bool hasUnknownOption(const CLI::App& app) {
    const std::vector<std::string> words = app.remaining();
    return std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word.size() > 1 && word.front() == '-' && word != "--";
    });
}

// 0 for --help and --version, 64 for everything else.
int tellParseResult(const CLI::App& root, const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    const int code = root.exit(error, out, err);
    print(toQString(out.str()));
    const QString text = toQString(err.str()).trimmed();
    if (!text.isEmpty())
        note(text);
    return code == 0 ? 0 : usageError;
}

// `code`, or what a failure to write the output makes of it, which is told.
int afterOutput(int code) {
    const auto written = outputState();
    if (written)
        return code;
    note(plain(written.error().message));
    return exitCode(written.error());
}

void tellError(const Error& error, ProgressFormat format) {
    if (format == ProgressFormat::Json) {
        printBytes(progressline::encode(error));
        return;
    }
    note(plain(error.message));
    if (!error.detail.isEmpty() && qEnvironmentVariableIsSet("VITRINE_DEBUG"))
        note(plain(error.detail));
}

int runCommand(const Command& command) {
    if (command.collectsTemporary) {
        // A library that cannot be opened is the command's own error.
        if (const auto library = Library::open())
            (void)library->collectTemporary();
    }
    const auto result = command.run();
    if (!result) {
        tellError(result.error(), *command.progress);
        (void)outputState();
        const int code = exitCode(result.error());
        return command.failureCode ? command.failureCode(code) : code;
    }
    if (*command.progress == ProgressFormat::Json)
        printBytes(progressline::encode(progressline::Finished{}));
    return afterOutput(*result);
}

// An option that may be given several times takes one word each time: what follows is not its own.
void takeOneWordEach(CLI::App& root) {
    for (CLI::App* const command : root.get_subcommands([](const CLI::App*) { return true; }))
        for (CLI::Option* const option : command->get_options())
            if (!option->get_positional() && option->get_allow_extra_args())
                option->expected(1)->allow_extra_args(false)->multi_option_policy(
                    CLI::MultiOptionPolicy::TakeAll);
}

} // namespace

int runProgram(int argc, char** argv) {
    CLI::App root("Keep, run and share virtual machines.\n"
                  "The library is VITRINE_HOME, else TART_HOME, else this user's own.",
                  "vitrinectl");
    root.formatter(std::make_shared<HelpFormatter>());
    root.require_subcommand(0, 1);
    root.option_defaults()->group("Options");
    root.set_help_flag("-h,--help", "Show this help");
    root.set_version_flag("--version", "vitrinectl " VITRINE_VERSION, "Show the version");
    root.footer("Help for one of them: vitrinectl COMMAND --help");
    root.failure_message([](const CLI::App* app, const CLI::Error& error) {
        // The command that was being parsed knows the fitting help.
        const auto given = app->get_subcommands();
        const std::string name = given.empty() ? "" : " " + given.front()->get_name();
        const CLI::App* const parsed = given.empty() ? app : given.front();
        const bool extras =
            error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
            (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) &&
             hasUnknownOption(*parsed));
        const std::string what =
            extras && !parsed->remaining().empty() ? unexpected(*parsed) : error.what();
        return what + "\nSee: vitrinectl" + name + " --help\n";
    });
    CommandList commands;
    addCommands(root, commands);
    takeOneWordEach(root);
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    if (const std::string wrong = wrongCommand(root, words); !wrong.empty()) {
        note(toQString(wrong + "\nSee: vitrinectl --help"));
        return afterOutput(usageError);
    }
    try {
        words = takeRest(std::move(words), commands);
        std::reverse(words.begin(), words.end()); // as the parser wants them
        root.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        return afterOutput(tellParseResult(root, error));
    }
    const auto given = root.get_subcommands();
    if (given.empty()) {
        print(toQString(root.help()));
        return afterOutput(0);
    }
    for (const Command& command : commands) {
        if (command.app == given.front())
            return runCommand(command);
    }
    return usageError;
}

} // namespace vitrine::cli
