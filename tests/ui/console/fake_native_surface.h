// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/console_surface.h"

#include <QWidget>

#include <memory>

namespace vitrine::test {

// Shows a dark screen and notes what it is told; without a size, as before macOS 14.
class FakeNativeSurface final : public ui::ConsoleSurface {
public:
    FakeNativeSurface()
        : m_widget(std::make_unique<QWidget>()) {
        QPalette dark;
        dark.setColor(QPalette::Window, QColor(0x20, 0x28, 0x38));
        m_widget->setPalette(dark);
        m_widget->setAutoFillBackground(true);
    }
    QWidget* widget() const override { return m_widget.get(); }
    void setMachineName(const QString&) override {}
    void start() override { link_ = Link::Live; }
    void stop() override { link_ = Link::Off; }
    Link link() const override { return link_; }
    QSize guestSize() const override { return {}; }
    QImage picture() const override { return {}; }
    void setScaling(Scaling scaling) override { scaling_ = scaling; }
    Scaling scaling() const override { return scaling_; }
    double scale() const override { return 0; }
    void setGuestScale(DisplayScale) override {}
    QString followReason() const override { return {}; }
    void setBorderless(bool) override {}
    void grabKeyboard() override { grab(true); }
    void releaseKeyboard() override { grab(false); }
    bool isKeyboardGrabbed() const override { return grabbed; }
    QString keyboardNote() const override { return QStringLiteral("Command-Tab stays here."); }
    void sendKeys(const ui::KeyCombination&) override {}
    bool isNative() const override { return true; }
    QString naturalReason() const override { return QStringLiteral("It is fitted."); }
    void setCovered(bool on) override { covered = on; }
    bool hasPicture() const override { return pictured; }
    void grab(bool on) {
        grabbed = on;
        Q_EMIT keyboardChanged();
    }
    bool covered = false;
    bool pictured = true;
    bool grabbed = false;
    Link link_ = Link::Off;
    Scaling scaling_ = Scaling::Fit;

private:
    std::unique_ptr<QWidget> m_widget;
};

} // namespace vitrine::test
