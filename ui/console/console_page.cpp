// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_page.h"

#include "core/hypervisor/display.h"
#include "core/hypervisor/machine_client.h"
#include "core/value/plain_text.h"
#include "ui/console/clipboard_bridge.h"
#include "ui/console/console_notice.h"
#include "ui/console/console_status_line.h"
#include "ui/console/display_scale_watch.h"
#include "ui/console/framebuffer_surface.h"
#include "ui/console/full_screen_window.h"
#include "ui/console/picture_writer.h"
#include "ui/console/serial_panel.h"
#include "ui/console/text_typer.h"
#include "ui/terminal/terminal_view.h"
#include "ui/widgets/message_bar.h"

#include <QAction>
#include <QDateTime>
#include <QJsonObject>
#include <QMenu>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace vitrine::ui {

namespace {

constexpr qint64 longStart = 5000; // ms; then the log is shown
constexpr int logLines = 12;

QString lastLines(const QString& text, int count) {
    const QStringList lines = text.trimmed().split(QLatin1Char('\n'));
    return lines.mid(qMax<qsizetype>(0, lines.size() - count)).join(QLatin1Char('\n'));
}

// What the settings wish, for the tool tip of the console's own switch.
QString refitWords(const ConsoleFacts& facts) {
    switch (facts.refit) {
    case Refit::On:
        return ConsolePage::tr("Refit is on in the settings.");
    case Refit::Off:
        return ConsolePage::tr("Refit is off in the settings.");
    case Refit::Automatic:
        break;
    }
    return facts.followsWindow
               ? ConsolePage::tr("Refit is automatic in the settings: on for this guest.")
               : ConsolePage::tr("Refit is automatic in the settings: off for Linux guests.");
}

} // namespace

ConsolePage::ConsolePage(OpenDisplay openDisplay, QWidget* parent)
    : ConsolePage(OpenSurface([open = std::move(openDisplay)](
                                  const QString& socket) -> std::unique_ptr<ConsoleSurface> {
                      std::unique_ptr<Display> display = open(socket);
                      return display ? std::make_unique<FramebufferSurface>(std::move(display))
                                     : nullptr;
                  }),
                  parent) {}

ConsolePage::ConsolePage(Hosted hosted, QWidget* parent)
    : ConsolePage(std::move(hosted.open), parent) {
    m_isHosted = std::move(hosted.isHosted);
}

ConsolePage::ConsolePage(OpenSurface openSurface, QWidget* parent)
    : QWidget(parent)
    , m_openSurface(std::move(openSurface)) {
    build();
    m_tick.setInterval(1000);
    connect(&m_tick, &QTimer::timeout, this, &ConsolePage::tick);
    m_since.start();
    refresh();
}

ConsolePage::~ConsolePage() {
    closeSurface();
}

void ConsolePage::build() {
    m_toolRow = new ConsoleToolRow(this);
    m_message = new MessageBar(this);
    m_stack = new QStackedWidget(this);
    m_notice = new ConsoleNotice(m_stack);
    m_screen = new QWidget(m_stack);
    m_statusLine = new ConsoleStatusLine(this);
    auto* screenLayout = new QVBoxLayout(m_screen);
    screenLayout->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(m_notice);
    m_stack->addWidget(m_screen);
    m_serial = new SerialPanel(m_stack);
    m_stack->addWidget(m_serial);
    m_clipboard = new ClipboardBridge(this);
    m_guestScale = new DisplayScaleWatch(this);
    connect(m_guestScale, &DisplayScaleWatch::changed, this, [this] {
        if (m_surface) {
            m_surface->setGuestScale(m_guestScale->scale());
        }
    });
    m_typer = new TextTyper(
        [this](const KeyStroke& stroke) {
            if (m_surface) {
                m_surface->sendKeys({{}, stroke});
            }
        },
        this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_toolRow);
    layout->addWidget(m_message);
    layout->addWidget(m_stack, 1);
    layout->addWidget(m_statusLine);

    m_fullScreenAction = new QAction(tr("Full Screen"), this);
    m_fullScreenAction->setShortcut(Qt::Key_F11);
    m_pictureAction = new QAction(tr("Save Picture of Screen…"), this);
    m_pictureAction->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_S);
    m_copyPictureAction = new QAction(tr("Copy Picture of Screen"), this);
    m_copyPictureAction->setShortcut(Qt::CTRL | Qt::SHIFT | Qt::Key_G);
    for (QAction* action : {m_fullScreenAction, m_pictureAction, m_copyPictureAction}) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
    connectTools();
}

void ConsolePage::showMachine(const MachineInfo& info, MachineClient* client) {
    m_info = info;
    m_clipboard->setClient(client);
    if (client != m_client) {
        if (m_client) {
            m_client->disconnect(this);
        }
        m_client = client;
        if (client != nullptr) {
            const auto follow = [this] { showFacts(factsNow()); };
            connect(client, &MachineClient::connectedChanged, this, follow);
            connect(client, &MachineClient::statusChanged, this, follow);
        }
    }
    showFacts(factsNow());
}

ConsoleFacts ConsolePage::factsNow() const {
    ConsoleFacts facts = consoleFacts(m_info, m_client);
    if (m_isHosted) {
        facts.screen =
            m_isHosted(facts.name) ? ConsoleFacts::Screen::Hosted : ConsoleFacts::Screen::Elsewhere;
    }
    return facts;
}

void ConsolePage::showFacts(const ConsoleFacts& facts) {
    if (facts.directory != m_facts.directory) {
        closeSurface();
        m_guestScale->follow(facts.directory);
        m_startFailure.clear();
        m_failureLog.clear();
        m_starting = false;
        m_message->clear();
        m_typer->stop();
        m_serial->forget();
        m_serial->setMachineName(facts.name);
        m_scaling =
            facts.followsWindow ? ConsoleSurface::Scaling::Follow : ConsoleSurface::Scaling::Fit;
    } else if (facts.followsWindow != m_facts.followsWindow) {
        m_scaling = // the settings were changed
            facts.followsWindow ? ConsoleSurface::Scaling::Follow : ConsoleSurface::Scaling::Fit;
        if (m_surface) {
            m_surface->setScaling(m_scaling);
        }
    }
    const bool changed = facts.directory != m_facts.directory || facts.state != m_facts.state ||
                         facts.answers != m_facts.answers;
    if (changed) {
        m_since.restart();
        m_notice->setLog({});
        m_logAsked = false;
    }
    if (facts.state != m_facts.state && facts.state != MachineState::Stopped) {
        m_starting = false;
        m_startFailure.clear();
        m_failureLog.clear();
    }
    if (facts.serialSocket != m_facts.serialSocket) {
        m_pty.clear();
        m_serialAsked = false;
    }
    m_facts = facts;
    applySerial();
    refresh();
}

void ConsolePage::setStarting() {
    m_starting = true;
    m_startFailure.clear();
    m_failureLog.clear();
    m_logAsked = false;
    m_notice->setLog({});
    m_since.restart();
    refresh();
}

void ConsolePage::setStartFailure(const QString& reason, const QString& log) {
    m_starting = false;
    m_startFailure = reason;
    m_failureLog = log;
    refresh();
}

void ConsolePage::refresh() {
    if (!surfaceKey().isEmpty()) {
        openSurface();
    } else if (!m_facts.runs() || m_isHosted) {
        closeSurface(); // a machine whose process is silent keeps its last picture
    }
    applyStream();

    const bool hasPicture = m_surface && m_surface->hasPicture();
    const bool serial = m_content == ConsoleToolRow::Content::Serial;
    const bool hasContent = serial ? m_serial->isConnected() || m_serial->hasContent() : hasPicture;
    QWidget* shown = serial ? static_cast<QWidget*>(m_serial) : m_screen;
    m_stack->setCurrentWidget(hasContent ? shown : static_cast<QWidget*>(m_notice));
    if (serial && !hasContent && !m_facts.serialSocket.isEmpty()) {
        m_stack->setCurrentWidget(m_serial); // it connects only where it can be seen
    }
    if (m_stack->currentWidget() == m_notice) {
        showNotice();
    }
    m_notice->setVisible(m_stack->currentWidget() == m_notice && !m_facts.name.isEmpty());
    applyTools();
    applyMessage();
}

void ConsolePage::showNotice() {
    ConsoleFacts shown = m_facts;
    const bool waits =
        shown.state == MachineState::Stopped || shown.state == MachineState::Suspended;
    if (m_starting && waits) {
        shown.state = MachineState::Starting;
    }
    const bool starting = shown.state == MachineState::Starting;
    qint64 milliseconds = m_since.elapsed();
    if (starting && shown.startedAt.isValid()) {
        milliseconds = qMax<qint64>(0, shown.startedAt.msecsTo(QDateTime::currentDateTimeUtc()));
    }
    const QString failure = shown.runs()               ? m_linkFailure
                            : m_startFailure.isEmpty() ? shown.reason
                                                       : m_startFailure;
    ConsoleWords words = consoleWords(shown, failure, milliseconds / 1000);
    if (m_content == ConsoleToolRow::Content::Serial && shown.runs() && shown.answers) {
        words.title = tr("No serial console");
        words.text = tr("The machine was started by an older version. Restart it to use its serial "
                        "console here.");
    }
    m_notice->setIcon(words.icon);
    m_notice->setTexts(words.title, words.text);
    m_notice->setAction(words.action);
    if (!starting) {
        m_notice->setLog(m_failureLog);
    }
}

QString ConsolePage::surfaceKey() const {
    if (!m_facts.runs() || m_facts.screen == ConsoleFacts::Screen::Elsewhere) {
        return {};
    }
    return m_facts.screen == ConsoleFacts::Screen::Hosted ? m_facts.name : m_facts.socket;
}

void ConsolePage::openSurface() {
    if (m_surface && m_surfaceKey == surfaceKey()) {
        return;
    }
    closeSurface();
    m_surface = m_openSurface(surfaceKey());
    if (!m_surface) {
        return;
    }
    m_surfaceKey = surfaceKey();
    m_surface->setCovered(m_covered);
    m_surface->setMachineName(plainText(m_facts.name));
    m_screen->layout()->addWidget(m_surface->widget());
    m_surface->widget()->show();
    m_surface->setGuestScale(m_guestScale->scale());
    m_surface->setScaling(m_scaling);
    ConsoleSurface* surface = m_surface.get();
    connect(surface, &ConsoleSurface::linkChanged, this, [this] {
        if (m_surface->link() == ConsoleSurface::Link::Live) {
            m_linkFailure.clear();
        }
        m_since.restart();
        refresh();
    });
    connect(surface, &ConsoleSurface::failed, this, [this](const QString& message) {
        m_linkFailure = message;
        refresh();
    });
    connect(surface, &ConsoleSurface::guestSizeChanged, this, &ConsolePage::refresh);
    connect(surface, &ConsoleSurface::scaleChanged, this, &ConsolePage::applyTools);
    connect(surface, &ConsoleSurface::scalingChanged, this, [this] { applyTools(); });
    connect(surface, &ConsoleSurface::keyboardChanged, this, [this] {
        if (m_surface->isNative()) { // a click into it is not told to Qt
            m_clipboard->setActive(m_surface->isKeyboardGrabbed());
        }
        applyTools();
    });
    connect(surface, &ConsoleSurface::updated, this, [this] { ++m_updates; });
}

void ConsolePage::closeSurface() {
    if (!m_surface) {
        return;
    }
    const std::unique_ptr<ConsoleSurface> closing = std::move(m_surface);
    closing->disconnect(this);
    m_typer->stop();
    m_clipboard->setActive(false);
    m_surfaceKey.clear();
    m_linkFailure.clear();
    if (m_fullScreen) {
        m_fullScreen->disconnect(this);
        m_fullScreen->close();
        m_fullScreen.clear();
    }
}

void ConsolePage::applyStream() {
    const bool seen = m_seen || m_fullScreen != nullptr;
    if (m_surface) {
        const bool streams = m_surface->link() != ConsoleSurface::Link::Off;
        if (seen && !streams) {
            m_surface->start();
        } else if (!seen && streams) {
            m_surface->stop();
        }
    }
    const bool counts = seen && (m_surface || m_starting || m_facts.runs() ||
                                 m_facts.state == MachineState::Starting);
    if (counts && !m_tick.isActive()) {
        m_updates = 0;
        m_tick.start();
    } else if (!counts) {
        m_tick.stop();
    }
}

bool ConsolePage::isScreenShown() const {
    return m_stack->currentWidget() == m_screen;
}

bool ConsolePage::isSerialShown() const {
    return m_stack->currentWidget() == m_serial;
}

void ConsolePage::applyTools() {
    const bool hasPicture = m_surface && m_surface->hasPicture();
    const bool live = hasPicture && m_surface->link() == ConsoleSurface::Link::Live;
    m_toolRow->setLive(live);
    m_pictureAction->setEnabled(hasPicture);
    m_fullScreenAction->setEnabled(live || isFullScreenShown());
    m_copyPictureAction->setEnabled(m_pictureAction->isEnabled());
    m_toolRow->setContent(m_content);
    m_toolRow->setFollowWish(refitWords(m_facts));
    const bool follows = live && m_surface->scaling() == ConsoleSurface::Scaling::Follow &&
                         !m_surface->guestSize().isEmpty();
    m_toolRow->setScaling(m_surface ? m_surface->scaling() : m_scaling,
                          m_surface ? m_surface->scale() : 0,
                          m_surface ? m_surface->followReason() : QString(),
                          follows ? tr("Refit: the guest has %1 × %2")
                                        .arg(m_surface->guestSize().width())
                                        .arg(m_surface->guestSize().height())
                                  : QString());
    m_toolRow->setNaturalReason(m_surface ? m_surface->naturalReason() : QString());
    applyClipboard();
    using Keyboard = ConsoleStatusLine::Keyboard;
    if (m_content == ConsoleToolRow::Content::Serial) {
        m_statusLine->setRate(-1);
        m_statusLine->setKeyboard(!m_serial->isConnected()       ? Keyboard::Unavailable
                                  : m_serial->view()->hasFocus() ? Keyboard::InTerminal
                                                                 : Keyboard::AtTerminal);
    } else if (!live) {
        m_statusLine->setKeyboard(Keyboard::Unavailable);
        m_statusLine->setRate(-1);
    } else if (m_surface->isKeyboardGrabbed()) {
        m_statusLine->setKeyboard(Keyboard::InGuest, m_surface->keyboardNote());
    } else {
        m_statusLine->setKeyboard(Keyboard::Here);
    }
}

void ConsolePage::applyMessage() {
    if (m_typer->isRunning()) {
        return; // it says how far it is
    }
    if (isSerialShown() && !m_serial->isConnected() && m_serial->hasContent()) {
        const QString title = tr("This is the last the guest said.");
        const QString text = m_facts.runs() ? tr("It is connected again by itself.")
                                            : tr("The machine does not run any more.");
        if (!m_message->isShown() || m_message->text() != title + QLatin1Char(' ') + text) {
            m_message->showMessage(MessageBar::Kind::Info, title, text);
            m_message->setDismissible(false);
        }
        return;
    }
    if (!isScreenShown()) {
        if (m_message->kind() != MessageBar::Kind::Error) {
            m_message->clear();
        }
        return;
    }
    const auto say = [this](MessageBar::Kind kind, const QString& title, const QString& text) {
        if (m_message->isShown() && m_message->text() == title + QLatin1Char(' ') + text) {
            return false;
        }
        m_message->showMessage(kind, title, text);
        m_message->setDismissible(false);
        return true;
    };
    if (!m_facts.answers || m_surface->link() != ConsoleSurface::Link::Live) {
        if (m_seen) {
            say(MessageBar::Kind::Warning,
                tr("This is the last picture."),
                m_linkFailure.isEmpty()
                    ? tr("The machine does not answer now. It is connected again by itself.")
                    : m_linkFailure);
        }
    } else if (!m_facts.responding) {
        say(MessageBar::Kind::Warning,
            tr("The machine does not respond."),
            tr("This is the last picture. Wait, or force the machine off; what the guest has not "
               "written is then lost."));
    } else if (m_facts.state == MachineState::Paused) {
        if (say(MessageBar::Kind::Info,
                tr("The machine is paused."),
                tr("Its screen stands still until it is resumed."))) {
            m_message->addAction(tr("Resume"), [this] { Q_EMIT resumeRequested(); });
        }
    } else if (m_message->kind() != MessageBar::Kind::Error) {
        m_message->clear();
    }
}

void ConsolePage::tick() {
    if (isScreenShown() && m_surface->link() == ConsoleSurface::Link::Live) {
        m_statusLine->setRate(m_surface->isNative() ? -1 : m_updates); // it counts none
    } else if (isSerialShown() && m_serial->isConnected()) {
        m_statusLine->setRate(-1);
    } else {
        refresh();
        if (m_since.elapsed() > longStart) {
            fetchLog();
        }
    }
    m_updates = 0;
}

void ConsolePage::fetchLog() {
    if (m_logAsked || !m_client || !m_client->isConnected()) {
        return;
    }
    m_logAsked = true;
    m_client->call(QStringLiteral("log"),
                   {},
                   [page = QPointer<ConsolePage>(this),
                    directory = m_facts.directory](const Result<QJsonValue>& reply) {
                       if (!page || page->m_facts.directory != directory) {
                           return;
                       }
                       page->m_logAsked = false;
                       if (reply && page->m_facts.state == MachineState::Starting) {
                           const QString text =
                               reply->toObject().value(QLatin1String("text")).toString();
                           page->m_notice->setLog(lastLines(text, logLines));
                       }
                   });
}

void ConsolePage::setCovered(bool covered) {
    m_covered = covered;
    if (m_surface) {
        m_surface->setCovered(covered);
    }
}

void ConsolePage::setFullScreen(bool fullScreen) {
    if (fullScreen == isFullScreenShown()) {
        return;
    }
    if (!fullScreen) {
        m_fullScreen->close();
        return;
    }
    if (!m_surface) {
        return;
    }
    m_surface->releaseKeyboard();
    m_fullScreen = new FullScreenWindow(m_surface->widget(),
                                        m_surface->isNative() ? FullScreenWindow::Hint::Above
                                                              : FullScreenWindow::Hint::Over,
                                        this);
    m_fullScreen->setWindowTitle(plainText(m_facts.name));
    m_surface->setBorderless(true);
    connect(m_fullScreen, &FullScreenWindow::closing, this, [this] {
        m_fullScreen.clear();
        if (m_surface) {
            m_surface->releaseKeyboard();
            m_surface->setBorderless(false);
            m_screen->layout()->addWidget(m_surface->widget());
            m_surface->widget()->show();
        }
        refresh();
    });
    m_fullScreen->showFullScreen();
    m_surface->widget()->setFocus();
    refresh();
}

bool ConsolePage::isFullScreenShown() const {
    return !m_fullScreen.isNull();
}

QMenu* ConsolePage::keysMenu() const {
    return m_toolRow->keysMenu();
}

void ConsolePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_seen = true;
    refresh();
}

void ConsolePage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_seen = false; // also when the window is made an icon, which isVisible() does not tell
    applyStream();
}

} // namespace vitrine::ui
