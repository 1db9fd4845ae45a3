// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/console_surface.h"

#include <QList>
#include <QWidget>

class QAbstractButton;
class QAction;
class QMenu;
class QPushButton;
class QToolButton;

namespace vitrine::ui {

class CopyButton;
class ElidedLabel;
class GlyphLabel;
class TextLabel;

// The row above the screen: what is shown, how large, keys to send, picture and full screen. Only
// asks; the page acts.
class ConsoleToolRow final : public QWidget {
    Q_OBJECT
public:
    explicit ConsoleToolRow(QWidget* parent = nullptr);

    enum class Content { Screen, Serial };
    // Shows the controls of one of the two.
    void setContent(Content content);
    void setTerminal(const QString& size,
                     const QString& pty); // of the serial console; may be empty
    // What the surface is set to. `scale` 0: unknown. `followReason` greys Follow Window.
    // `remark`: said where there is no reason; may be empty.
    void setScaling(ConsoleSurface::Scaling scaling,
                    double scale,
                    const QString& followReason,
                    const QString& remark = {});
    void setNaturalReason(const QString& reason); // greys 1:1; empty: it can be chosen
    // Of the settings, in words: "Refit is automatic in the settings: off for Linux guests."
    void setFollowWish(const QString& words);
    // `reason` greys the switch.
    void setClipboard(bool shared, const QString& reason);
    void setLive(bool live); // is there a screen that keys and picture can be taken of
    void setFullScreen(bool fullScreen);

    [[nodiscard]] QMenu* keysMenu() const { return m_keysMenu; }
    [[nodiscard]] QAbstractButton* button(ConsoleSurface::Scaling scaling) const;
    [[nodiscard]] QToolButton* pictureButton() const { return m_picture; }
    [[nodiscard]] QToolButton* fullScreenButton() const { return m_fullScreen; }
    [[nodiscard]] QString scaleText() const;
    [[nodiscard]] QString remarkText() const;
    [[nodiscard]] QString terminalText() const;
    [[nodiscard]] QAbstractButton* contentButton(Content content) const;
    [[nodiscard]] QToolButton* clipboardButton() const { return m_clipboard; }
    [[nodiscard]] QAction* sendTextAction() const { return m_sendText; }

Q_SIGNALS:
    void contentRequested(vitrine::ui::ConsoleToolRow::Content content);
    void terminalMenuRequested(const QPoint& globalPosition);
    void sendTextRequested();
    void clipboardRequested(bool shared);
    void copyPictureRequested();
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
    QToolButton* m_clipboard;
    QAction* m_sendText = nullptr;
    TextLabel* m_size;
    ElidedLabel* m_terminalText;
    CopyButton* m_copyPty;
    QPushButton* m_terminalMenu;
    QList<QWidget*> m_ofScreen; // shown with the screen only
    QList<QWidget*> m_ofSerial;
    Content m_content = Content::Screen;
    QString m_followReason;
    QString m_followWish;
};

} // namespace vitrine::ui
