// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "qemu/qmp_client.h"

#include <QElapsedTimer>
#include <QList>
#include <QObject>
#include <QSize>
#include <QString>

#include <functional>
#include <optional>

namespace vitrine::qemu {

// Pictures of the guest's screen for thumbnails: screen.png in the runtime directory, replaced as a
// whole. At most two a second whoever asks; a picture under way serves all who wait. Works while
// the guest is paused. Lives on the thread of its QMP client.
class ScreenCapture final : public QObject {
    Q_OBJECT
public:
    struct Picture {
        QString path; // absolute
        QSize size;   // pixels
    };
    using Reply = std::function<void(Result<Picture>)>;

    ScreenCapture(QmpClient* qmp, QString runtimePath, QObject* parent = nullptr);
    void take(Reply reply);
    [[nodiscard]] QSize lastSize() const { return m_last ? m_last->size : QSize(); }

private:
    void taken(const Result<QJsonValue>& answer);
    [[nodiscard]] Result<Picture> keep() const;

    QmpClient* m_qmp;
    QString m_runtimePath;
    QList<Reply> m_waiting;
    std::optional<Picture> m_last;
    QElapsedTimer m_sinceLast;
};

// Width and height from the head of a PNG file (PNG specification, 11.2.2); empty when it is none.
[[nodiscard]] QSize pngSize(const QByteArray& head);

} // namespace vitrine::qemu
