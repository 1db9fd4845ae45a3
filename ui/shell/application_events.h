// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

namespace vitrine::ui {

// What the system tells the program as a whole where its window may be hidden: that it shall quit
// (menu, Dock, end of the session), and that it was brought to the front (a click on its picture
// in the Dock). Quitting is never done at once: who listens decides.
class ApplicationEvents final : public QObject {
    Q_OBJECT
public:
    explicit ApplicationEvents(QObject* parent);

Q_SIGNALS:
    void quitAsked();
    void activated();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace vitrine::ui
