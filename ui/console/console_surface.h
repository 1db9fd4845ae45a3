// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/display_scale.h"
#include "ui/console/key_combination.h"

#include <QImage>
#include <QObject>
#include <QSize>
#include <QString>

class QWidget;

namespace vitrine::ui {

// The seam between the console page and whatever shows a guest's screen: our framebuffer view, or a
// view of the system's own framework that is embedded through QWidget::createWindowContainer. All
// of it belongs to the window's thread; nothing waits.
class ConsoleSurface : public QObject {
    Q_OBJECT
public:
    enum class Link { Off, Connecting, Live };
    Q_ENUM(Link)
    enum class Scaling {
        Fit,     // the whole screen in the room there is
        Natural, // one pixel of the guest is one pixel of this screen, or as setGuestScale() says
        Follow   // the guest is asked to take the size of the room
    };
    Q_ENUM(Scaling)

    using QObject::QObject;

    // Shows the screen and takes keys and pointer. Owned by the surface; the page may put it under
    // another parent.
    [[nodiscard]] virtual QWidget* widget() const = 0;
    virtual void setMachineName(const QString& name) = 0; // for assistive technology

    // The picture stream. Stopped: nothing is fetched and no work is done; the last picture stays.
    virtual void start() = 0;
    virtual void stop() = 0;
    [[nodiscard]] virtual Link link() const = 0;
    [[nodiscard]] virtual QSize guestSize() const = 0; // pixels; empty before the first picture
    [[nodiscard]] virtual QImage picture() const = 0;  // a copy

    virtual void setScaling(Scaling scaling) = 0;
    [[nodiscard]] virtual Scaling scaling() const = 0;
    [[nodiscard]] virtual double scale() const = 0; // screen pixels for one of the guest; 0 unknown
    // Pixels of the guest for one point of this screen, for Natural and Follow.
    virtual void setGuestScale(DisplayScale scale) = 0;
    // Why the guest cannot follow the window, translated; empty when it can or was not tried yet.
    [[nodiscard]] virtual QString followReason() const = 0;
    // Why there is no Natural, translated; empty when there is.
    [[nodiscard]] virtual QString naturalReason() const { return {}; }
    virtual void setBorderless(bool borderless) = 0; // full screen: no room and ring around it

    // Keyboard in the guest. Taken by a click or Enter, given back by Right Ctrl or loss of focus.
    virtual void grabKeyboard() = 0;
    virtual void releaseKeyboard() = 0;
    [[nodiscard]] virtual bool isKeyboardGrabbed() const = 0;
    // Which keys stay with this computer even so, translated; empty when all of them are taken.
    [[nodiscard]] virtual QString keyboardNote() const = 0;
    virtual void sendKeys(const KeyCombination& keys) = 0;

    // A view of the system's own lies above everything that Qt paints in its window: words go
    // beside it, and it is covered while they cannot.
    [[nodiscard]] virtual bool isNative() const { return false; }
    virtual void setCovered(bool /*covered*/) {} // native: what Qt paints there is seen instead
    // There is something to look at; a native view may show it without telling its size.
    [[nodiscard]] virtual bool hasPicture() const { return !guestSize().isEmpty(); }

Q_SIGNALS:
    void linkChanged();
    void guestSizeChanged();
    void scaleChanged();
    void scalingChanged(); // also when the guest did not follow
    void keyboardChanged();
    void updated();                      // one more update of the picture
    void failed(const QString& message); // translated; the link is tried again by itself
};

} // namespace vitrine::ui
