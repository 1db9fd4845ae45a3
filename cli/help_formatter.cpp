// SPDX-License-Identifier: Apache-2.0
#include "cli/help_formatter.h"

#include <sstream>

namespace vitrine::cli {

namespace {

constexpr std::size_t lineWidth = 80;
constexpr std::size_t column = 26; // where descriptions begin

// Characters, not bytes: help texts hold "…".
std::size_t length(const std::string& utf8) {
    std::size_t count = 0;
    for (const char c : utf8) {
        if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)
            ++count;
    }
    return count;
}

std::string row(const std::string& name, const std::string& description) {
    std::string text = "  " + name;
    if (!description.empty()) {
        if (length(text) + 2 > column)
            text += "\n" + std::string(column, ' ');
        else
            text += std::string(column - length(text), ' ');
        text += wrapped(description, column, lineWidth);
    }
    return text + "\n";
}

std::string nameOf(const CLI::Option* option) {
    if (option->get_positional())
        return option->get_name(true, false);
    std::string name;
    for (const std::string& letter : option->get_snames())
        name += "-" + letter + ", ";
    for (const std::string& word : option->get_lnames())
        name += "--" + word + ", ";
    name.resize(name.size() - 2);
    if (option->get_items_expected_max() != 0 && !option->get_type_name().empty())
        name += " " + option->get_type_name();
    return name;
}

std::string descriptionOf(const CLI::Option* option) {
    std::string text = option->get_description();
    if (!text.empty() && !option->get_default_str().empty())
        text += " (default: " + option->get_default_str() + ")";
    return text;
}

} // namespace

std::string wrapped(const std::string& text, std::size_t indent, std::size_t width) {
    std::string result;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
        if (!result.empty())
            result += "\n" + std::string(indent, ' ');
        std::istringstream words(line);
        std::string word;
        std::size_t used = indent;
        bool first = true;
        while (words >> word) {
            const std::size_t size = length(word);
            if (!first && used + 1 + size > width) {
                result += "\n" + std::string(indent, ' ');
                used = indent;
                first = true;
            }
            if (!first) {
                result += ' ';
                ++used;
            }
            result += word;
            used += size;
            first = false;
        }
    }
    return result;
}

std::string HelpFormatter::usage(const CLI::App* app, const std::string& name) const {
    std::string text = "Usage: " + name;
    const auto flags = app->get_options([](const CLI::Option* option) {
        return option->nonpositional() && option->get_lnames() != std::vector<std::string>{"help"};
    });
    if (!flags.empty())
        text += " [OPTIONS]";
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* o) { return o->get_positional(); }))
        text += " " + make_option_usage(option);
    if (app->get_name() == "ssh")
        text += std::string(" ") + optionalRestName;
    if (app->get_name() == "exec")
        text += std::string(" ") + restName;
    if (!app->get_subcommands({}).empty())
        text += " COMMAND";
    return text + "\n";
}

std::string HelpFormatter::options(const CLI::App* app, const std::string& group) const {
    const auto list = app->get_options([&group](const CLI::Option* option) {
        return option->get_group() == group && option->nonpositional();
    });
    std::string described;
    std::string bare;
    for (const CLI::Option* option : list) {
        if (option->get_description().empty())
            bare += (bare.empty() ? "" : ", ") + nameOf(option);
        else
            described += row(nameOf(option), descriptionOf(option));
    }
    if (!bare.empty())
        described += "  " + wrapped(bare, 2, lineWidth) + "\n";
    return described.empty() ? std::string() : "\n" + group + ":\n" + described;
}

std::string
HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode /*mode*/) const {
    // CLI11 gives subcommands their path with the path of the program in front.
    if (const auto slash = name.rfind('/'); slash != std::string::npos)
        name.erase(0, slash + 1);
    if (app->get_parent() && name.find(' ') == std::string::npos)
        name = app->get_parent()->get_name() + " " + app->get_name();
    std::string text = wrapped(app->get_description(), 0, lineWidth) + "\n\n" + usage(app, name);
    const auto positionals = app->get_options([](const CLI::Option* option) {
        return option->get_positional() && !option->get_group().empty();
    });
    if (!positionals.empty()) {
        text += "\nArguments:\n";
        for (const CLI::Option* option : positionals)
            text += row(nameOf(option), descriptionOf(option));
    }
    std::string commands;
    for (const CLI::App* command : app->get_subcommands({})) {
        if (!command->get_group().empty())
            commands += row(command->get_name(), command->get_description());
    }
    if (!commands.empty())
        text += "\nCommands:\n" + commands;
    for (const std::string& group : app->get_groups()) {
        if (!group.empty())
            text += options(app, group);
    }
    if (!app->get_footer().empty())
        text += "\n" + wrapped(app->get_footer(), 0, lineWidth) + "\n";
    return text;
}

} // namespace vitrine::cli
