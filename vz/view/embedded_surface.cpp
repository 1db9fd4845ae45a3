// SPDX-License-Identifier: Apache-2.0
#include "vz/view/embedded_surface.h"

#include "vz/view/mac_keys.h"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <QWidget>
#include <QWindow>

#include <algorithm>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr int sizePolled = 1000; // ms

} // namespace

EmbeddedSurface::EmbeddedSurface(std::unique_ptr<ViewHost> host, Keys keys)
    : m_host(std::move(host))
    , m_keys(keys)
    , m_widget(new QWidget) {
    auto* const layout = new QVBoxLayout(m_widget);
    layout->setContentsMargins({});
    if (QWindow* const window = m_host->takeWindow(); window != nullptr) {
        window->setMinimumSize(QSize(320, 200)); // a foreign window has no size hints of its own
        m_container = QWidget::createWindowContainer(window, m_widget);
        m_container->setFocusPolicy(Qt::StrongFocus);
        m_container->installEventFilter(this);
        layout->addWidget(m_container);
        m_widget->setFocusProxy(m_container);
    }
    m_words = new QLabel(tr("Paused"), m_widget);
    m_words->setAlignment(Qt::AlignCenter);
    m_words->hide();
    layout->addWidget(m_words, 1);
    // The view takes the keys until it is told otherwise, also after a click into another widget.
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        focusMoved(now);
    });
    m_host->setEvents(
        {[this](bool focused) { focusChanged(focused); }, [this] { releaseKeyboard(); }});
    m_poll.setInterval(sizePolled);
    connect(&m_poll, &QTimer::timeout, this, &EmbeddedSurface::readGuestSize);
}

EmbeddedSurface::~EmbeddedSurface() {
    m_host->setEvents({});
    m_host->setMachine(nullptr); // before the machine goes
    delete m_widget;
}

void EmbeddedSurface::setMachine(const Machine* machine) {
    if (m_machine == machine)
        return;
    m_machine = machine;
    m_host->setMachine(m_shown ? machine : nullptr);
    if (machine == nullptr)
        releaseKeyboard();
    if (machine != nullptr && m_shown)
        m_poll.start();
    else
        m_poll.stop();
    readGuestSize();
    Q_EMIT linkChanged();
}

void EmbeddedSurface::setPaused(bool paused) {
    if (paused)
        releaseKeyboard();
    // A hidden view has none.
    if (paused && !m_paused)
        m_last = m_machine != nullptr && m_shown ? m_host->picture() : QImage();
    else if (!paused)
        m_last = {};
    m_paused = paused;
    applyHidden();
}

QImage EmbeddedSurface::picture() const {
    return m_paused ? m_last : m_host->picture();
}

void EmbeddedSurface::setCovered(bool covered) {
    m_covered = covered;
    applyHidden();
}

void EmbeddedSurface::applyHidden() {
    m_host->setHidden(m_paused || m_covered);
    if (m_container != nullptr)
        m_container->setVisible(!m_paused); // its place is wanted for the words
    if (m_words != nullptr)
        m_words->setVisible(m_paused);
}

void EmbeddedSurface::displayReconfigured() {
    readGuestSize();
    Q_EMIT updated();
}

// Qt gives the focus to the container, and the view must have it then. A size of the room is a
// scale.
bool EmbeddedSurface::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_container && event->type() == QEvent::FocusIn)
        m_host->takeFocus();
    else if (watched == m_container && event->type() == QEvent::Resize)
        Q_EMIT scaleChanged();
    return ConsoleSurface::eventFilter(watched, event);
}

QWidget* EmbeddedSurface::widget() const {
    return m_widget;
}

void EmbeddedSurface::setMachineName(const QString& name) {
    m_widget->setAccessibleName(tr("Screen of %1").arg(name));
    if (m_container != nullptr)
        m_container->setAccessibleName(m_widget->accessibleName());
}

void EmbeddedSurface::start() {
    m_shown = true;
    if (m_machine == nullptr)
        return;
    m_host->setMachine(m_machine);
    m_poll.start();
    readGuestSize();
}

void EmbeddedSurface::stop() {
    m_shown = false;
    m_poll.stop();
    m_host->setMachine(nullptr);
}

ui::ConsoleSurface::Link EmbeddedSurface::link() const {
    return m_machine != nullptr ? Link::Live : Link::Off;
}

// The view fits the guest's screen into its room by itself; there is no one to one.
void EmbeddedSurface::setScaling(Scaling scaling) {
    const Scaling possible =
        scaling == Scaling::Follow && m_host->canRefit() ? Scaling::Follow : Scaling::Fit;
    m_host->setRefit(possible == Scaling::Follow);
    if (std::exchange(m_scaling, possible) != possible || possible != scaling)
        Q_EMIT scalingChanged();
}

double EmbeddedSurface::scale() const {
    const QSize view = m_host->viewSize();
    if (m_guestSize.isEmpty() || view.isEmpty())
        return 0;
    return std::min(static_cast<double>(view.width()) / m_guestSize.width(),
                    static_cast<double>(view.height()) / m_guestSize.height());
}

void EmbeddedSurface::setGuestScale(DisplayScale /*scale*/) {} // macOS sees to it

QString EmbeddedSurface::followReason() const {
    return m_host->canRefit()
               ? QString()
               : tr("The guest can follow the window from macOS 14 on. This Mac has an older one.");
}

QString EmbeddedSurface::naturalReason() const {
    return tr("macOS fits the guest's screen into the window by itself.");
}

void EmbeddedSurface::setBorderless(bool /*borderless*/) {} // there is no border

void EmbeddedSurface::grabKeyboard() {
    if (m_machine == nullptr)
        return;
    m_host->takeFocus();
}

void EmbeddedSurface::releaseKeyboard() {
    if (m_grabbed)
        m_host->giveFocusBack();
}

void EmbeddedSurface::focusChanged(bool focused) {
    const bool grabbed = focused && m_machine != nullptr;
    if (std::exchange(m_grabbed, grabbed) == grabbed)
        return;
    m_host->setCapturesSystemKeys(grabbed && m_keys == Keys::SystemToo);
    // A click into the view is not told to Qt, whose widget would keep the focus.
    if (grabbed && m_container != nullptr && !m_container->hasFocus())
        m_container->setFocus(Qt::OtherFocusReason);
    Q_EMIT keyboardChanged();
}

void EmbeddedSurface::focusMoved(const QWidget* now) {
    if (m_grabbed && now != nullptr && now != m_container)
        m_host->giveFocusBack();
}

QString EmbeddedSurface::keyboardNote() const {
    return m_keys == Keys::SystemToo
               ? QString()
               : tr("Command-Tab and the other keys of macOS stay with this Mac.");
}

void EmbeddedSurface::sendKeys(const ui::KeyCombination& keys) {
    QList<quint16> codes;
    for (const ui::GuestKey& key : keys.keys) {
        const std::optional<quint16> code = macKeyOf(key.qnum);
        if (!code)
            return; // half a combination is another one
        codes.append(*code);
    }
    for (const quint16 code : codes)
        m_host->sendKey(code, true);
    for (auto code = codes.crbegin(); code != codes.crend(); ++code)
        m_host->sendKey(*code, false);
}

void EmbeddedSurface::readGuestSize() {
    const QSize size = m_machine != nullptr ? m_host->guestSize() : QSize();
    if (std::exchange(m_guestSize, size) == size)
        return;
    Q_EMIT guestSizeChanged();
    Q_EMIT scaleChanged();
}

} // namespace vitrine::vz
