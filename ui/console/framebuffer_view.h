// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"
#include "core/machine/display_scale.h"
#include "ui/console/frame_scaler.h"
#include "ui/console/guest_keyboard.h"
#include "ui/console/keyboard_grab.h"

#include <QImage>
#include <QRegion>
#include <QWidget>

namespace vitrine::ui {

// Paints a Display: straight from its frame where one pixel of the guest is one of this screen,
// from a smooth copy of which only changed parts are made again where it is scaled. Sends keys
// while it holds the keyboard, and the pointer. Window thread only.
class FramebufferView final : public QWidget {
    Q_OBJECT
public:
    enum class Sizing {
        Fit,    // as large as the widget allows; untouched where that is nearly so anyway
        Natural // the widget wants to be as large as the screen
    };
    static constexpr int room = 4; // around the picture, for the ring of the grab

    // `display` is observed and outlives the view.
    explicit FramebufferView(Display* display, QWidget* parent = nullptr);
    ~FramebufferView() override;

    void setSizing(Sizing sizing);
    [[nodiscard]] Sizing sizing() const { return m_sizing; }
    void setBorderless(bool borderless);
    void setGuestScale(DisplayScale scale);
    // Automatic: as many as this screen has, so that the picture is sharp on every desktop.
    [[nodiscard]] double guestPixelsPerPoint() const;
    // Pixels of this screen for one of the guest; 0 while its size is unknown.
    [[nodiscard]] double scale() const;
    [[nodiscard]] QRectF pictureRect() const; // in coordinates of the widget
    [[nodiscard]] QImage picture() const;     // a copy of the whole screen

    void grabInput();
    void releaseInput();
    [[nodiscard]] bool isInputGrabbed() const { return m_grabbed; }
    [[nodiscard]] const QString& grabNote() const { return m_grab.note(); }
    void sendKeys(const KeyCombination& keys) { m_keyboard.sendCombination(keys); }

    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void scaleChanged();
    void grabChanged();
    void updated(); // the guest drew something

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void takeDamage();
    void layOutPicture();
    [[nodiscard]] QSize naturalSize() const;
    void paintPicture(QPainter& painter, const QRegion& region);
    void rescale(const FrameView& frame, const QRegion& due);
    void sendPointer(const QPointF& position);
    void releaseButtons();
    void setShape(const PointerShape& shape);
    [[nodiscard]] QRect deviceRect(const QRect& logical) const;
    [[nodiscard]] QRect logicalRect(const QRect& device) const;
    [[nodiscard]] bool isScaled() const { return m_target.size() != m_guestSize; }

    Display* const m_display;
    Sizing m_sizing = Sizing::Fit;
    DisplayScale m_guestScale = automaticDisplayScale;
    bool m_borderless = false;
    bool m_grabbed = false;
    bool m_enterHeld = false; // it took the keyboard; its release is not for the guest
    QSize m_guestSize;
    QRect m_target;    // of the picture, in pixels of this screen
    qreal m_ratio = 1; // pixels of this screen for one of the widget
    FrameScaler m_scaler;
    QImage m_scaled; // only when it is scaled
    QRegion m_stale; // of m_scaled, to be made again
    GuestKeyboard m_keyboard;
    KeyboardGrab m_grab;
    quint8 m_buttons = 0; // of Display::sendPointer()
    QPoint m_pointer;     // of the guest
    QPoint m_wheel;       // what is left of a notch
};

} // namespace vitrine::ui
