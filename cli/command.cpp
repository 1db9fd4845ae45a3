// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"

#include "core/image/image_reference.h"

namespace vitrine::cli {

void addProgressOption(Command& command) {
    command.app
        ->add_option_function<std::string>(
            "--progress",
            [format = command.progress](const std::string& word) {
                *format = word == "json" ? ProgressFormat::Json : ProgressFormat::Text;
            },
            "How progress is told")
        ->check(CLI::IsMember({"text", "json"}))
        ->group(""); // hidden: for programs, see core/job/progress_line.h
}

std::shared_ptr<bool> addFormatOption(CLI::App& app) {
    auto json = std::make_shared<bool>(false);
    app.add_option_function<std::string>(
           "--format",
           [json](const std::string& word) { *json = word == "json"; },
           "Output for people or for programs")
        ->check(CLI::IsMember({"text", "json"}).description(""))
        ->type_name("text|json")
        ->default_str("text");
    return json;
}

Result<MachineInfo> findMachine(const Library& library, const std::string& name) {
    const auto machineName = MachineName::fromText(toQString(name));
    if (!machineName && ImageReference::isReference(toQString(name)))
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is an image, not a machine. Make a machine of it first: "
                           "vitrinectl clone %1 NEW-NAME")
                        .arg(toQString(name)));
    if (!machineName)
        return fail(machineName.error());
    auto machine = library.machine(*machineName);
    if (!machine)
        return machine;
    if (machine->state == MachineState::Broken || !machine->config)
        return fail(
            Error::Kind::Integrity,
            Tr::tr("The machine \"%1\" is broken. %2").arg(machine->name, machine->brokenReason));
    (void)Library::touch(machine->directory); // specification 1.5; a hint for pruning only
    return machine;
}

} // namespace vitrine::cli
