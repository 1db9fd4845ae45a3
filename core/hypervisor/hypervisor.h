// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/library/library.h"
#include "core/machine/machine_config.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QHash>
#include <QList>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine {

class Display;
class MachineHost;
struct CreationRequest;

// What a host may or may not be able to do. Asked for beforehand, never found out by failure.
enum class Feature {
    HardwareAcceleration,
    AcceleratorChoice,
    LinuxGuests,
    DarwinGuests,
    Arm64Guests,
    Amd64Guests,
    EfiBoot,
    KernelBoot,
    DisplayRefit,
    DiskCaching,
    DiskSynchronisation,
    ReadOnlyRootDisk,
    Pause,
    Suspend,
    NestedVirtualization,
    Bridged,
    Softnet,
    HostOnly,
    PortForwards,
    LiveShares,
    Audio,
    Clipboard,
    Serial,
    VncServer,
    Rosetta,
    Recovery,
    TrackpadChoice
};

struct FeatureStatus {
    bool available = false;
    QString reason;           // translated; why not, or a note ("emulated, slow") when available
    bool installable = false; // not available, and Hypervisor::install() can change that
};

// One line of the page "This computer".
struct HostCheck {
    enum class Verdict { Good, Warning, Missing };
    Verdict verdict = Verdict::Good;
    QString subject; // translated: "Hardware virtualization"
    QString finding; // translated: "KVM, AMD Ryzen 7 7840U, 16 threads"
};

// A network of this computer that machines can be part of.
struct HostBridge {
    QString name;   // "br0"
    QString reason; // translated: why no machine can be attached to it; empty when one can
};

struct HypervisorInfo {
    QString name;                             // "QEMU 7.2.22"
    std::optional<Architecture> architecture; // of this computer
    QHash<Feature, FeatureStatus> features;
    QList<HostCheck> checks;
    QList<HostBridge> bridges;
    QString diagnosis; // untranslated lines for a report of a fault: kernel, device, probe
    [[nodiscard]] FeatureStatus status(Feature feature) const { return features.value(feature); }
    [[nodiscard]] bool has(Feature feature) const { return features.value(feature).available; }
};

inline size_t qHash(Feature feature, size_t seed = 0) noexcept {
    return ::qHash(static_cast<int>(feature), seed);
}

// A backend. Thread-safe and without state of its own but caches; the composition roots (app, cli)
// name the one.
class Hypervisor {
public:
    enum class Refresh { UseCache, TestAgain };
    virtual ~Hypervisor() = default;
    // May start short probe programs (at most about 2 s): call it off the window's thread.
    [[nodiscard]] virtual HypervisorInfo info(Refresh refresh = Refresh::UseCache) const = 0;
    // Everything that can be known without starting: guest type, firmware, options this host cannot
    // honour.
    [[nodiscard]] virtual Result<> validate(const MachineInfo& machine,
                                            const RunOptions& options) const = 0;
    // Runs the machine in this process until it ends: the machine's process of contract 1. Returns
    // its exit code. Called by `vitrinectl run` only, on the main thread, with a QCoreApplication.
    struct RunRequest {
        Library library;
        QString name;
        RunOptions options;            // already merged: stored and typed
        int forceOffAfterSeconds = 30; // after the second SIGINT or the timeout
        bool verbose = false;          // notes to stderr
        bool discardState = false;     // start afresh although the machine is suspended
        bool withoutWindow = false;    // a terminal is told how to get in and how to stop
        // Of macOS only, for this run alone; refused elsewhere through their Feature.
        bool recovery = false;           // the recovery system of a macOS guest
        bool capturesSystemKeys = false; // the window's screen takes Command-Tab and the like too
    };
    [[nodiscard]] virtual int runMachine(const RunRequest& request) const = 0;
    // Makes a new machine: built in tmp/, published whole or not at all; a cancel leaves nothing
    // but what was fetched of a restore image. Called by `vitrinectl create` only, on the main
    // thread with a QCoreApplication, and returns when it is done. This one makes Linux machines
    // and refuses macOS with the reason of Feature::DarwinGuests.
    virtual Result<> createMachine(const CreationRequest& request, const JobContext& context) const;
    // A display client for a machine's runtime socket. Owned by the caller.
    [[nodiscard]] virtual std::unique_ptr<Display>
    openDisplay(const QString& displaySocket) const = 0;
    // Null where machines run in processes of their own, as with QEMU. Window's thread, one for the
    // whole program; owned by the caller.
    [[nodiscard]] virtual std::unique_ptr<MachineHost> makeMachineHost() const;
    // Fetches what an installable feature lacks; the system may ask for consent. Window's thread;
    // `done` is called once from the event loop, with Cancelled when it was declined. Read info()
    // again afterwards.
    virtual void install(Feature feature, std::function<void(const Result<>&)> done) const;
};

} // namespace vitrine
