// SPDX-License-Identifier: Apache-2.0
#include "qemu/screen_capture.h"

#include <QFile>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace vitrine::qemu {

namespace {
constexpr qint64 minimumPause = 500; // ms
constexpr const char* partName = "screen.png.part";
} // namespace

QSize pngSize(const QByteArray& head) {
    static const QByteArray start("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
    if (head.size() < 24 || !head.startsWith(start)) {
        return {};
    }
    const auto number = [&head](qsizetype at) {
        quint32 value = 0;
        for (qsizetype i = at; i < at + 4; ++i) {
            value = value << 8 | static_cast<unsigned char>(head.at(i));
        }
        return value;
    };
    const quint32 width = number(16);
    const quint32 height = number(20);
    if (width == 0 || height == 0 || width > 65535 || height > 65535) {
        return {};
    }
    return {static_cast<int>(width), static_cast<int>(height)};
}

ScreenCapture::ScreenCapture(QmpClient* qmp, QString runtimePath, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp)
    , m_runtimePath(std::move(runtimePath)) {}

void ScreenCapture::take(Reply reply) {
    if (m_last && m_sinceLast.isValid() && m_sinceLast.elapsed() < minimumPause) {
        reply(*m_last);
        return;
    }
    m_waiting.append(std::move(reply));
    if (m_waiting.size() > 1) {
        return;
    }
    // QEMU's working directory is the runtime directory.
    m_qmp->execute(QStringLiteral("screendump"),
                   {{QStringLiteral("filename"), QLatin1String(partName)},
                    {QStringLiteral("format"), QStringLiteral("png")}},
                   [this](const Result<QJsonValue>& answer) { taken(answer); });
}

void ScreenCapture::taken(const Result<QJsonValue>& answer) {
    Result<Picture> picture = answer ? keep() : fail(answer.error());
    if (picture) {
        m_last = *picture;
        m_sinceLast.start();
    }
    const QList<Reply> waiting = std::exchange(m_waiting, {});
    for (const Reply& reply : waiting) {
        reply(picture);
    }
}

Result<ScreenCapture::Picture> ScreenCapture::keep() const {
    const QString part = m_runtimePath + QLatin1Char('/') + QLatin1String(partName);
    const QString path = m_runtimePath + QLatin1String("/screen.png");
    QFile file(part);
    QByteArray head;
    if (file.open(QIODevice::ReadOnly)) {
        head = file.read(24);
    }
    const QSize size = pngSize(head);
    if (size.isEmpty()) {
        return fail(Error::Kind::Integrity,
                    tr("QEMU wrote no usable picture of the screen."),
                    file.errorString());
    }
    if (::rename(QFile::encodeName(part).constData(), QFile::encodeName(path).constData()) != 0) {
        return fail(Error::fromErrno(tr("Cannot keep the picture \"%1\".").arg(path), errno));
    }
    return Picture{path, size};
}

} // namespace vitrine::qemu
