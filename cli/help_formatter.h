// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <string>

namespace vitrine::cli {

// What the usage lines of commands with Command::rest show behind their arguments.
inline constexpr const char* restName = "COMMAND...";           // of exec
inline constexpr const char* optionalRestName = "[COMMAND...]"; // of ssh

// Help texts: wrapped at 80 columns, defaults said in words, options without a description listed
// side by side.
class HelpFormatter final : public CLI::Formatter {
public:
    std::string
    make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

private:
    [[nodiscard]] std::string options(const CLI::App* app, const std::string& group) const;
    [[nodiscard]] std::string usage(const CLI::App* app, const std::string& name) const;
};

// Breaks at blanks; each line but the first begins with `indent` blanks. New lines in `text` stay.
[[nodiscard]] std::string wrapped(const std::string& text, std::size_t indent, std::size_t width);

} // namespace vitrine::cli
