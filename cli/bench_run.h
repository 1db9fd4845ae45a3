// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"
#include "core/bench/campaign_store.h"

#include <optional>

namespace vitrine::cli {

struct BenchRunOptions {
    std::string suite;
    std::vector<std::string> commands;  // a suite made on the spot instead
    std::string setup;                  // before each of those
    bool isReported = false;            // they print their time
    std::vector<std::string> workloads; // only these; none: all
    std::vector<std::string> executors; // bench::ExecutorSpec
    std::string machine;
    std::string image;
    std::string kernel;  // of executors that boot one
    std::string modules; // its folder of modules
    int cpus = 0;        // of throw-away clones; 0: the machine's own
    int memory = 0;      // MiB, likewise
    bool grow = false;
    std::optional<int> rounds; // the suite's if none
    std::string prepare;
    std::string directory;
    std::string title;
    std::string resume; // a campaign's identifier; then nothing else counts
    bool isShort = false;
};

// The options that only `bench run` has.
void addBenchRunOptions(CLI::App& app, BenchRunOptions& options);

// Measures on this computer and in machines. The identifier of the campaign is printed; exit code 1
// when a workload failed.
[[nodiscard]] Result<int> runBench(const Library& library,
                                   const bench::CampaignStore& store,
                                   const BenchRunOptions& options,
                                   ProgressFormat format);

} // namespace vitrine::cli
