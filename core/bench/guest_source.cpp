// SPDX-License-Identifier: Apache-2.0
#include "core/bench/guest_source.h"

#include "core/library/memory_commitment.h"
#include "core/value/byte_count.h"

#include <QFile>
#include <QThread>

#include <algorithm>

namespace vitrine::bench {

namespace {

constexpr quint64 emulatorMemory = 256 << 20; // bytes, besides the guest's own
constexpr int memoryShare = 4;                // a quarter of the memory stays with this computer

Result<MachineInfo> imageOf(const Library& library, const QString& name) {
    const auto reference = ImageReference::fromText(name);
    if (!reference)
        return fail(reference.error());
    auto image = library.image(*reference);
    if (!image && image.error().kind == Error::Kind::NotFound)
        return fail(Error::Kind::NotFound,
                    Tr::tr("The image \"%1\" is not on this computer. Pull it first: vitrinectl "
                           "pull %1")
                        .arg(name));
    return image;
}

Result<MachineInfo> machineOf(const Library& library, const QString& text) {
    const auto name = MachineName::fromText(text);
    if (!name)
        return fail(name.error());
    return library.machine(*name);
}

bool isStopped(const MachineInfo& machine) {
    return machine.state == MachineState::Stopped;
}

} // namespace

Result<MachineInfo>
guestSourceOf(const Library& library, const GuestPlan& guest, const QList<ExecutorSpec>& specs) {
    auto source = guest.isImage ? imageOf(library, guest.source) : machineOf(library, guest.source);
    if (!source)
        return source;
    const bool inPlace = std::any_of(specs.begin(), specs.end(), [](const ExecutorSpec& spec) {
        return spec.kind == ExecutorSpec::Kind::Running;
    });
    const bool cloned = std::any_of(
        specs.begin(), specs.end(), [](const ExecutorSpec& spec) { return spec.needsClone(); });
    if (source->state == MachineState::Broken || !source->config)
        return fail(
            Error::Kind::Integrity,
            Tr::tr("\"%1\" cannot be measured. %2").arg(source->name, source->brokenReason));
    if (inPlace && cloned)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"running\" measures the machine as it runs; the other executors need "
                           "it stopped, to clone it. Measure them in two campaigns."));
    if (inPlace && guest.isImage)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("An image does not run. Name a machine with --machine, or measure "
                           "throw-away clones of the image with --executor default."));
    if (inPlace && isStopped(*source))
        return fail(Error::Kind::NotRunning,
                    Tr::tr("\"%1\" does not run. Start it, or measure throw-away clones of it with "
                           "--executor default.")
                        .arg(source->name));
    if (cloned && source->state == MachineState::Suspended)
        return fail(Error::Kind::Busy,
                    Tr::tr("\"%1\" is suspended. Go on with it and shut it down, then its clones "
                           "can be measured.")
                        .arg(source->name));
    if (cloned && !isStopped(*source))
        return fail(Error::Kind::AlreadyRunning,
                    Tr::tr("\"%1\" is running, so it cannot be cloned. Shut it down, or measure it "
                           "as it runs with --executor running.")
                        .arg(source->name));
    return source;
}

HostSize hostSize() {
    const HostMemory memory = hostMemory();
    return {
        std::max(1, QThread::idealThreadCount()), memory.total.bytes(), memory.available.bytes()};
}

Result<GuestSize>
guestSizeOf(const MachineConfig& config, const GuestPlan& guest, const HostSize& host) {
    GuestSize size;
    const int mostCpus = std::max(1, host.cpus - 1);
    const quint64 mostMemory =
        host.memory > 0 ? host.memory - host.memory / memoryShare : ~quint64{0};
    size.cpus = guest.cpus > 0 ? guest.cpus : config.cpuCount;
    size.memory = guest.memory > 0 ? guest.memory : config.memory.bytes();
    if (guest.cpus > mostCpus)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("%1 CPUs are all that this computer has. Give a clone at most %2 with "
                           "--cpus: a measurement needs some for this computer itself.")
                        .arg(guest.cpus)
                        .arg(mostCpus));
    if (guest.memory > mostMemory)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("%1 are nearly all of this computer's memory. Give a clone at most %2 "
                           "with --memory.")
                        .arg(ByteCount::fromBytes(guest.memory).toText(),
                             ByteCount::fromBytes(mostMemory).toText()));
    if (guest.cpus == 0 && size.cpus > mostCpus) {
        size.notes.append(Tr::tr("The machine has %1 CPUs; its clones were measured with %2, so "
                                 "that this computer keeps some.")
                              .arg(size.cpus)
                              .arg(mostCpus));
        size.cpus = mostCpus;
    }
    if (guest.memory == 0 && size.memory > mostMemory) {
        const quint64 least = quint64{1} << 20;
        const quint64 given = mostMemory / least * least;
        size.notes.append(Tr::tr("The machine has %1 of memory; its clones were measured with %2, "
                                 "so that this computer keeps some.")
                              .arg(ByteCount::fromBytes(size.memory).toText(),
                                   ByteCount::fromBytes(given).toText()));
        size.memory = given;
    }
    return size;
}

bool fitTogether(quint64 clones, const GuestSize& size, const HostSize& host) {
    return host.memory == 0 || clones * (size.memory + emulatorMemory) <= host.available;
}

} // namespace vitrine::bench
