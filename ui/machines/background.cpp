// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/background.h"

#include <QCoreApplication>
#include <QThreadPool>

namespace vitrine::ui {

namespace {

QThreadPool& pool() {
    static QThreadPool threads;
    static const bool prepared = [] {
        threads.setMaxThreadCount(4);
        threads.setExpiryTimeout(10000);
        return true;
    }();
    Q_UNUSED(prepared)
    return threads;
}

} // namespace

void runInBackground(std::function<void()> work) {
    pool().start(std::move(work));
}

QObject* windowThreadObject() {
    return QCoreApplication::instance();
}

void finishBackground() {
    pool().clear();
    pool().waitForDone(3000);
}

} // namespace vitrine::ui
