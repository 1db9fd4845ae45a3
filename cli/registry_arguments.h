// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/registry_options.h"
#include "core/result/result.h"

#include <CLI/App.hpp>

#include <QString>

#include <memory>
#include <string>

namespace vitrine::cli {

// "ghcr.io", "127.0.0.1:5000": the host part of an image reference, alone.
[[nodiscard]] Result<QString> registryHost(const std::string& text);

// Options of every command that may fetch an image.
struct FetchOptions {
    bool insecure = false;
    int concurrency = 4;
    bool deduplicate = false;
};
[[nodiscard]] std::shared_ptr<FetchOptions> addFetchOptions(CLI::App& app);

// How to talk to `host`, which the command line names: credentials from every source, notes to
// standard error.
[[nodiscard]] RegistryOptions registryOptions(const QString& host, const FetchOptions& options);

// Exit code 2 says that a machine or cached image does not exist; a registry that does not have
// something is a failure like others (specification 1.11).
[[nodiscard]] Error asRegistryError(Error error);

// Unsupported for an option that this release cannot honour.
[[nodiscard]] Result<> checkFetchOptions(const FetchOptions& options);

} // namespace vitrine::cli
