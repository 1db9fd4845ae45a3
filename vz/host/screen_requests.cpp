// SPDX-License-Identifier: Apache-2.0
#include "vz/host/screen_requests.h"

#include "core/job/in_worker.h"

#include <QFile>
#include <QPointer>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr qint64 minimumPause = 500; // ms

Result<> write(const QString& path, const QByteArray& png) {
    QFile file(path + QLatin1String(".part"));
    const bool written = file.open(QIODevice::WriteOnly | QIODevice::Truncate) &&
                         file.write(png) == png.size() && file.flush();
    file.close();
    if (!written)
        return fail(Error::Kind::Internal,
                    Tr::tr("Cannot keep the picture \"%1\". The system says: %2.")
                        .arg(path, file.errorString()));
    if (::rename(QFile::encodeName(file.fileName()).constData(),
                 QFile::encodeName(path).constData()) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot keep the picture \"%1\".").arg(path), errno));
    return {};
}

} // namespace

ScreenRequests::ScreenRequests(ControlServer* server,
                               QString folder,
                               TakeScreen take,
                               QObject* parent)
    : QObject(parent)
    , m_folder(std::move(folder))
    , m_take(std::move(take)) {
    server->on(QStringLiteral("screenshot"),
               [this](const QJsonObject&, const Respond& respond) { this->take(respond); });
}

void ScreenRequests::take(const Respond& respond) {
    if (m_sinceLast.isValid() && m_sinceLast.elapsed() < minimumPause) {
        respond(m_last);
        return;
    }
    m_waiting << respond;
    if (m_waiting.size() > 1)
        return;
    m_take([self = QPointer(this)](const Result<ScreenPicture>& picture) {
        if (!self)
            return;
        if (picture)
            self->keep(*picture);
        else
            self->answer(fail(picture.error()));
    });
}

void ScreenRequests::keep(const ScreenPicture& picture) {
    const QString path = m_folder + QStringLiteral("/screen.png");
    inWorker(
        this,
        [path, png = picture.png] { return write(path, png); },
        [this, path, width = picture.width, height = picture.height](const Result<>& written) {
            if (!written) {
                answer(fail(written.error()));
                return;
            }
            m_last = {{QStringLiteral("path"), path},
                      {QStringLiteral("width"), width},
                      {QStringLiteral("height"), height}};
            m_sinceLast.start();
            answer(QJsonValue(m_last));
        });
}

void ScreenRequests::answer(const Result<QJsonValue>& answer) {
    const QList<Respond> waiting = std::exchange(m_waiting, {});
    for (const Respond& respond : waiting)
        respond(answer);
}

} // namespace vitrine::vz
