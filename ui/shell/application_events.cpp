// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/application_events.h"

#include <QCoreApplication>
#include <QEvent>

namespace vitrine::ui {

ApplicationEvents::ApplicationEvents(QObject* parent)
    : QObject(parent) {
    QCoreApplication::instance()->installEventFilter(this);
}

bool ApplicationEvents::eventFilter(QObject* watched, QEvent* event) {
    if (watched == QCoreApplication::instance() && event->type() == QEvent::Quit) {
        event->ignore(); // the system is told that it is not done yet
        Q_EMIT quitAsked();
        return true;
    }
    if (watched == QCoreApplication::instance() && event->type() == QEvent::ApplicationActivate)
        Q_EMIT activated();
    return QObject::eventFilter(watched, event);
}

} // namespace vitrine::ui
