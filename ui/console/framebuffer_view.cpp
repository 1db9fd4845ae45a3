// SPDX-License-Identifier: Apache-2.0
#include "ui/console/framebuffer_view.h"

#include "ui/theme/theme.h"

#include <QElapsedTimer>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QTimer>
#include <QWheelEvent>

#include <cmath>

namespace vitrine::ui {

namespace {

constexpr int ringWidth = 2;
constexpr int nearly = 8;       // points that a picture that fits may leave free on each axis
constexpr int notch = 120;      // of QWheelEvent::angleDelta()
constexpr int bandHeight = 64;  // rows that are scaled at once
constexpr int scalingTime = 20; // ms that one repaint may spend with scaling

quint8 bitOf(Qt::MouseButton button) {
    switch (button) {
    case Qt::LeftButton:
        return 0x01;
    case Qt::MiddleButton:
        return 0x02;
    case Qt::RightButton:
        return 0x04;
    default:
        return 0;
    }
}

QImage wrap(const FrameView& frame) {
    return {frame.data, frame.width, frame.height, frame.stride, QImage::Format_RGB32};
}

} // namespace

FramebufferView::FramebufferView(Display* display, QWidget* parent)
    : QWidget(parent)
    , m_display(display)
    , m_keyboard([display](const GuestKey& key, bool pressed) {
        display->sendKey(key.keysym, key.qnum, pressed);
    }) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(display, &Display::damaged, this, &FramebufferView::takeDamage);
    connect(display, &Display::sizeChanged, this, &FramebufferView::layOutPicture);
    connect(display, &Display::pointerShapeChanged, this, &FramebufferView::setShape);
    layOutPicture();
}

FramebufferView::~FramebufferView() {
    m_keyboard.releaseAll();
}

void FramebufferView::setSizing(Sizing sizing) {
    if (sizing != m_sizing) {
        m_sizing = sizing;
        layOutPicture();
    }
}

void FramebufferView::setBorderless(bool borderless) {
    if (borderless != m_borderless) {
        m_borderless = borderless;
        layOutPicture();
    }
}

void FramebufferView::setGuestScale(DisplayScale scale) {
    if (scale != m_guestScale) {
        m_guestScale = scale;
        updateGeometry();
        layOutPicture();
    }
}

double FramebufferView::guestPixelsPerPoint() const {
    return m_guestScale == automaticDisplayScale ? devicePixelRatioF() : m_guestScale / 100.0;
}

// In pixels of this screen.
QSize FramebufferView::naturalSize() const {
    return (QSizeF(m_guestSize) * (m_ratio / guestPixelsPerPoint())).toSize().expandedTo({1, 1});
}

double FramebufferView::scale() const {
    return m_guestSize.isEmpty() ? 0 : static_cast<double>(m_target.width()) / m_guestSize.width();
}

QRectF FramebufferView::pictureRect() const {
    return {m_target.x() / m_ratio,
            m_target.y() / m_ratio,
            m_target.width() / m_ratio,
            m_target.height() / m_ratio};
}

QImage FramebufferView::picture() const {
    QImage copy;
    m_display->withFrame([&copy](const FrameView& frame) {
        if (frame.data != nullptr) {
            copy = wrap(frame).copy();
        }
    });
    return copy;
}

QSize FramebufferView::sizeHint() const {
    if (m_guestSize.isEmpty()) {
        return {640, 480};
    }
    const int border = m_borderless ? 0 : 2 * room;
    const QSize natural = naturalSize();
    return {static_cast<int>(std::ceil(natural.width() / m_ratio)) + border,
            static_cast<int>(std::ceil(natural.height() / m_ratio)) + border};
}

QRect FramebufferView::deviceRect(const QRect& logical) const {
    return QRectF(logical.x() * m_ratio,
                  logical.y() * m_ratio,
                  logical.width() * m_ratio,
                  logical.height() * m_ratio)
        .toAlignedRect();
}

QRect FramebufferView::logicalRect(const QRect& device) const {
    return QRectF(device.x() / m_ratio,
                  device.y() / m_ratio,
                  device.width() / m_ratio,
                  device.height() / m_ratio)
        .toAlignedRect();
}

void FramebufferView::layOutPicture() {
    const double before = scale();
    const QSize guestBefore = m_guestSize;
    m_ratio = devicePixelRatioF();
    m_guestSize = m_display->size();
    const QSize available = (QSizeF(size()) * m_ratio).toSize();
    const int border = m_borderless ? 0 : static_cast<int>(std::ceil(room * m_ratio));
    QSize picture = naturalSize();
    if (!m_guestSize.isEmpty() && m_sizing == Sizing::Fit) {
        const QSize inside = available - QSize(2 * border, 2 * border);
        // A guest that follows the window takes a width that it knows: sharp is better than full.
        const QSize rest = inside - picture;
        if (std::min(rest.width(), rest.height()) < 0 ||
            std::max(rest.width(), rest.height()) >= nearly * m_ratio) {
            picture = m_guestSize.scaled(inside.expandedTo({1, 1}), Qt::KeepAspectRatio)
                          .expandedTo({1, 1});
        }
    }
    m_target = QRect(QPoint(std::max(0, (available.width() - picture.width()) / 2),
                            std::max(0, (available.height() - picture.height()) / 2)),
                     picture);
    if (m_guestSize.isEmpty()) {
        m_target = QRect();
    }
    if (isScaled() && !m_target.isEmpty()) {
        m_scaler.setSizes(m_guestSize, m_target.size());
        if (m_scaled.size() != m_target.size()) {
            m_scaled = QImage(m_target.size(), QImage::Format_RGB32);
            m_scaled.fill(Qt::black);
        }
        m_stale = QRect(QPoint(0, 0), m_target.size());
    } else {
        m_scaled = QImage();
        m_stale = QRegion();
    }
    if (guestBefore != m_guestSize) {
        updateGeometry();
    }
    update();
    if (!qFuzzyCompare(before + 1, scale() + 1)) {
        Q_EMIT scaleChanged();
    }
}

void FramebufferView::takeDamage() {
    const QList<QRect> damage = m_display->takeDamage();
    if (m_target.isEmpty()) {
        layOutPicture();
    }
    QRegion region;
    for (const QRect& rectangle : damage) {
        const QRect changed = isScaled() ? m_scaler.affected(rectangle) : rectangle;
        if (isScaled()) {
            m_stale += changed;
        }
        region += logicalRect(changed.translated(m_target.topLeft()));
    }
    update(region);
    Q_EMIT updated();
}

void FramebufferView::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const Theme& theme = Theme::current();
    const QRect picture = logicalRect(m_target);
    QRegion outside = event->region();
    if (m_ratio == std::floor(m_ratio)) {
        outside -= picture;
    }
    for (const QRect& rectangle : outside) {
        painter.fillRect(rectangle, m_borderless ? QColor(Qt::black) : theme.window);
    }
    if (m_grabbed && !m_borderless && !m_target.isEmpty()) {
        const QRect ring = picture.adjusted(-ringWidth, -ringWidth, ringWidth, ringWidth);
        for (const QRect& side : QRegion(ring) - picture) {
            painter.fillRect(side, theme.accent);
        }
    }
    if (!m_target.isEmpty()) {
        paintPicture(painter, event->region());
    }
}

void FramebufferView::paintPicture(QPainter& painter, const QRegion& region) {
    if (m_ratio != 1) {
        painter.scale(1 / m_ratio, 1 / m_ratio); // from here on: pixels of this screen
    }
    const QPoint origin = m_target.topLeft();
    m_display->withFrame([&](const FrameView& frame) {
        if (frame.data == nullptr || QSize(frame.width, frame.height) != m_guestSize) {
            // Its size has just changed; sizeChanged() is on its way.
            for (const QRect& rectangle : region) {
                painter.fillRect(deviceRect(rectangle) & m_target, Qt::black);
            }
            return;
        }
        if (!isScaled()) {
            const QImage image = wrap(frame);
            for (const QRect& rectangle : region) {
                const QRect part = deviceRect(rectangle) & m_target;
                painter.drawImage(part.topLeft(), image, part.translated(-origin));
            }
            return;
        }
        QRegion due;
        for (const QRect& rectangle : region) {
            due += (deviceRect(rectangle) & m_target).translated(-origin);
        }
        rescale(frame, due & m_stale);
    });
    if (!m_scaled.isNull()) {
        for (const QRect& rectangle : region) {
            const QRect part = deviceRect(rectangle) & m_target;
            painter.drawImage(part.topLeft(), m_scaled, part.translated(-origin));
        }
    }
}

void FramebufferView::rescale(const FrameView& frame, const QRegion& due) {
    QElapsedTimer clock;
    clock.start();
    QRegion left = due;
    for (const QRect& rectangle : due) {
        for (int y = rectangle.top(); y <= rectangle.bottom(); y += bandHeight) {
            if (clock.elapsed() > scalingTime) {
                // The rest keeps its old look for a moment: the window must not stand still.
                m_stale -= due - left;
                const QRegion later = left;
                QTimer::singleShot(0, this, [this, later] {
                    for (const QRect& part : later) {
                        update(logicalRect(part.translated(m_target.topLeft())));
                    }
                });
                return;
            }
            const QRect band(
                rectangle.x(), y, rectangle.width(), qMin(bandHeight, rectangle.bottom() - y + 1));
            m_scaler.scale(frame, m_scaled, band);
            left -= band;
        }
    }
    m_stale -= due;
}

void FramebufferView::resizeEvent(QResizeEvent*) {
    layOutPicture();
}

bool FramebufferView::event(QEvent* event) {
    switch (event->type()) {
    case QEvent::ShortcutOverride:
        if (m_grabbed) {
            event->accept(); // the window's own shortcuts wait
            return true;
        }
        break;
    case QEvent::ScreenChangeInternal:
    case QEvent::ApplicationPaletteChange:
        layOutPicture();
        break;
    case QEvent::Hide:
        releaseInput();
        break;
    default:
        break;
    }
    return QWidget::event(event);
}

bool FramebufferView::focusNextPrevChild(bool next) {
    return m_grabbed ? false : QWidget::focusNextPrevChild(next);
}

void FramebufferView::grabInput() {
    setFocus();
    if (m_grabbed) {
        return;
    }
    m_grabbed = true;
    m_grab.take(window()->windowHandle());
    update();
    Q_EMIT grabChanged();
}

void FramebufferView::releaseInput() {
    m_keyboard.releaseAll();
    releaseButtons();
    if (!m_grabbed) {
        return;
    }
    m_grabbed = false;
    m_grab.release();
    update();
    Q_EMIT grabChanged();
}

void FramebufferView::keyPressEvent(QKeyEvent* event) {
    if (m_grabbed) {
        if (!m_enterHeld) {
            m_keyboard.press(*event);
        }
        event->accept();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        m_enterHeld = true;
        grabInput();
        event->accept();
        return;
    }
    QWidget::keyPressEvent(event);
}

void FramebufferView::keyReleaseEvent(QKeyEvent* event) {
    if (!m_grabbed) {
        QWidget::keyReleaseEvent(event);
        return;
    }
    event->accept();
    if (m_enterHeld) {
        if (!event->isAutoRepeat()) {
            m_enterHeld = false;
        }
        return;
    }
    if (m_keyboard.release(*event) == GuestKeyboard::Outcome::GiveBack) {
        releaseInput();
    }
}

void FramebufferView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void FramebufferView::focusOutEvent(QFocusEvent* event) {
    m_enterHeld = false;
    releaseInput();
    QWidget::focusOutEvent(event);
    update();
}

void FramebufferView::sendPointer(const QPointF& position) {
    if (m_target.isEmpty()) {
        return;
    }
    const double x =
        (position.x() * m_ratio - m_target.x()) * m_guestSize.width() / m_target.width();
    const double y =
        (position.y() * m_ratio - m_target.y()) * m_guestSize.height() / m_target.height();
    m_pointer = QPoint(qBound(0, static_cast<int>(std::floor(x)), m_guestSize.width() - 1),
                       qBound(0, static_cast<int>(std::floor(y)), m_guestSize.height() - 1));
    m_display->sendPointer(m_pointer, m_buttons);
}

void FramebufferView::releaseButtons() {
    if (m_buttons != 0) {
        m_buttons = 0;
        m_display->sendPointer(m_pointer, 0);
    }
}

void FramebufferView::mousePressEvent(QMouseEvent* event) {
    event->accept();
    if (!pictureRect().contains(event->position())) {
        return;
    }
    grabInput();
    m_buttons |= bitOf(event->button());
    sendPointer(event->position());
}

void FramebufferView::mouseDoubleClickEvent(QMouseEvent* event) {
    mousePressEvent(event); // the guest counts clicks itself
}

void FramebufferView::mouseReleaseEvent(QMouseEvent* event) {
    event->accept();
    const quint8 bit = bitOf(event->button());
    if ((m_buttons & bit) != 0) {
        m_buttons &= static_cast<quint8>(~bit);
        sendPointer(event->position());
    }
}

void FramebufferView::mouseMoveEvent(QMouseEvent* event) {
    event->accept();
    if (m_buttons != 0 || pictureRect().contains(event->position())) {
        sendPointer(event->position());
    }
}

void FramebufferView::wheelEvent(QWheelEvent* event) {
    if (!m_grabbed || !pictureRect().contains(event->position())) {
        event->ignore(); // scrolls the page
        return;
    }
    event->accept();
    m_wheel += event->angleDelta();
    const auto turn = [&](int& amount, quint8 positive, quint8 negative) {
        while (std::abs(amount) >= notch) {
            const quint8 bit = amount > 0 ? positive : negative;
            amount -= amount > 0 ? notch : -notch;
            m_display->sendPointer(m_pointer, m_buttons | bit);
            m_display->sendPointer(m_pointer, m_buttons);
        }
    };
    sendPointer(event->position());
    turn(m_wheel.ry(), 0x08, 0x10);
    turn(m_wheel.rx(), 0x20, 0x40);
}

void FramebufferView::leaveEvent(QEvent* event) {
    m_wheel = QPoint();
    QWidget::leaveEvent(event);
}

void FramebufferView::setShape(const PointerShape& shape) {
    const qsizetype bytes = qsizetype{4} * shape.width * shape.height;
    if (bytes == 0 || shape.pixels.size() != bytes) {
        setCursor(Qt::BlankCursor);
        return;
    }
    const QImage image(reinterpret_cast<const uchar*>(shape.pixels.constData()),
                       shape.width,
                       shape.height,
                       4 * shape.width,
                       QImage::Format_ARGB32);
    QPixmap pixmap = QPixmap::fromImage(image.copy());
    pixmap.setDevicePixelRatio(m_ratio);
    setCursor(QCursor(pixmap,
                      static_cast<int>(shape.hotSpot.x() / m_ratio),
                      static_cast<int>(shape.hotSpot.y() / m_ratio)));
}

} // namespace vitrine::ui
