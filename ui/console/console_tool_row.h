// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/console_surface.h"

#include <QWidget>

class QAbstractButton;
class QAction;
class QMenu;
class QPushButton;
class QToolButton;

namespace vitrine::ui {

class ElidedLabel;
class GlyphLabel;
class TextLabel;

// The row above the screen: what is shown, how large, keys to send, picture and full screen. Only
// asks; the page acts.
class ConsoleToolRow final : public QWidget {
    Q_OBJECT
public:
    explicit ConsoleToolRow(QWidget* parent = nullptr);

    // What the surface is set to. `scale` 0: unknown. `followReason` greys Follow Window.
    void setScaling(ConsoleSurface::Scaling scaling, double scale, const QString& followReason);
    void setLive(bool live); // is there a screen that keys and picture can be taken of
    void setFullScreen(bool fullScreen);

    [[nodiscard]] QMenu* keysMenu() const { return m_keysMenu; }
    [[nodiscard]] QAbstractButton* button(ConsoleSurface::Scaling scaling) const;
    [[nodiscard]] QToolButton* pictureButton() const { return m_picture; }
    [[nodiscard]] QToolButton* fullScreenButton() const { return m_fullScreen; }
    [[nodiscard]] QString scaleText() const;

Q_SIGNALS:
    void scalingRequested(vitrine::ui::ConsoleSurface::Scaling scaling);
    void keysRequested(const vitrine::ui::KeyCombination& keys);
    void pictureRequested();
    void fullScreenRequested();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void fillKeysMenu();

    QPushButton* m_screen;
    QPushButton* m_serial;
    QPushButton* m_fit;
    QPushButton* m_natural;
    QPushButton* m_follow;
    TextLabel* m_scale;
    GlyphLabel* m_lock;
    ElidedLabel* m_reason;
    QPushButton* m_keys;
    QMenu* m_keysMenu;
    QToolButton* m_picture;
    QToolButton* m_fullScreen;
};

} // namespace vitrine::ui
