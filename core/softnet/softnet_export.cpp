// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_export.h"

#include "core/value/csv_field.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace vitrine {

namespace {

QString lastSeen(const SoftnetDestination& one, const QDateTime& clockBegan) {
    return clockBegan.isValid()
               ? clockBegan.addMSecs(one.lastMs).toUTC().toString(Qt::ISODateWithMs)
               : QString();
}

} // namespace

QByteArray softnetJson(const QString& machine,
                       const QList<SoftnetDestination>& seen,
                       const QDateTime& clockBegan,
                       const QDateTime& time) {
    QJsonArray list;
    for (const SoftnetDestination& one : seen) {
        QJsonObject object = one.toJson();
        object.insert(QStringLiteral("lastSeen"), lastSeen(one, clockBegan));
        list.append(object);
    }
    return QJsonDocument(
               QJsonObject{{QStringLiteral("machine"), machine},
                           {QStringLiteral("time"), time.toUTC().toString(Qt::ISODateWithMs)},
                           {QStringLiteral("destinations"), list}})
        .toJson();
}

QByteArray softnetCsv(const QList<SoftnetDestination>& seen, const QDateTime& clockBegan) {
    QString text = QStringLiteral("lastSeen,verdict,direction,name,address,port,protocol,packets,"
                                  "bytesOut,bytesIn,rule,reason\r\n");
    for (const SoftnetDestination& one : seen) {
        const QStringList fields{lastSeen(one, clockBegan),
                                 one.allowed ? QStringLiteral("allow") : QStringLiteral("block"),
                                 one.incoming ? QStringLiteral("in") : QStringLiteral("out"),
                                 one.name,
                                 one.address,
                                 QString::number(one.port),
                                 one.protocol,
                                 QString::number(one.packets),
                                 QString::number(one.bytesOut),
                                 QString::number(one.bytesIn),
                                 one.rule,
                                 one.reason};
        for (qsizetype i = 0; i < fields.size(); ++i) {
            text += i > 0 ? QLatin1String(",") : QLatin1String();
            text += csvField(fields.at(i));
        }
        text += QLatin1String("\r\n");
    }
    return text.toUtf8();
}

} // namespace vitrine
