// SPDX-License-Identifier: Apache-2.0
#include "vz/view/hosted_surface.h"

#include "core/job/in_worker.h"
#include "vz/plan/hosted_screens.h"
#include "vz/view/screen_encoding.h"

#include <QCoreApplication>

#include <utility>

namespace vitrine::vz {

namespace {

// The copy is made at once; what takes time is not done on the window's thread.
void takePicture(const EmbeddedSurface& surface, const ScreenTaken& taken) {
    if (!surface.isShown()) {
        taken(fail(whyNotShown()));
        return;
    }
    inWorker(
        qApp,
        [picture = surface.picture()] { return encodeScreen(picture); },
        [taken](const Result<ScreenPicture>& picture) { taken(picture); });
}

} // namespace

std::unique_ptr<EmbeddedSurface>
makeHostedSurface(HostedScreens* screens, const QString& machine, std::unique_ptr<ViewHost> view) {
    auto made = std::make_unique<EmbeddedSurface>(std::move(view),
                                                  screens->capturesSystemKeys(machine)
                                                      ? EmbeddedSurface::Keys::SystemToo
                                                      : EmbeddedSurface::Keys::Ordinary);
    EmbeddedSurface* const surface = made.get();
    const auto show = [surface, screens, machine] {
        surface->setMachine(screens->machine(machine));
        surface->setPaused(screens->isPaused(machine));
    };
    const auto ofIt = [machine](auto act) {
        return [machine, act](const QString& name) {
            if (name == machine)
                act();
        };
    };
    QObject::connect(screens, &HostedScreens::shown, surface, ofIt(show));
    QObject::connect(
        screens, &HostedScreens::gone, surface, ofIt([surface] { surface->setMachine(nullptr); }));
    QObject::connect(screens, &HostedScreens::displayReconfigured, surface, ofIt([surface] {
                         surface->displayReconfigured();
                     }));
    QObject::connect(screens,
                     &HostedScreens::pausedChanged,
                     surface,
                     [surface, machine](const QString& name, bool paused) {
                         if (name == machine)
                             surface->setPaused(paused);
                     });
    QObject::connect(
        screens, &QObject::destroyed, surface, [surface] { surface->setMachine(nullptr); });
    screens->setPictures(
        machine, surface, [surface](const ScreenTaken& taken) { takePicture(*surface, taken); });
    show();
    return made;
}

} // namespace vitrine::vz
