// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QSize>

#include <functional>
#include <memory>

class QWindow;

namespace vitrine::vz {

class Machine;

// A view of the system's own framework as a window of Qt's. Main thread only, nothing waits.
class ViewHost {
public:
    struct Events {
        std::function<void(bool focused)> focusChanged; // a click focuses it without Qt noticing
        std::function<void()> releaseAsked;             // Right Ctrl was pressed and let go alone
    };
    virtual ~ViewHost() = default;
    virtual void setEvents(Events events) = 0;
    // For QWidget::createWindowContainer(), which owns it from then on. Once.
    [[nodiscard]] virtual QWindow* takeWindow() = 0;
    virtual void setMachine(const Machine* machine) = 0; // null: nothing is shown
    virtual void setHidden(bool hidden) = 0; // nothing can be painted over it: for a paused machine
    // Keys that the system keeps otherwise, like Command-Tab, while it is focused.
    virtual void setCapturesSystemKeys(bool captures) = 0;
    virtual void setRefit(bool refit) = 0; // the guest takes the view's size; from macOS 14 on
    [[nodiscard]] virtual bool canRefit() const = 0;
    virtual void takeFocus() = 0;
    virtual void giveFocusBack() = 0; // to Qt's own view of the window
    // A key as macOS counts them, kVK_…; to the guest as if it was typed here.
    virtual void sendKey(quint16 keyCode, bool pressed) = 0;
    [[nodiscard]] virtual QSize guestSize() const = 0; // pixels; empty before macOS 14
    [[nodiscard]] virtual QSize viewSize() const = 0;  // pixels of the screen
    [[nodiscard]] virtual QImage
    picture() const = 0; // what is shown now; null when it cannot be had
};

[[nodiscard]] std::unique_ptr<ViewHost> makeViewHost();

} // namespace vitrine::vz
