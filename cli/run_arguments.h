// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <CLI/App.hpp>

#include <optional>
#include <string>
#include <vector>

namespace vitrine::cli {

// What a machine is run with, as typed for `run` (this run only) or `set` (stored). Options that
// were not typed are empty.
struct RunArguments {
    std::vector<std::string> disks;
    std::optional<std::string> rootDiskOptions;
    std::vector<std::string> forwards;
    std::vector<std::string> shares;
    std::string kernel;
    std::string initrd;
    std::optional<std::string> kernelCommandLine;
    std::string accelerator;
    // Network, specification 5.4: at most one kind.
    bool nat = false;
    bool hostOnly = false;
    bool softnet = false;
    std::vector<std::string> bridged;
    std::optional<std::string> softnetAllow;
    std::optional<std::string> softnetBlock;
    std::optional<std::string> softnetExpose;
    std::optional<std::string> bootOrder;
    std::optional<bool> serial;
    std::string serialPath;
    std::optional<bool> vnc;
    bool vncOfFramework = false; // --vnc-experimental
    std::optional<bool> nested;
    std::optional<bool> audio;
    std::optional<bool> clipboard;
    std::optional<bool> pointer;
    std::optional<bool> keyboard;

    [[nodiscard]] bool isEmpty() const;
    // Anything but port forwards and shares: a suspended machine cannot go on with that.
    [[nodiscard]] bool changesGuest() const;
};

// `diskOption` is "--disk" for `run`; `set` has that name for something else.
void addRunArguments(CLI::App& app, RunArguments& arguments, const std::string& diskOption);

// Contract 2, "Stored against given options": each typed option replaces the stored ones of its
// kind. Relative paths of disks and shares count from `workingDirectory`; those of a kernel too if
// the file is there, otherwise from the machine's directory.
[[nodiscard]] Result<RunOptions>
merge(RunOptions stored, const RunArguments& typed, const QString& workingDirectory);

// Of what merge() gave only what was typed, and what belongs to it; the rest as by default.
[[nodiscard]] RunOptions typedPart(RunOptions merged, const RunArguments& typed);

// Sentences about disks of which a power cut of this computer can take more than the last seconds,
// and about reservedPortNotes().
[[nodiscard]] QStringList riskNotes(const RunOptions& options);

// The first port of this computer that an ordinary user may open.
[[nodiscard]] int firstOpenPort();
// A sentence for each port below that is forwarded or exposed: such a one is stored, as another
// computer may open it, and the machine runs without it.
[[nodiscard]] QStringList reservedPortNotes(const QList<PortForward>& forwards,
                                            const QString& exposeList,
                                            int firstOpen = firstOpenPort());

} // namespace vitrine::cli
