// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/console_surface.h"
#include "vz/view/view_host.h"

#include <QPointer>
#include <QTimer>

#include <memory>

class QLabel;
class QWidget;

namespace vitrine::vz {

// The console's surface over a view of the system's own framework, which paints and takes keys and
// pointer by itself. The view lies above everything that Qt paints in its window.
class EmbeddedSurface final : public ui::ConsoleSurface {
    Q_OBJECT
public:
    // Which keys the guest gets while it has the keyboard.
    enum class Keys { Ordinary, SystemToo };
    EmbeddedSurface(std::unique_ptr<ViewHost> host, Keys keys);
    ~EmbeddedSurface() override;

    // The machine that is shown; null before it is made and before it goes.
    void setMachine(const Machine* machine);
    // The view is hidden, as nothing can be painted over it, and words are in its place.
    void setPaused(bool paused);
    // There is a picture, if the system gives one.
    [[nodiscard]] bool isShown() const { return m_machine != nullptr && (m_shown || m_paused); }
    void displayReconfigured(); // MachineEvents: the guest has another size
    bool eventFilter(QObject* watched, QEvent* event) override;

    [[nodiscard]] QWidget* widget() const override;
    void setMachineName(const QString& name) override;
    void start() override;
    void stop() override;
    [[nodiscard]] Link link() const override;
    [[nodiscard]] QSize guestSize() const override { return m_guestSize; }
    // Of a paused machine the last one.
    [[nodiscard]] QImage picture() const override;
    void setScaling(Scaling scaling) override;
    [[nodiscard]] Scaling scaling() const override { return m_scaling; }
    [[nodiscard]] double scale() const override;
    void setGuestScale(DisplayScale scale) override;
    [[nodiscard]] QString followReason() const override;
    [[nodiscard]] QString naturalReason() const override;
    void setBorderless(bool borderless) override;
    void grabKeyboard() override;
    void releaseKeyboard() override;
    [[nodiscard]] bool isKeyboardGrabbed() const override { return m_grabbed; }
    [[nodiscard]] QString keyboardNote() const override;
    void sendKeys(const ui::KeyCombination& keys) override;
    [[nodiscard]] bool isNative() const override { return true; }
    void setCovered(bool covered) override;
    [[nodiscard]] bool hasPicture() const override { return m_machine != nullptr; }

private:
    void focusChanged(bool focused);
    void focusMoved(const QWidget* now); // Qt's own
    void applyHidden();
    void readGuestSize();

    const std::unique_ptr<ViewHost> m_host;
    const Keys m_keys;
    QPointer<QWidget> m_widget;    // ours, unless its parent has taken it with it
    QPointer<QWidget> m_container; // child of it; owns the host's window
    const Machine* m_machine = nullptr;
    QPointer<QLabel> m_words; // behind the view
    bool m_shown = true;
    bool m_paused = false;
    bool m_covered = false;
    bool m_grabbed = false;
    Scaling m_scaling = Scaling::Fit;
    QSize m_guestSize;
    QImage m_last;       // while it is paused
    QTimer m_poll{this}; // the framework tells of sizes it was asked for only
};

} // namespace vitrine::vz
