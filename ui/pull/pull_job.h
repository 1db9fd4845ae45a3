// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/registry/image_pull.h"
#include "core/registry/interrupted_pulls.h"
#include "ui/services.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>

namespace vitrine::ui {

// How the window talks to a registry: credentials without those of the environment that name no
// host, and consent to a sign-in server on another host asked in a dialogue on `window` (remembered
// for the pair of hosts). May be called from the window's thread only; the functions inside are
// called on worker threads.
[[nodiscard]] RegistryOptions registryOptions(bool insecure, QWidget* window);

struct PullJobOptions {
    QString machine;       // is then made of the image; empty: none
    bool keepHttp = false; // once the image is here, http is kept for its registry
};
// A pull as a job of kind "pull". A machine is cloned by a vitrinectl child, because the window
// never holds a machine's lock. When only that fails, the pull has succeeded: see PullOutcome.
[[nodiscard]] std::unique_ptr<Job>
makePullJob(const Library& library, const PullRequest& request, const PullJobOptions& options = {});
// What an earlier pull has left, as such a job that was never started and counts as cancelled;
// retrying goes on from there. Property "interrupted": the bytes that are here, "of": those of the
// whole image.
[[nodiscard]] std::unique_ptr<Job>
makeInterruptedJob(const Library& library, const InterruptedPull& pull, QWidget* window);

// Looks in the background for pulls that were cut off and lists those that are not listed yet.
void listInterruptedPulls(const Services& services, QWidget* window);

// How a pull that succeeded went.
struct PullOutcome {
    quint64 bytesFetched = 0; // compressed, as in the plan
    bool wasAlreadyHere = false;
    QString machine;                   // that was made of the image; empty: none
    std::optional<Error> machineError; // why it was not made although it was wanted
    std::optional<Error> keepError;    // why http is not kept
};
// Null for other jobs and for those that have not succeeded.
[[nodiscard]] std::shared_ptr<const PullOutcome> pullOutcome(const Job& job);

// What a pull job was made from, for retrying and for signing in.
struct PullJobInfo {
    ImageReference reference;
    bool insecure = false;
};
// Properties of the job: "reference" (text), "insecure" (bool) and "machine" (text); nullopt for
// other jobs.
[[nodiscard]] std::optional<PullJobInfo> pullJobInfo(const Job& job);

} // namespace vitrine::ui
