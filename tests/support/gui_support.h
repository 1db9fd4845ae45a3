// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>
#include <QApplication>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QWidget>

#include <functional>

namespace vitrine::test {

// Runs the event loop until the condition holds; false after the deadline.
inline bool waitUntil(const std::function<bool()>& condition, int milliseconds = 60000) {
    const QDeadlineTimer deadline(milliseconds);
    while (!condition()) {
        if (deadline.hasExpired())
            return false;
        QEventLoop loop;
        QTimer::singleShot(10, &loop, &QEventLoop::quit);
        loop.exec();
    }
    return true;
}

// With VITRINE_TEST_PICTURES=DIR the widget is drawn into DIR/NAME.png, to be looked at.
inline void savePicture(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("VITRINE_TEST_PICTURES");
    if (folder.isEmpty())
        return;
    QApplication::processEvents();
    widget.grab().save(folder + QLatin1Char('/') + name + QLatin1String(".png"));
}

// Every control that takes the keyboard says what it is.
inline QStringList controlsWithoutName(const QWidget& page) {
    QStringList nameless;
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->accessibleName().isEmpty())
            continue;
        if (qobject_cast<const QLineEdit*>(widget) &&
            widget->objectName().startsWith(QLatin1String("qt_")))
            continue;
        if (qobject_cast<const QLabel*>(widget)) // its text is its name
            continue;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        if (button && !button->text().isEmpty())
            continue;
        nameless << QLatin1String(widget->metaObject()->className()) + QLatin1Char(' ') +
                        widget->objectName();
    }
    return nameless;
}

} // namespace vitrine::test
