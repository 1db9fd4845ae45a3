// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/sharing/share_spec.h"
#include "vz/plan/machine_plan.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine::vz {

// Devices without a folder made at start, so that folders can come while the machine runs.
inline constexpr int spareShares = 8;
[[nodiscard]] QString spareShareTag(int number); // "vitrine-0" …
inline constexpr qsizetype largestTag = 35;      // bytes of UTF-8: under 36

// A shared folder of a run and where the guest finds it.
struct PlacedShare {
    ShareSpec spec; // as it was asked for; the path is absolute
    QString tag;    // of the device it is in
    QString name;   // of its subfolder there; empty: it is the device's root
    friend bool operator==(const PlacedShare&, const PlacedShare&) = default;
};

// What the shell has to set while the machine runs: `share` of the device with this tag.
struct ShareChange {
    ShareDevice device; // Empty: share = nil
    friend bool operator==(const ShareChange&, const ShareChange&) = default;
};

// The shared folders of one run. Devices are fixed at start; which folders they show is not: those
// given at start keep their device, one that comes later takes a spare one. A plain value.
class ShareSet final {
public:
    // `spare` devices more than the shares need (0 when the machine is to be suspended). Paths are
    // absolute, archives already unpacked. InvalidInput for tags and names the framework refuses.
    [[nodiscard]] static Result<ShareSet> make(const QList<ShareSpec>& shares, int spare);

    // Of the configuration, in an order that depends on nothing else.
    [[nodiscard]] const QList<ShareDevice>& devices() const { return m_devices; }
    [[nodiscard]] const QList<PlacedShare>& shares() const { return m_shares; }

    // While it runs. AlreadyExists for a folder or name that is shared already, Unsupported when no
    // spare device is left. What it returns is to be set; this value counts it as done.
    [[nodiscard]] Result<ShareChange> add(const ShareSpec& share);
    // NotFound. `share` by its tag and name.
    [[nodiscard]] Result<ShareChange> remove(const ShareSpec& share);
    // Writable to read-only or back.
    [[nodiscard]] Result<ShareChange> setReadOnly(const ShareSpec& share, bool readOnly);
    // What leads from this to exactly `wanted`: removals first, so that their devices are free.
    // This value is changed as far as it goes; the error is the first one.
    struct Difference {
        QList<ShareChange> changes;
        std::optional<vitrine::Error> error;
    };
    [[nodiscard]] Difference changeTo(const QList<ShareSpec>& wanted);

private:
    [[nodiscard]] Result<qsizetype> find(const ShareSpec& share) const;
    [[nodiscard]] ShareChange refresh(const QString& tag);
    QList<ShareDevice> m_devices;
    QList<PlacedShare> m_shares;
    QStringList m_spareTags;
};

// A name the framework takes for a folder of a Multiple share, not one of `taken`: the wish, with
// '-' for what it may not hold and a number behind it when it is taken.
[[nodiscard]] QString freeFolderName(const QString& wish, const QStringList& taken);

} // namespace vitrine::vz
