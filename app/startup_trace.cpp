// SPDX-License-Identifier: Apache-2.0
#include "app/startup_trace.h"

#include <QEvent>
#include <QTimer>
#include <QWidget>

#include <cstdio>
#include <ctime>

namespace vitrine::app {

namespace {

class FirstPaint final : public QObject {
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint && !m_told) {
            m_told = true;
            // After this event the picture has gone to the screen.
            QTimer::singleShot(0, this, [this] {
                timespec now{};
                ::clock_gettime(CLOCK_MONOTONIC, &now);
                std::fprintf(stderr,
                             "vitrine: first paint at %lld.%06ld\n",
                             static_cast<long long>(now.tv_sec),
                             now.tv_nsec / 1000);
                deleteLater();
            });
        }
        return QObject::eventFilter(watched, event);
    }

private:
    bool m_told = false;
};

} // namespace

void traceStartup(QWidget* window) {
    if (qEnvironmentVariableIntValue("VITRINE_TRACE_STARTUP") == 1)
        window->installEventFilter(new FirstPaint(window));
}

} // namespace vitrine::app
