// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "vz/plan/host_caps.h"
#include "vz/plan/machine_plan.h"

#include <QtGlobal>

#include <optional>

namespace vitrine::vz {

// Specification 2.2: a macOS guest has points of the main screen unless its size is in pixels or
// there is no screen, then 72 pixels per inch; a Linux guest has pixels. Refit is on for every
// guest but Linux unless it was chosen.
[[nodiscard]] DisplayPlan planDisplay(const MachineConfig& config, const HostCaps& host);
// Whether the guest follows the window: chosen, or automatic. Below macOS 14 never.
[[nodiscard]] bool refits(GuestSystem guest, Refit refit, const HostCaps& host);

struct PixelSize {
    int width = 0;
    int height = 0;
    friend bool operator==(const PixelSize&, const PixelSize&) = default;
};
// Pixels for a view of so many points: whole and even, within what a display can have.
[[nodiscard]] PixelSize pixelsOf(double widthPoints, double heightPoints, double scale);

// When a display that follows its window by itself (VZGraphicsDisplay, where the view does not do
// it) is told its new size: not while it is being dragged, never the same size twice, never while
// the guest is still taking the last one. Times are ms of one clock that only goes forward.
class ResizeThrottle final {
public:
    static constexpr qint64 quiet = 200;     // ms without a new size
    static constexpr qint64 patience = 3000; // ms for displayDidEndReconfiguration:

    explicit ResizeThrottle(PixelSize current)
        : m_told(current) {}
    void wanted(PixelSize size, qint64 now);
    void reconfigurationEnded() { m_waitsSince.reset(); }
    // To be told now; counts as told.
    [[nodiscard]] std::optional<PixelSize> due(qint64 now);
    // When due() is to be asked again; nothing to come when empty.
    [[nodiscard]] std::optional<qint64> nextTime() const;

private:
    PixelSize m_told;
    std::optional<PixelSize> m_wanted;
    qint64 m_wantedSince = 0;
    std::optional<qint64> m_waitsSince; // the guest is taking a size since then
};

} // namespace vitrine::vz
