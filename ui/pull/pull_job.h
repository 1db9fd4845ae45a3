// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/registry/image_pull.h"

#include <QPointer>
#include <QWidget>

#include <memory>

namespace vitrine::ui {

// How the window talks to a registry: credentials without those of the environment that name no
// host, and consent to a sign-in server on another host asked in a dialogue on `window` (remembered
// for the pair of hosts). May be called from the window's thread only; the functions inside are
// called on worker threads.
[[nodiscard]] RegistryOptions registryOptions(bool insecure, QWidget* window);

// A pull as a job of kind "pull". With `makeMachine` the image is then cloned into that machine by
// a vitrinectl child, because the window never holds a machine's lock.
[[nodiscard]] std::unique_ptr<Job>
makePullJob(const Library& library, const PullRequest& request, const QString& makeMachine = {});

// What a pull job was made from, for retrying and for signing in.
struct PullJobInfo {
    ImageReference reference;
    bool insecure = false;
};
// Properties of the job: "reference" (text) and "insecure" (bool); nullopt for other jobs.
[[nodiscard]] std::optional<PullJobInfo> pullJobInfo(const Job& job);

} // namespace vitrine::ui
