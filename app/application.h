// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/watchdog.h"

#include <QApplication>

#include <memory>

namespace vitrine::app {

// The QApplication, with the watchdog around every event when asked for.
class Application final : public QApplication {
    Q_OBJECT
public:
    Application(int& argc, char** argv);
    // From the next event of the main loop on.
    void watch();
    [[nodiscard]] Watchdog* watchdog() const { return m_watchdog.get(); } // null: not watching
    bool notify(QObject* receiver, QEvent* event) override;

private:
    std::unique_ptr<Watchdog> m_watchdog;
};

} // namespace vitrine::app
