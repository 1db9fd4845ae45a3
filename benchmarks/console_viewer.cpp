// SPDX-License-Identifier: Apache-2.0
// The console's screen in a window of its own, for measuring: console_viewer SOCKET [fit|natural].
// Runs until it is ended from outside. With --count it prints the number of updates once a second.
#include "qemu/rfb/rfb_display.h"
#include "ui/console/framebuffer_surface.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QTimer>
#include <QWidget>

#include <cstdio>

int main(int argc, char** argv) {
    using namespace vitrine;
    QApplication application(argc, argv);
    ui::applyTheme(ui::SchemeChoice::Light);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 2) {
        std::fputs("usage: console_viewer SOCKET [fit|natural] [--count]\n", stderr);
        return 64;
    }
    ui::FramebufferSurface surface(qemu::makeRfbDisplay(arguments.at(1)));
    surface.setMachineName(QStringLiteral("benchmark"));
    const bool fit = arguments.value(2) == QLatin1String("fit");
    surface.setScaling(fit ? ui::ConsoleSurface::Scaling::Fit
                           : ui::ConsoleSurface::Scaling::Natural);
    QWidget* window = surface.widget();
    window->resize(fit ? QSize(840, 530) : QSize(1300, 820));
    window->show();
    int updates = 0;
    QObject::connect(&surface, &ui::ConsoleSurface::updated, window, [&updates] { ++updates; });
    QTimer timer;
    if (arguments.contains(QLatin1String("--count"))) {
        QObject::connect(&timer, &QTimer::timeout, window, [&updates] {
            std::printf("%d\n", updates);
            std::fflush(stdout);
        });
        timer.start(1000);
    }
    surface.start();
    return QApplication::exec();
}
