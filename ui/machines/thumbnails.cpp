// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/thumbnails.h"

#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"

#include <QGuiApplication>
#include <QImageReader>
#include <QJsonObject>
#include <QJsonValue>

namespace vitrine::ui {

namespace {

constexpr int viewInterval = 5000;  // ms
constexpr int largeInterval = 2000; // ms
constexpr QSize smallBox(64, 40);
constexpr QSize largeBox(432, 270);
constexpr int largestSide = 8192; // pixels; QEMU's screens are far below

struct Pictures {
    QImage small;
    QImage large;
    QSize guest;
};

Pictures decode(const QString& path, double ratio, bool wantsLarge) {
    QImageReader reader(path, "png");
    const QSize size = reader.size();
    if (!size.isValid() || size.width() > largestSide || size.height() > largestSide) {
        return {};
    }
    const QImage whole = reader.read();
    if (whole.isNull()) {
        return {};
    }
    const auto scaled = [&whole, ratio](QSize box) {
        return whole
            .scaled((QSizeF(box) * ratio).toSize(), Qt::KeepAspectRatio, Qt::SmoothTransformation)
            .convertToFormat(QImage::Format_RGB32);
    };
    return {scaled(smallBox), wantsLarge ? scaled(largeBox) : QImage(), size};
}

} // namespace

Thumbnails::Thumbnails(MachineClients* clients, QObject* parent)
    : QObject(parent)
    , m_clients(clients) {
    m_viewTimer.setInterval(viewInterval);
    m_largeTimer.setInterval(largeInterval);
    connect(&m_viewTimer, &QTimer::timeout, this, &Thumbnails::fetchVisible);
    connect(&m_largeTimer, &QTimer::timeout, this, [this] { fetch(m_largeName); });
    m_viewTimer.start();
    connect(m_clients, &MachineClients::statusChanged, this, [this](const QString& name) {
        if (m_clients->status(name) == nullptr) {
            m_small.remove(name);
            if (name == m_largeName) {
                m_large = {};
                m_guestSize = {};
                Q_EMIT largeChanged();
            }
            Q_EMIT changed(name);
        } else if (!m_small.contains(name) && (m_inView.contains(name) || name == m_largeName)) {
            fetch(name);
        }
    });
}

void Thumbnails::setNamesInView(const QStringList& names) {
    if (m_inView == names) {
        return;
    }
    m_inView = names;
    for (const QString& name : names) {
        if (!m_small.contains(name)) {
            fetch(name);
        }
    }
}

void Thumbnails::setLargeName(const QString& name) {
    if (m_largeName == name) {
        return;
    }
    m_largeName = name;
    m_large = {};
    m_guestSize = {};
    if (name.isEmpty()) {
        m_largeTimer.stop();
    } else {
        m_largeTimer.start();
        fetch(name);
    }
    Q_EMIT largeChanged();
}

void Thumbnails::setActive(bool active) {
    m_active = active;
}

void Thumbnails::fetchVisible() {
    for (const QString& name : std::as_const(m_inView)) {
        if (name != m_largeName) {
            fetch(name);
        }
    }
}

void Thumbnails::fetch(const QString& name) {
    const MachineStatus* status = m_clients->status(name);
    if (!m_active || status == nullptr || m_underWay.contains(name) ||
        (status->state != MachineState::Running && status->state != MachineState::Paused &&
         status->state != MachineState::ShuttingDown)) {
        return;
    }
    m_underWay.insert(name);
    const double ratio = qGuiApp->devicePixelRatio();
    const bool wantsLarge = name == m_largeName;
    m_clients->call(name,
                    QStringLiteral("screenshot"),
                    {},
                    [this, name, ratio, wantsLarge](const Result<QJsonValue>& answer) {
                        if (!answer) {
                            m_underWay.remove(name); // the row keeps its last picture
                            return;
                        }
                        const QString path =
                            answer->toObject().value(QLatin1String("path")).toString();
                        inBackground(
                            this,
                            [path, ratio, wantsLarge] { return decode(path, ratio, wantsLarge); },
                            [this, name](const Pictures& pictures) {
                                decoded(name, pictures.small, pictures.large, pictures.guest);
                            });
                    });
}

void Thumbnails::decoded(const QString& name,
                         const QImage& small,
                         const QImage& large,
                         QSize guest) {
    m_underWay.remove(name);
    if (small.isNull() || m_clients->status(name) == nullptr) {
        return;
    }
    m_small.insert(name, small);
    Q_EMIT changed(name);
    if (name == m_largeName && !large.isNull()) {
        m_large = large;
        m_guestSize = guest;
        Q_EMIT largeChanged();
    }
}

} // namespace vitrine::ui
