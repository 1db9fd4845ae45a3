// SPDX-License-Identifier: Apache-2.0
#include "app/application.h"

#include <QThread>

namespace vitrine::app {

Application::Application(int& argc, char** argv)
    : QApplication(argc, argv) {
    setApplicationName(QStringLiteral("vitrine"));
    setOrganizationName(QStringLiteral("vitrine"));
    setApplicationDisplayName(QStringLiteral("Vitrine"));
    setApplicationVersion(QStringLiteral(VITRINE_VERSION));
    setDesktopFileName(QStringLiteral("vitrine"));
}

void Application::watch() {
    if (m_watchdog == nullptr)
        m_watchdog = std::make_unique<Watchdog>();
}

bool Application::notify(QObject* receiver, QEvent* event) {
    if (m_watchdog == nullptr || QThread::currentThread() != thread())
        return QApplication::notify(receiver, event);
    const Watchdog::Delivery delivery(m_watchdog.get(), receiver, event);
    return QApplication::notify(receiver, event);
}

} // namespace vitrine::app
