// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/display_policy.h"

#include <algorithm>
#include <cmath>

namespace vitrine::vz {

namespace {

constexpr int smallestSide = 64; // pixels; below that no guest shows anything
constexpr int largestSide = 16384;
constexpr int usualDensity = 72; // pixels per inch, Tart's

int sideOf(double points, double scale) {
    const double pixels = points * scale;
    if (!(pixels > 0)) // also what is no number
        return smallestSide;
    const double within = std::clamp(pixels, double(smallestSide), double(largestSide));
    return int(std::floor(within / 2)) * 2;
}

} // namespace

bool refits(GuestSystem guest, Refit refit, const HostCaps& host) {
    if (host.system < macOs14)
        return false;
    if (refit == Refit::Automatic)
        return guest != GuestSystem::Linux;
    return refit == Refit::On;
}

DisplayPlan planDisplay(const MachineConfig& config, const HostCaps& host) {
    DisplayPlan plan;
    plan.width = config.display.width;
    plan.height = config.display.height;
    plan.pixelsPerInch = usualDensity;
    plan.refit = refits(config.system, config.refit, host);
    const bool points = config.system == GuestSystem::Darwin &&
                        config.display.unit != DisplaySize::Unit::Pixels && !host.screens.isEmpty();
    plan.kind = points ? DisplayPlan::Kind::PointsOfMainScreen : DisplayPlan::Kind::Pixels;
    return plan;
}

PixelSize pixelsOf(double widthPoints, double heightPoints, double scale) {
    const double used = scale > 0 ? scale : 1;
    return {sideOf(widthPoints, used), sideOf(heightPoints, used)};
}

void ResizeThrottle::wanted(PixelSize size, qint64 now) {
    if (size == m_told) {
        m_wanted.reset(); // back to where it was
        return;
    }
    if (m_wanted == std::optional(size))
        return;
    m_wanted = size;
    m_wantedSince = now;
}

std::optional<qint64> ResizeThrottle::nextTime() const {
    if (!m_wanted)
        return std::nullopt;
    const qint64 settled = m_wantedSince + quiet;
    return m_waitsSince ? std::max(settled, *m_waitsSince + patience) : settled;
}

std::optional<PixelSize> ResizeThrottle::due(qint64 now) {
    const std::optional<qint64> time = nextTime();
    if (!time || now < *time)
        return std::nullopt;
    m_told = *m_wanted;
    m_wanted.reset();
    m_waitsSince = now;
    return m_told;
}

} // namespace vitrine::vz
