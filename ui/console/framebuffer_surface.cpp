// SPDX-License-Identifier: Apache-2.0
#include "ui/console/framebuffer_surface.h"

#include "ui/console/framebuffer_view.h"

#include <QEvent>
#include <QScrollArea>

namespace vitrine::ui {

namespace {

constexpr int settleTime = 300;  // ms
constexpr int answerTime = 3000; // ms; desktops take a few hundred

// Answers to a request for another size: RFB's ExtendedDesktopSize, y of the rectangle.
constexpr int answerDone = 0;
constexpr int answerForwarded = 4;

} // namespace

FramebufferSurface::FramebufferSurface(std::unique_ptr<Display> display)
    : m_display(std::move(display))
    , m_area(std::make_unique<QScrollArea>())
    , m_view(new FramebufferView(m_display.get())) {
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setAlignment(Qt::AlignCenter);
    m_area->setFocusPolicy(Qt::NoFocus);
    m_area->setBackgroundRole(QPalette::Window);
    m_area->setWidget(m_view);
    m_area->setFocusProxy(m_view);
    m_area->viewport()->installEventFilter(this);
    m_settled.setSingleShot(true);
    m_settled.setInterval(settleTime);
    m_answer.setSingleShot(true);
    m_answer.setInterval(answerTime);
    connect(&m_settled, &QTimer::timeout, this, &FramebufferSurface::askGuestToFollow);
    connect(&m_answer, &QTimer::timeout, this, [this] {
        guestDidNotFollow(tr("A text console cannot follow the window's size."));
    });
    connect(m_display.get(), &Display::stateChanged, this, [this] {
        if (link() == Link::Live) {
            askGuestToFollow();
        } else {
            m_answer.stop();
            m_asked = QSize();
            m_view->releaseInput();
        }
        Q_EMIT linkChanged();
    });
    connect(m_display.get(), &Display::sizeChanged, this, &FramebufferSurface::guestSizeSeen);
    connect(m_display.get(), &Display::resizeAnswered, this, [this](int status) {
        if (m_asked.isValid() && status != answerDone && status != answerForwarded) {
            guestDidNotFollow(tr("This machine's display cannot change its size while it runs."));
        }
    });
    connect(m_display.get(), &Display::failed, this, &ConsoleSurface::failed);
    connect(m_view, &FramebufferView::scaleChanged, this, &ConsoleSurface::scaleChanged);
    connect(m_view, &FramebufferView::grabChanged, this, &ConsoleSurface::keyboardChanged);
    connect(m_view, &FramebufferView::updated, this, &ConsoleSurface::updated);
}

FramebufferSurface::~FramebufferSurface() {
    m_view->disconnect(this);
    m_area->viewport()->removeEventFilter(this);
    m_area.reset(); // the view uses the display to its end
}

QWidget* FramebufferSurface::widget() const {
    return m_area.get();
}

void FramebufferSurface::setMachineName(const QString& name) {
    m_view->setAccessibleName(tr("Screen of \"%1\"").arg(name));
    m_view->setAccessibleDescription(
        tr("Press Enter to give the keyboard to the guest, Right Ctrl to take it back."));
}

void FramebufferSurface::start() {
    m_display->connectToGuest();
}

void FramebufferSurface::stop() {
    m_view->releaseInput();
    m_display->disconnectFromGuest();
}

ConsoleSurface::Link FramebufferSurface::link() const {
    switch (m_display->state()) {
    case Display::State::Connected:
        return Link::Live;
    case Display::State::Connecting:
        return Link::Connecting;
    case Display::State::Disconnected:
        break;
    }
    return Link::Off;
}

QSize FramebufferSurface::guestSize() const {
    return m_display->size();
}

QImage FramebufferSurface::picture() const {
    return m_view->picture();
}

void FramebufferSurface::setScaling(Scaling scaling) {
    m_wantsFollow = scaling == Scaling::Follow;
    m_followReason.clear(); // may be asked for once more
    applyScaling(scaling);
}

void FramebufferSurface::applyScaling(Scaling scaling) {
    if (scaling == m_scaling) {
        return;
    }
    m_scaling = scaling;
    const bool natural = scaling == Scaling::Natural;
    m_area->setWidgetResizable(!natural);
    m_view->setSizing(natural ? FramebufferView::Sizing::Natural : FramebufferView::Sizing::Fit);
    if (natural) {
        m_view->resize(m_view->sizeHint());
    }
    m_answer.stop();
    m_asked = QSize();
    Q_EMIT scalingChanged();
    if (scaling == Scaling::Follow) {
        askGuestToFollow();
    }
}

double FramebufferSurface::scale() const {
    return m_view->scale();
}

void FramebufferSurface::setGuestScale(DisplayScale scale) {
    m_view->setGuestScale(scale);
    if (m_scaling == Scaling::Natural) {
        m_view->resize(m_view->sizeHint());
    }
    askGuestToFollow();
}

void FramebufferSurface::setBorderless(bool borderless) {
    m_borderless = borderless;
    m_view->setBorderless(borderless);
}

void FramebufferSurface::grabKeyboard() {
    m_view->grabInput();
}

void FramebufferSurface::releaseKeyboard() {
    m_view->releaseInput();
}

bool FramebufferSurface::isKeyboardGrabbed() const {
    return m_view->isInputGrabbed();
}

QString FramebufferSurface::keyboardNote() const {
    return m_view->grabNote();
}

void FramebufferSurface::sendKeys(const KeyCombination& keys) {
    m_view->sendKeys(keys);
}

bool FramebufferSurface::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_area->viewport() && event->type() == QEvent::Resize && m_wantsFollow) {
        m_settled.start(); // also when it did not follow before: another program may run by now
    }
    return ConsoleSurface::eventFilter(watched, event);
}

void FramebufferSurface::askGuestToFollow() {
    if (!m_wantsFollow || link() != Link::Live) {
        return;
    }
    const int border = m_borderless ? 0 : 2 * FramebufferView::room;
    const QSize room = m_area->viewport()->size() - QSize(border, border);
    if (room.isEmpty()) {
        return;
    }
    // Eight pixels: some guests only know widths that are multiples of it.
    QSize wanted = (QSizeF(room) * m_view->guestPixelsPerPoint()).toSize();
    wanted.setWidth(wanted.width() & ~7);
    wanted = m_display->closestSize(wanted);
    if (wanted == guestSize() || wanted == m_asked) {
        return;
    }
    m_asked = wanted;
    m_answer.start();
    m_display->requestSize(wanted);
}

void FramebufferSurface::guestDidNotFollow(const QString& reason) {
    m_answer.stop();
    m_asked = QSize();
    m_followReason = reason;
    if (m_scaling == Scaling::Follow) {
        applyScaling(Scaling::Fit);
    }
    Q_EMIT scalingChanged();
}

void FramebufferSurface::guestSizeSeen() {
    m_answer.stop();
    m_asked = QSize();
    if (m_scaling == Scaling::Natural) {
        m_view->resize(m_view->sizeHint());
    }
    // A guest that changes its size may be able to follow as well, e.g. when its desktop started.
    if (!m_followReason.isEmpty()) {
        m_followReason.clear();
        Q_EMIT scalingChanged();
    }
    if (m_wantsFollow) {
        applyScaling(Scaling::Follow); // asks, if it did not follow before
    }
    Q_EMIT guestSizeChanged();
}

} // namespace vitrine::ui
