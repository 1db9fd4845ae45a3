// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "cli/work_reporter.h"

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

#include <optional>
#include <poll.h>

namespace vitrine::cli {

namespace {

constexpr int saveTime = 24 * 60 * 60 * 1000; // ms; as long as the disk needs
constexpr int endTime = 15000;                // ms, from the state being safe to the end
constexpr int pollInterval = 20;              // ms
constexpr int lookPeriod = 200;               // ms

// The note of the machine's process says how much is written.
Result<> suspend(MachineClient& client, const JobContext& context) {
    std::optional<Result<QJsonValue>> answer;
    QEventLoop loop;
    client.call(
        QStringLiteral("suspend"),
        {},
        [&](const Result<QJsonValue>& given) {
            answer = given;
            loop.quit();
        },
        saveTime);
    QTimer look;
    QObject::connect(&look, &QTimer::timeout, &loop, [&] {
        const MachineStatus& status = client.status();
        if (status.state == MachineState::Suspending) {
            Progress progress;
            progress.step = status.note;
            context.report(progress);
        }
    });
    look.start(lookPeriod);
    loop.exec();
    return *answer ? Result<>() : fail(answer->error());
}

Result<int> run(const std::string& name, ProgressFormat format) {
    const auto library = Library::open();
    if (!library)
        return fail(library.error());
    const auto found = findMachine(*library, name);
    if (found && found->state == MachineState::Suspended) {
        note(Tr::tr("\"%1\" is suspended already.").arg(found->name));
        return 0;
    }
    const auto machine = connectToMachine(*library, name);
    if (!machine)
        return fail(machine.error());
    if (!machine->client->supports(QStringLiteral("suspend")))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" was started by an older version, which cannot suspend it. Shut "
                           "it down instead.")
                        .arg(machine->info.name));
    WorkReporter reporter(format);
    if (const auto suspended = suspend(*machine->client, reporter.context()); !suspended)
        return fail(suspended.error());
    const QDeadlineTimer deadline(endTime);
    while (library->stateOf(machine->info.directory) != MachineState::Suspended &&
           !deadline.hasExpired())
        ::poll(nullptr, 0, pollInterval);
    if (format == ProgressFormat::Text)
        note(Tr::tr("\"%1\" is suspended. \"vitrinectl run %1\" goes on with it.")
                 .arg(machine->info.name));
    return 0;
}

} // namespace

void addSuspendCommand(CLI::App& root, CommandList& commands) {
    auto name = std::make_shared<std::string>();
    Command command;
    command.app = root.add_subcommand("suspend", "Save a running machine's memory and end it");
    command.app->add_option("name", *name, "Name of a running machine")->required()->type_name("");
    addProgressOption(command);
    command.app->footer("The next vitrinectl run goes on where the machine was. If its state "
                        "cannot be saved, it goes on running and the reason is said.");
    command.run = [name, format = command.progress] { return run(*name, *format); };
    commands.push_back(std::move(command));
}

} // namespace vitrine::cli
