// SPDX-License-Identifier: Apache-2.0
#include "qemu/viewers.h"

#include "qemu/qmp_client.h"

#include <QJsonArray>
#include <QRandomGenerator>

namespace vitrine::qemu {

Viewers::Viewers(QmpClient* qmp, const LaunchPlan& plan, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp)
    , m_vnc(plan.vncServer)
    , m_terminal(plan.serial.kind == SerialLine::Kind::NewTerminal) {}

QString Viewers::newPassword() {
    static const QString letters =
        QStringLiteral("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789");
    QString password;
    for (int i = 0; i < 8; ++i)
        password += letters.at(static_cast<int>(
            QRandomGenerator::system()->bounded(static_cast<quint32>(letters.size()))));
    return password;
}

void Viewers::start() {
    if (m_vnc)
        setPassword();
    if (m_terminal)
        findTerminal();
}

void Viewers::setPassword() {
    const QString password = newPassword();
    m_qmp->execute(QStringLiteral("set_password"),
                   {{QStringLiteral("protocol"), QStringLiteral("vnc")},
                    {QStringLiteral("password"), password},
                    {QStringLiteral("display"), QString::fromLatin1(vncServerId)}},
                   [this, password](const Result<QJsonValue>& answer) {
                       if (answer)
                           findPort(password);
                       else
                           Q_EMIT failed(tr("The VNC server has no password and lets nobody in. %1")
                                             .arg(answer.error().message));
                   });
}

void Viewers::findPort(const QString& password) {
    m_qmp->execute(
        QStringLiteral("query-vnc-servers"),
        {},
        [this, password](const Result<QJsonValue>& answer) {
            int port = 0;
            for (const QJsonValue& server : answer ? answer->toArray() : QJsonArray())
                if (server[QLatin1String("id")].toString() == QLatin1String(vncServerId))
                    port = server[QLatin1String("server")][0][QLatin1String("service")]
                               .toString()
                               .toInt();
            if (port == 0) {
                Q_EMIT failed(tr("The VNC server does not tell its port. Start the machine anew."));
                return;
            }
            const QString url = QStringLiteral("vnc://:%1@127.0.0.1:%2").arg(password).arg(port);
            m_state[QStringLiteral("vnc")] = QJsonObject{{QStringLiteral("url"), url},
                                                         {QStringLiteral("port"), port},
                                                         {QStringLiteral("password"), password}};
            Q_EMIT opened(url);
            Q_EMIT changed();
        });
}

void Viewers::findTerminal() {
    m_qmp->execute(QStringLiteral("query-chardev"), {}, [this](const Result<QJsonValue>& answer) {
        const QString prefix = QStringLiteral("pty:");
        for (const QJsonValue& device : answer ? answer->toArray() : QJsonArray()) {
            const QString file = device[QLatin1String("filename")].toString();
            if (device[QLatin1String("label")].toString() != QLatin1String(serialId) ||
                !file.startsWith(prefix))
                continue;
            m_state[QStringLiteral("serial")] = file.mid(prefix.size());
            Q_EMIT opened(file.mid(prefix.size()));
            Q_EMIT changed();
            return;
        }
        Q_EMIT failed(tr("The serial line does not tell its terminal. Start the machine anew."));
    });
}

} // namespace vitrine::qemu
