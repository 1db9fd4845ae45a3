// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QTimer>

#include <functional>

class QWidget;

namespace vitrine::app {

class Watchdog;

// Steps that are done to a window one after the other, each waited for without blocking. Ends with
// the first that fails or takes too long.
class Tour final : public QObject {
    Q_OBJECT
public:
    struct Step {
        QString name; // untranslated, for the terminal
        std::function<void()> act;
        std::function<bool()> done; // asked every 50 ms; empty: at once
        std::function<QString()> failure = [] { return QString(); }; // a reason to give up early
        int seconds = 30;
    };

    // Pictures go to `folder`. `watchdog` may be null.
    Tour(QWidget* window, QString folder, Watchdog* watchdog, QObject* parent = nullptr);

    void add(Step step);
    // Pictures of the window as it is then, light and dark at 1280x800 and 900x600:
    // NAME-light-1280x800.png and so on.
    void addPictures(const QString& name);
    void start();

Q_SIGNALS:
    void finished(const QString& failure); // empty: everything was done

private:
    void addPicture(const QString& name, bool dark, QSize size);
    void next();
    void look();

    QWidget* m_window;
    QString m_folder;
    Watchdog* m_watchdog;
    QList<Step> m_steps;
    qsizetype m_current = -1;
    QElapsedTimer m_since;
    QTimer m_timer{this};
    Error m_pictureError;
};

} // namespace vitrine::app
