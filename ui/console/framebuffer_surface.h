// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"
#include "ui/console/console_surface.h"

#include <QTimer>

#include <memory>

class QScrollArea;

namespace vitrine::ui {

class FramebufferView;

// The console's surface over a Display: our own view in a scroll area, which is only needed at 1:1.
class FramebufferSurface final : public ConsoleSurface {
    Q_OBJECT
public:
    explicit FramebufferSurface(std::unique_ptr<Display> display);
    ~FramebufferSurface() override;

    [[nodiscard]] QWidget* widget() const override;
    void setMachineName(const QString& name) override;
    void start() override;
    void stop() override;
    [[nodiscard]] Link link() const override;
    [[nodiscard]] QSize guestSize() const override;
    [[nodiscard]] QImage picture() const override;
    void setScaling(Scaling scaling) override;
    [[nodiscard]] Scaling scaling() const override { return m_scaling; }
    [[nodiscard]] double scale() const override;
    void setGuestScale(DisplayScale scale) override;
    [[nodiscard]] QString followReason() const override { return m_followReason; }
    void setBorderless(bool borderless) override;
    void grabKeyboard() override;
    void releaseKeyboard() override;
    [[nodiscard]] bool isKeyboardGrabbed() const override;
    [[nodiscard]] QString keyboardNote() const override;
    void sendKeys(const KeyCombination& keys) override;

    [[nodiscard]] FramebufferView* view() const { return m_view; }
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyScaling(Scaling scaling);
    void askGuestToFollow();
    void guestDidNotFollow(const QString& reason);
    void guestSizeSeen();

    const std::unique_ptr<Display> m_display;
    std::unique_ptr<QScrollArea> m_area;
    FramebufferView* const m_view;    // child of the area
    Scaling m_scaling = Scaling::Fit; // in force
    bool m_wantsFollow = false;       // asked for, even if the guest does not
    bool m_borderless = false;
    QString m_followReason;
    QTimer m_settled{this}; // the window's size stays as it is
    QTimer m_answer{this};  // how long a guest may take to follow
    QSize m_asked;          // of the guest, not yet answered by a new size
};

} // namespace vitrine::ui
