// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/console_facts.h"
#include "ui/console/console_surface.h"
#include "ui/console/console_tool_row.h"
#include "ui/console/keyboard_layout.h"

#include <QElapsedTimer>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <memory>

class QAction;
class QMenu;
class QStackedWidget;

namespace vitrine {
class Display;
class MachineClient;
} // namespace vitrine

namespace vitrine::ui {

class ClipboardBridge;
class ConsoleNotice;
class ConsoleStatusLine;
class DisplayScaleWatch;
class FullScreenWindow;
class MessageBar;
class SendTextDialog;
class SerialPanel;
class TextTyper;

// The screen and the serial console of one machine, or words why there is none. Both are fetched
// only while they are visible. Window thread only.
class ConsolePage final : public QWidget {
    Q_OBJECT
public:
    using OpenDisplay = std::function<std::unique_ptr<Display>(const QString& socket)>;
    using OpenSurface = std::function<std::unique_ptr<ConsoleSurface>(const QString& socket)>;

    explicit ConsolePage(OpenDisplay openDisplay, QWidget* parent = nullptr);
    // Screens of machines that this process hosts, by the machine's name.
    struct Hosted {
        std::function<bool(const QString& machine)> isHosted;
        OpenSurface open;
    };
    // Where screens cannot leave their process: no other machine's is shown.
    explicit ConsolePage(Hosted hosted, QWidget* parent = nullptr);
    // For a view of the system's own framework instead of ours.
    explicit ConsolePage(OpenSurface openSurface, QWidget* parent = nullptr);
    ~ConsolePage() override;

    // To be called for another machine and whenever `info` changes. `client` may be null, is
    // observed, and its changes are followed from here on.
    void showMachine(const MachineInfo& info, MachineClient* client);
    void showFacts(const ConsoleFacts& facts); // the same without a library and a client
    // The machine was told to start: counts from now until its process tells a state.
    void setStarting();
    // Shown until the next start. `reason` translated; `log` may be empty.
    void setStartFailure(const QString& reason, const QString& log = {});

    // While something is painted over the page, which a native view would hide.
    void setCovered(bool covered);
    void setFullScreen(bool fullScreen);
    [[nodiscard]] bool isFullScreenShown() const;
    // Writes a PNG file in the background; pictureSaved() or a message on the page follows.
    void savePicture(const QString& path);
    void copyPicture(); // to the clipboard
    void showContent(ConsoleToolRow::Content content);
    [[nodiscard]] ConsoleToolRow::Content content() const { return m_content; }
    SendTextDialog* askForText(); // null without a screen

    [[nodiscard]] QMenu* keysMenu() const;
    [[nodiscard]] QAction* fullScreenAction() const { return m_fullScreenAction; }
    [[nodiscard]] QAction* pictureAction() const { return m_pictureAction; }
    [[nodiscard]] QAction* copyPictureAction() const { return m_copyPictureAction; }
    [[nodiscard]] ConsoleSurface* surface() const { return m_surface.get(); } // null: no screen
    [[nodiscard]] ConsoleNotice* notice() const { return m_notice; }
    [[nodiscard]] ConsoleToolRow* toolRow() const { return m_toolRow; }
    [[nodiscard]] ConsoleStatusLine* statusLine() const { return m_statusLine; }
    [[nodiscard]] MessageBar* messageBar() const { return m_message; }
    [[nodiscard]] SerialPanel* serialPanel() const { return m_serial; }
    [[nodiscard]] ClipboardBridge* clipboard() const { return m_clipboard; }
    [[nodiscard]] TextTyper* typer() const { return m_typer; }
    [[nodiscard]] bool isScreenShown() const;
    [[nodiscard]] bool isSerialShown() const;

Q_SIGNALS:
    void startRequested();
    void resumeRequested(); // of a paused machine
    void pictureSaved(const QString& path);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] ConsoleFacts factsNow() const;
    void build();
    void connectTools();
    void refresh();
    void showNotice();
    void applySerial();
    void applyClipboard();
    void askForSerial();
    void applyTerminal();
    void typeText(const QList<KeyStroke>& strokes);
    [[nodiscard]] QString surfaceKey() const; // empty: there is none to be had now
    void openSurface();
    void closeSurface();
    void applyStream();
    void applyTools();
    void applyMessage();
    void tick();
    void fetchLog();
    void choosePicturePath();
    void pictureWritten(const QString& path, const QString& error);

    OpenSurface m_openSurface;                      // by socket, or by name with a host
    std::function<bool(const QString&)> m_isHosted; // empty: machines have processes of their own
    ConsoleToolRow* m_toolRow = nullptr;
    MessageBar* m_message = nullptr;
    QStackedWidget* m_stack = nullptr;
    ConsoleNotice* m_notice = nullptr;
    QWidget* m_screen = nullptr; // holds the surface's widget
    ConsoleStatusLine* m_statusLine = nullptr;
    QAction* m_fullScreenAction = nullptr;
    QAction* m_pictureAction = nullptr;
    QAction* m_copyPictureAction = nullptr;
    SerialPanel* m_serial = nullptr;
    ClipboardBridge* m_clipboard = nullptr;
    TextTyper* m_typer = nullptr;
    DisplayScaleWatch* m_guestScale = nullptr;

    MachineInfo m_info;
    QPointer<MachineClient> m_client;
    ConsoleFacts m_facts;
    QString m_startFailure;
    QString m_linkFailure;
    QString m_failureLog;
    bool m_seen = false;
    bool m_starting = false; // told to, and no state has come since
    bool m_logAsked = false;
    bool m_serialAsked = false;
    QElapsedTimer m_since; // in this state
    QTimer m_tick{this};   // each second while something counts
    int m_updates = 0;     // in this second
    ConsoleSurface::Scaling m_scaling = ConsoleSurface::Scaling::Fit; // asked for
    ConsoleToolRow::Content m_content = ConsoleToolRow::Content::Screen;
    KeyboardLayout m_layout = KeyboardLayout::UnitedStates;
    QString m_pty; // of the serial line, as far as the machine tells
    std::unique_ptr<ConsoleSurface> m_surface;
    QString m_surfaceKey; // what it was opened by
    bool m_covered = false;
    QPointer<FullScreenWindow> m_fullScreen;
};

} // namespace vitrine::ui
