// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <algorithm>

namespace vitrine::ui {

namespace {

QByteArray svgSource(const QString& name) {
    QFile file(QStringLiteral(":/vitrine/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) {
        qWarning("vitrine: there is no icon \"%s\"", qPrintable(name));
        return {};
    }
    return file.readAll();
}

// Pixels of an icon in device pixels, cached under name, size and colour.
QPixmap rendered(const QString& name, int pixels, double ratio, const QColor& color) {
    const QString key = QStringLiteral("vitrine/%1/%2/%3/%4")
                            .arg(name)
                            .arg(pixels)
                            .arg(ratio)
                            .arg(color.rgba(), 8, 16);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap))
        return pixmap;
    QByteArray source = svgSource(name);
    source.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
    if (pixels <= qRound(16 * ratio)) // strokes of small icons are drawn heavier
        source.replace("stroke-width=\"1.5\"", "stroke-width=\"2\"");
    pixmap = QPixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(source);
    QPainter painter(&pixmap);
    renderer.render(&painter, QRectF(0, 0, pixels, pixels));
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

class ThemeIconEngine final : public QIconEngine {
public:
    explicit ThemeIconEngine(QString name)
        : m_name(std::move(name)) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        const int side = std::min(rect.width(), rect.height());
        const QRectF square(rect.x() + (rect.width() - side) / 2.0,
                            rect.y() + (rect.height() - side) / 2.0,
                            side,
                            side);
        paintThemeIcon(*painter, square, m_name, colorOf(mode));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return scaledPixmap(size, mode, state, 1.0);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
        // `size` is in device pixels.
        const int side = std::max(1, std::min(size.width(), size.height()));
        return rendered(m_name, side, std::max(1.0, scale), colorOf(mode));
    }
    QIconEngine* clone() const override { return new ThemeIconEngine(m_name); }
    QString key() const override { return QStringLiteral("vitrine"); }
    QString iconName() override { return m_name; }
    bool isNull() override { return false; }

private:
    static QColor colorOf(QIcon::Mode mode) {
        const Theme& theme = Theme::current();
        switch (mode) {
        case QIcon::Disabled:
            return theme.disabled;
        case QIcon::Selected:
            return theme.onSelection;
        case QIcon::Normal:
        case QIcon::Active:
            break;
        }
        return theme.text;
    }
    QString m_name;
};

} // namespace

QIcon themeIcon(QStringView name) {
    return QIcon(new ThemeIconEngine(name.toString()));
}

QPixmap themePixmap(QStringView name, int size, const QColor& color) {
    const double ratio = qGuiApp->devicePixelRatio();
    return rendered(name.toString(), qRound(size * ratio), ratio, color);
}

void paintThemeIcon(QPainter& painter, const QRectF& rect, QStringView name, const QColor& color) {
    const double ratio = painter.device()->devicePixelRatioF();
    const int pixels = std::max(1, qRound(std::min(rect.width(), rect.height()) * ratio));
    const QPixmap pixmap = rendered(name.toString(), pixels, ratio, color);
    const double side = pixels / ratio;
    // Onto whole device pixels: half a pixel would blur every stroke.
    const QPointF corner(rect.center().x() - side / 2, rect.center().y() - side / 2);
    painter.drawPixmap(
        QPointF(qRound(corner.x() * ratio) / ratio, qRound(corner.y() * ratio) / ratio), pixmap);
}

} // namespace vitrine::ui
