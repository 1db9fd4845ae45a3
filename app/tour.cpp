// SPDX-License-Identifier: Apache-2.0
#include "app/tour.h"

#include "app/watchdog.h"
#include "app/window_picture.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QWidget>

#include <cstdio>
#include <memory>

namespace vitrine::app {

namespace {

constexpr int lookInterval = 50; // ms
constexpr int settledLooks = 4;  // after a change of size or colours, before the picture

} // namespace

Tour::Tour(QWidget* window, QString folder, Watchdog* watchdog, QObject* parent)
    : QObject(parent)
    , m_window(window)
    , m_folder(std::move(folder))
    , m_watchdog(watchdog) {
    m_timer.setObjectName(QStringLiteral("look"));
    m_timer.setInterval(lookInterval);
    connect(&m_timer, &QTimer::timeout, this, &Tour::look);
}

void Tour::add(Step step) {
    m_steps.append(std::move(step));
}

void Tour::addPictures(const QString& name) {
    for (const bool dark : {false, true}) {
        for (const QSize size : {QSize(1280, 800), QSize(900, 600)})
            addPicture(name, dark, size);
    }
    // Back to where the tour works.
    add({QStringLiteral("back to the first look"),
         [this] {
             const Watchdog::Excuse excuse(m_watchdog);
             ui::applyTheme(ui::SchemeChoice::Light);
             QCoreApplication::sendPostedEvents();
             m_window->resize(1280, 800);
         },
         [this] { return m_window->size() == QSize(1280, 800); }});
}

void Tour::addPicture(const QString& name, bool dark, QSize size) {
    const QString file =
        QStringLiteral("%1/%2-%3-%4x%5.png")
            .arg(m_folder, name, dark ? QStringLiteral("dark") : QStringLiteral("light"))
            .arg(size.width())
            .arg(size.height());
    auto looks = std::make_shared<int>(0);
    Step step;
    step.name = QStringLiteral("picture %1").arg(file);
    step.act = [this, dark, size, looks] {
        const Watchdog::Excuse excuse(m_watchdog);
        *looks = 0;
        ui::applyTheme(dark ? ui::SchemeChoice::Dark : ui::SchemeChoice::Light);
        QCoreApplication::sendPostedEvents(); // every widget hears of the colours now
        m_window->resize(size);
    };
    step.done = [this, size, file, looks] {
        if (m_window->size() != size || ++*looks < settledLooks)
            return false;
        const Watchdog::Excuse excuse(m_watchdog);
        if (const auto written = writePicture(pictureOf(m_window), file); !written)
            m_pictureError = written.error();
        return true;
    };
    add(std::move(step));
}

void Tour::start() {
    m_timer.start();
    next();
}

void Tour::next() {
    ++m_current;
    if (m_current >= m_steps.size() || !m_pictureError.message.isEmpty()) {
        m_timer.stop();
        Q_EMIT finished(m_pictureError.message);
        return;
    }
    const Step& step = m_steps.at(m_current);
    std::fprintf(stderr, "tour: %s\n", qPrintable(step.name));
    m_since.start();
    if (step.act)
        step.act();
}

void Tour::look() {
    if (m_current < 0 || m_current >= m_steps.size())
        return;
    const Step& step = m_steps.at(m_current);
    if (const QString reason = step.failure(); !reason.isEmpty()) {
        m_timer.stop();
        Q_EMIT finished(QStringLiteral("\"%1\" failed: %2").arg(step.name, reason));
    } else if (!step.done || step.done()) {
        next();
    } else if (m_since.elapsed() > step.seconds * 1000LL) {
        m_timer.stop();
        Q_EMIT finished(
            QStringLiteral("\"%1\" was not done within %2 s.").arg(step.name).arg(step.seconds));
    }
}

} // namespace vitrine::app
