// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_merge.h"

namespace vitrine::ui {

namespace {

template <class T>
void mergeValue(T& stored, const T& saved, const T& edited) {
    if (!(saved == edited))
        stored = edited;
}

// Each item of a list counts as often as it stands there.
template <class T>
void mergeList(QList<T>& stored, QList<T> saved, const QList<T>& edited) {
    if (saved == edited)
        return;
    QList<T> added = stored; // by others, since the draft was read
    QList<T> removed;
    for (const T& item : std::as_const(saved))
        if (!added.removeOne(item))
            removed.append(item);
    stored = edited;
    for (const T& item : std::as_const(removed))
        stored.removeOne(item);
    for (const T& item : std::as_const(added))
        if (!edited.contains(item)) // both made the same change
            stored.append(item);
}

void mergeNetwork(NetworkOptions& stored,
                  const NetworkOptions& saved,
                  const NetworkOptions& edited) {
    mergeValue(stored.mode, saved.mode, edited.mode);
    mergeValue(stored.interfaces, saved.interfaces, edited.interfaces);
    mergeValue(stored.allow, saved.allow, edited.allow);
    mergeValue(stored.block, saved.block, edited.block);
    mergeValue(stored.expose, saved.expose, edited.expose);
}

void mergeMac(RunOptions& stored, const RunOptions& saved, const RunOptions& edited) {
    const MacOptions before = MacOptions::of(saved);
    const MacOptions after = MacOptions::of(edited);
    MacOptions mac = MacOptions::of(stored);
    mergeValue(mac.rosetta, before.rosetta, after.rosetta);
    mergeValue(mac.trackpad, before.trackpad, after.trackpad);
    mergeValue(mac.suspendable, before.suspendable, after.suspendable);
    mergeValue(mac.captureSystemKeys, before.captureSystemKeys, after.captureSystemKeys);
    mac.storeIn(stored);
}

} // namespace

void mergeInto(Sidecar& sidecar, const MachineSettings& before, const MachineSettings& after) {
    mergeValue(sidecar.notes, before.notes, after.notes);
    RunOptions& stored = sidecar.run;
    const RunOptions& saved = before.run;
    const RunOptions& edited = after.run;
    mergeValue(stored.rootDisk.readOnly, saved.rootDisk.readOnly, edited.rootDisk.readOnly);
    mergeValue(stored.rootDisk.synchronisation,
               saved.rootDisk.synchronisation,
               edited.rootDisk.synchronisation);
    mergeValue(stored.rootDisk.caching, saved.rootDisk.caching, edited.rootDisk.caching);
    mergeList(stored.disks, saved.disks, edited.disks);
    mergeList(stored.forwards, saved.forwards, edited.forwards);
    mergeValue(stored.kernel, saved.kernel, edited.kernel);
    mergeNetwork(stored.network, saved.network, edited.network);
    mergeValue(stored.bootOrder, saved.bootOrder, edited.bootOrder);
    mergeValue(stored.serial, saved.serial, edited.serial);
    mergeValue(stored.vncServer, saved.vncServer, edited.vncServer);
    mergeValue(stored.nested, saved.nested, edited.nested);
    mergeValue(stored.accelerator, saved.accelerator, edited.accelerator);
    mergeMac(stored, saved, edited);
    mergeValue(stored.audio, saved.audio, edited.audio);
    mergeValue(stored.clipboard, saved.clipboard, edited.clipboard);
    mergeValue(stored.pointer, saved.pointer, edited.pointer);
    mergeValue(stored.keyboard, saved.keyboard, edited.keyboard);
}

} // namespace vitrine::ui
